import { configDefaults, defineConfig } from "vitest/config"

/** Faults on real servers take their time and want the machine to themselves: `pnpm test:faults`. */
const faults = "packages/*/test/faults/**"
const onlyFaults = process.env["BOTMESH_FAULTS"] === "1"

export default defineConfig({
  resolve: { conditions: ["botmesh-source"] },
  ssr: { resolve: { conditions: ["botmesh-source"] } },
  test: {
    include: onlyFaults
      ? [`${faults}/*.test.ts`]
      : ["packages/*/test/**/*.test.ts", "test/**/*.test.ts", "examples/*/test/**/*.test.ts"],
    exclude: onlyFaults ? configDefaults.exclude : [...configDefaults.exclude, faults],
    passWithNoTests: false,
    allowOnly: false,
    testTimeout: 20_000
  }
})
