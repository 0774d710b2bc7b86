import type { Vitest } from "@effect/vitest"
import { Effect, Exit, type Scope } from "effect"

/** Tests an adapter does not pass, and why. A test named here must fail: one that passes is to be taken off the list. */
export interface Deviation {
  readonly reason: string
  /** Titles, word for word. */
  readonly tests: ReadonlyArray<string>
}

/** Registers one test of the suite; its title begins with the invariant it checks. */
export type Test<S> = (title: string, body: () => Effect.Effect<void, unknown, S | Scope.Scope>) => void

// Some tests do a thing a thousand times, over a network for some stores.
const timeout = 60_000

const mustFail = (exit: Exit.Exit<void, unknown>): Effect.Effect<void> =>
  Exit.isSuccess(exit) ? Effect.die(new Error("it passes this test: take it off its deviations")) : Effect.void

/** Registers tests as they are, or turned round where a deviation names them. `unknown` names the deviations nobody met. */
export const makeTest = <S>(
  it: Vitest.MethodsNonLive<S>,
  deviations: ReadonlyArray<Deviation>
): { readonly test: Test<S>; readonly unknown: () => ReadonlyArray<string> } => {
  const reasons = new Map(deviations.flatMap(({ reason, tests }) => tests.map((title) => [title, reason] as const)))
  const missed = new Set(reasons.keys())
  const test: Test<S> = (title, body) => {
    const reason = reasons.get(title)
    missed.delete(title)
    if (reason === undefined) it.effect(title, body, timeout)
    else it.effect(`${title} (deviates: ${reason})`, () => Effect.flatMap(Effect.exit(body()), mustFail), timeout)
  }
  return { test, unknown: () => [...missed] }
}
