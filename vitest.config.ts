import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { conditions: ["botmesh-source"] },
  ssr: { resolve: { conditions: ["botmesh-source"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts", "examples/*/test/**/*.test.ts"],
    passWithNoTests: false,
    allowOnly: false,
    testTimeout: 20_000
  }
})
