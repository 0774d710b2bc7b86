import { i1, i3, i6, runTurns, tell } from "@botmesh/simulation"
import { describe, expect, it } from "vitest"

const seeds = Array.from({ length: 100 }, (_, seed) => seed)

describe("turns under faults", () => {
  it("I1 I3 I6 hold in 100 worlds of crashes, freezes, bad wires and clock steps", () => {
    const happened = new Map<string, number>()
    for (const seed of seeds) {
      const { history, violations } = runTurns(seed)
      expect(violations, `seed ${seed}`).toEqual([])
      for (const entry of history) {
        const name = entry._tag === "fault" ? entry.verb : entry._tag
        happened.set(name, (happened.get(name) ?? 0) + 1)
      }
    }
    // A world where nothing happens proves nothing.
    for (const verb of ["crash", "freeze", "slow", "lost-calls", "lost-replies", "refusals", "cut", "clock", "lost"]) {
      expect(happened.get(verb) ?? 0, verb).toBeGreaterThan(20)
    }
    expect(happened.get("acted")).toBeGreaterThan(5000)
  })

  it("the same seed tells the same story", () => {
    const story = (seed: number) => runTurns(seed).history.map(tell).join("\n")
    expect(story(7)).toBe(story(7))
    expect(story(7)).not.toBe(story(8))
  })

  it("I1 is found broken when an earlier fence acts after a later one", () => {
    const acted = (fence: number) => ({ _tag: "acted", at: 0, machine: "a", key: "k", fence }) as const
    expect(i1([acted(2), acted(1)])).toHaveLength(1)
    expect(i1([acted(1), acted(2)])).toEqual([])
  })
  it("I3 is found broken when a fence is granted twice", () => {
    const granted = { _tag: "granted", at: 0, machine: "a", key: "k", fence: 1, ticket: 1 } as const
    expect(i3([granted, granted])).toHaveLength(1)
  })
  it("I6 is found broken when a ticket waits for ever, but for one whose replica died", () => {
    const asked = { _tag: "asked", at: 0, machine: "a", key: "k", ticket: 1 } as const
    expect(i6([asked])).toHaveLength(1)
    expect(i6([asked, { _tag: "fault", at: 1, machine: "a", verb: "crash", detail: "" }])).toEqual([])
  })
})
