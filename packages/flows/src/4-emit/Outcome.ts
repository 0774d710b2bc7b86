/** What a request or a model came to: kept once, then taken apart. */
import type { Flow } from "@botmesh/core"
import { Effect, Predicate } from "effect"
import type { FlowStepError } from "../run/FlowStepError.ts"
import { hiddenKey, type Scope } from "./Scope.ts"

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string }

const isOk = (outcome: unknown): boolean => Predicate.hasProperty(outcome, "ok") && outcome.ok === true
const valueOf = (outcome: unknown): unknown =>
  isOk(outcome) && Predicate.hasProperty(outcome, "value") ? (outcome.value ?? null) : null

export interface Working {
  readonly id: string
  readonly kind: string
  readonly stateKey: string
  readonly work: (
    state: Flow.State,
    op: { readonly id: string; readonly attempt: number },
    at: Flow.Moment
  ) => Effect.Effect<unknown, FlowStepError>
  /** Taken when the work fails; without it the conversation fails. */
  readonly otherwise: ReadonlyArray<Flow.Step> | undefined
}

/** Runs the work as one recorded op: it is not done again once its outcome, good or bad, is stored. */
export const emitWork = (scope: Scope, { id, kind, otherwise, stateKey, work }: Working): ReadonlyArray<Flow.Step> => {
  const key = hiddenKey(scope, kind)
  const kept: Flow.Step = {
    _tag: "run",
    id,
    key,
    run: (state: Flow.State, op, at) => {
      const done: Effect.Effect<Outcome, FlowStepError> = Effect.map(work(state, op, at), (value) => ({
        ok: true,
        value
      }))
      return otherwise === undefined
        ? done
        : Effect.catch(done, (error) =>
            Effect.as(Effect.logWarning(error.message), { ok: false, reason: error.reason })
          )
    },
    result: undefined
  }
  const filled: Flow.Step = {
    _tag: "set",
    id: `${id}>result`,
    key: scope.keyOf(stateKey),
    value: (state: Flow.State) => valueOf(state[key])
  }
  if (otherwise === undefined) return [kept, filled]
  return [
    kept,
    filled,
    {
      _tag: "branch",
      id: `${id}>else`,
      name: "else",
      pick: (state: Flow.State) => (isOk(state[key]) ? undefined : "else"),
      branches: { else: otherwise }
    }
  ]
}
