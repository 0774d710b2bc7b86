/**
 * What every coordinator must do, as tests: `CoordinatorSuite.suite("redis", layer, { live: true })` in a vitest file.
 * Titles begin with the invariant (design.md 8) or the scenario. Each test builds the layer anew and uses keys of its own.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Coordinator, type CoordinatorShape } from "../spi/Coordinator.ts"
import { crowd, line } from "./coordinator/Crowd.ts"
import { leadTests } from "./coordinator/LeadTests.ts"
import { Acts, followModel } from "./coordinator/Model.ts"
import { freshKey, realTime, take, testTime } from "./coordinator/SuiteTime.ts"
import { loadTests, turnTests } from "./coordinator/TurnTests.ts"
import { forAllSeeds } from "./Sim.ts"

export interface CoordinatorSuiteOptions {
  /** Real time with shorter handlers, for a coordinator that does I/O. False: TestClock. */
  readonly live?: boolean
  /** Run the seeded simulations too: only for a coordinator in memory. */
  readonly simulate?: boolean
  /** What this coordinator does otherwise, and why: those tests are left out and the suite's title says so. */
  readonly deviations?: ReadonlyArray<{ readonly reason: string; readonly tests: ReadonlyArray<string> }>
}

/** Registers the conformance tests of a coordinator. Source: C2, C8, C15. */
export const suite = (
  name: string,
  layer: Layer.Layer<Coordinator, unknown>,
  options?: CoordinatorSuiteOptions
): void => {
  const time = options?.live === true ? realTime : testTime
  const run = options?.live === true ? it.live : it.effect
  const bodies = { ...turnTests(time), ...loadTests(time), ...leadTests(time) }
  const left = new Map<string, string>()
  for (const { reason, tests } of options?.deviations ?? []) for (const title of tests) left.set(title, reason)
  for (const title of left.keys()) {
    if (bodies[title] === undefined) throw new Error(`No test of the coordinator suite is called "${title}"`)
  }
  const inside = <A, E, R>(use: (coordinator: CoordinatorShape) => Effect.Effect<A, E, R>) =>
    Effect.provide(Effect.flatMap(Coordinator, use), layer, { local: true })

  const deviates = [...left].map(([title, reason]) => ` · deviates: ${title} (${reason})`)
  describe(`coordinator ${name}${deviates.join("")}`, () => {
    for (const [title, body] of Object.entries(bodies)) {
      if (left.has(title)) continue
      run(title, () => inside((coordinator) => Effect.flatMap(freshKey, (key) => body(coordinator, key))))
    }
    run("I3 fences grow over a new build", () =>
      Effect.gen(function* () {
        const key = yield* freshKey
        const fence = inside((coordinator) => Effect.map(take(coordinator, key), (lease) => lease.fence))
        const before = yield* fence
        expect(yield* fence).toBeGreaterThan(before)
      })
    )
    run("C5 an incarnation is one life: a new build has another", () =>
      Effect.gen(function* () {
        const incarnation = inside((coordinator) => Effect.succeed(coordinator.incarnation))
        expect(yield* incarnation).not.toBe(yield* incarnation)
      })
    )
    run.prop(
      "I1 I3 I5 I6 any sequence of enqueue, cancel and release does what a list per key does",
      { acts: Acts },
      ({ acts }) =>
        Effect.scoped(
          inside((coordinator) => Effect.flatMap(freshKey, (key) => followModel(time, coordinator, key, acts)))
        ),
      { arbitrary: { runs: options?.live === true ? 5 : 200 } }
    )
    if (options?.simulate !== true) return
    it.effect("I1 I3 I6 200 seeds: a crowd of impatient workers overlaps nowhere and forgets nobody", () =>
      forAllSeeds(200, () => inside(crowd))
    )
    it.effect("I5 I6 200 seeds: tickets keep their order whoever gives up", () => forAllSeeds(200, () => inside(line)))
  })
}
