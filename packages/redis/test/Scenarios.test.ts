/** The scenarios of coordination that concern the coordinator and Redis; those of the engine stand beside it. */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

const scenarios: ReadonlyArray<{ readonly id: string }> = JSON.parse(
  readFileSync(new URL("fixtures/scenarios-redis.json", import.meta.url), "utf8")
)
it("knows every scenario of the coordinator by its id", () => {
  expect(scenarios.map(({ id }) => id)).toEqual(["COORD-06", "COORD-14", "COORD-15", "COORD-18", "COORD-20"])
})
