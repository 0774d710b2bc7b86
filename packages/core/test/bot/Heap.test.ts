import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"

it("I23 ill-behaved handlers, 1,200 more of them: the heap is back within 5 %", { timeout: 120_000 }, async () => {
  const script = join(import.meta.dirname, "heap/Rounds.ts")
  const flags = ["--expose-gc", "--conditions=botmesh-source", "--disable-warning=ExperimentalWarning"]
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script])
  const { after, before, live, received } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Record<string, number>
  expect({ received, live }).toEqual({ received: 2_000, live: 0 })
  expect(after! / before!).toBeLessThan(1.05)
})
