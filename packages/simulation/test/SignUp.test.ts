import { runSignUps, type SignUpOptions } from "@botmesh/simulation"
import { describe, expect, it } from "vitest"

/** 25 worlds of one kind; says what happened in the first that broke. */
const survive = (options: SignUpOptions, least: Readonly<Record<string, number>>): void => {
  const happened = new Map<string, number>()
  for (let seed = 0; seed < 25; seed++) {
    const { faults, story, violations } = runSignUps(seed, options)
    expect(violations, `seed ${seed}\n${story.slice(-40).join("\n")}`).toEqual([])
    for (const [verb, count] of faults) happened.set(verb, (happened.get(verb) ?? 0) + count)
  }
  // A world where nothing happens proves nothing.
  for (const [verb, count] of Object.entries(least)) expect(happened.get(verb) ?? 0, verb).toBeGreaterThanOrEqual(count)
}

describe("people sign up while one process breaks", () => {
  it("I14 I15 I25 R2 kill -9 loses no sign-up, asks nothing twice and confuses no answer", () => {
    survive({ verbs: ["crash"] }, { crash: 800 })
  })
  it("I14 I25 R16 a frozen and slow process goes on where it was", () => {
    survive({ verbs: ["freeze", "slow", "crash"] }, { freeze: 200, slow: 200 })
  })
  it("I14 I25 R16 a store and a transport that refuse or do not answer end no sign-up", () => {
    survive({ verbs: ["lost-replies", "lost-calls", "refusals", "cut"] }, { "lost-replies": 150, refusals: 150 })
  })
})
