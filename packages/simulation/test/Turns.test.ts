import { runTurns, tell } from "@botmesh/simulation"
import { describe, expect, it } from "vitest"

describe("turns under faults", () => {
  it("I1 I3 I4 I5 I6 hold in 60 worlds of replicas that do nothing but take turns", () => {
    const happened = new Map<string, number>()
    for (let seed = 0; seed < 60; seed++) {
      const { history, violations } = runTurns(seed, { storm: 8000, lease: 2000 })
      expect(violations, `seed ${seed}`).toEqual([])
      for (const entry of history) {
        const name = entry._tag === "fault" ? entry.verb : entry._tag
        happened.set(name, (happened.get(name) ?? 0) + 1)
      }
    }
    // A world where nothing happens proves nothing.
    for (const verb of ["crash", "stop", "freeze", "slow", "lost-calls", "lost-replies", "doubled", "cut", "clock"]) {
      expect(happened.get(verb) ?? 0, verb).toBeGreaterThan(10)
    }
    expect(happened.get("acted")).toBeGreaterThan(2000)
    expect(happened.get("gave-up")).toBeGreaterThan(20)
  })

  it("the same seed tells the same story", () => {
    const story = (seed: number) => {
      const { history, start } = runTurns(seed, { storm: 4000 })
      return history.map((entry) => tell(entry, start)).join("\n")
    }
    expect(story(7)).toBe(story(7))
    expect(story(7)).not.toBe(story(8))
  })
})
