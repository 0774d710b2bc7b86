/**
 * What every coordinator must do, as tests: `CoordinatorSuite.suite("redis", layer, { live: true })` in a vitest file.
 * Titles begin with the invariant (design.md 8) or the scenario. Each test builds the layer anew and uses keys of its own.
 */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import { Coordinator, type CoordinatorShape } from "../spi/Coordinator.ts"
import { claimTests, regrantTests } from "./coordinator/ClaimTests.ts"
import { crowd, line } from "./coordinator/Crowd.ts"
import { leadTests } from "./coordinator/LeadTests.ts"
import { lockTests } from "./coordinator/LockTests.ts"
import { Acts, followModel } from "./coordinator/Model.ts"
import { replicaTests } from "./coordinator/ReplicaTests.ts"
import { freshKey, realTime, take, testTime, type Time } from "./coordinator/SuiteTime.ts"
import { loadTests, turnTests } from "./coordinator/TurnTests.ts"
import { forAllSeeds } from "./Sim.ts"

export interface CoordinatorSuiteOptions {
  /** Real time with shorter handlers, for a coordinator that does I/O. False: TestClock. */
  readonly live?: boolean
  /** Run the seeded simulations too: only for a coordinator in memory. */
  readonly simulate?: boolean
  /** A second build is another replica of the same coordination. Default true. */
  readonly replicas?: boolean
  /** What this coordinator does otherwise, and why; the titles say so. A test named here must fail. */
  readonly deviations?: ReadonlyArray<{ readonly reason: string; readonly tests: ReadonlyArray<string> }>
}

/** Whether a test comes to its end, and passes; one that waits for ever is given up. */
const endsWell = <A, E, R>(time: Time, test: Effect.Effect<A, E, R>): Effect.Effect<boolean, never, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(test, { startImmediately: true })
    for (let n = 0; n < 20; n++) yield* time.until(() => fiber.pollUnsafe() !== undefined)
    const exit = fiber.pollUnsafe()
    yield* Fiber.interrupt(fiber)
    return exit !== undefined && Exit.isSuccess(exit)
  })
const mustFail = (passes: boolean): Effect.Effect<void> =>
  passes ? Effect.die(new Error("it passes this test: take it off its deviations")) : Effect.void

/** Registers the conformance tests of a coordinator. Source: C2, C8, C15. */
export const suite = (
  name: string,
  layer: Layer.Layer<Coordinator, unknown>,
  options?: CoordinatorSuiteOptions
): void => {
  const time = options?.live === true ? realTime : testTime
  const run = options?.live === true ? it.live : it.effect
  const bodies = {
    ...turnTests(time),
    ...regrantTests(time),
    ...claimTests(time),
    ...loadTests(time),
    ...leadTests(time),
    ...lockTests(time),
    ...(options?.replicas === false ? {} : replicaTests(time))
  }
  const left = new Map<string, string>()
  for (const { reason, tests } of options?.deviations ?? []) for (const title of tests) left.set(title, reason)
  for (const title of left.keys()) {
    if (bodies[title] === undefined) throw new Error(`No test of the coordinator suite is called "${title}"`)
  }
  const inside = <A, E, R>(use: (coordinator: CoordinatorShape) => Effect.Effect<A, E, R>) =>
    Effect.provide(Effect.flatMap(Coordinator, use), layer, { local: true })

  const another = Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, Coordinator))

  describe(`coordinator ${name}`, () => {
    for (const [title, body] of Object.entries(bodies)) {
      const test = inside((coordinator) => Effect.flatMap(freshKey, (key) => body(coordinator, key, another)))
      const reason = left.get(title)
      if (reason === undefined) run(title, () => test)
      else run(`${title} (deviates: ${reason})`, () => Effect.flatMap(endsWell(time, test), mustFail))
    }
    run("I3 fences grow over a new build", () =>
      Effect.gen(function* () {
        const key = yield* freshKey
        const fence = inside((coordinator) =>
          Effect.flatMap(take(coordinator, key), (lease) => Effect.as(lease.release, lease.fence))
        )
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
