/** Gives the chat to a person. Done once, however often the step is resumed; the bot is silent until it gets it back. */
import type { Flow } from "@botmesh/core"
import { Effect } from "effect"
import type { HandoffStep } from "../document/Steps.ts"
import { emitSay } from "./Say.ts"
import { hiddenKey, type Names, type Scope, template } from "./Scope.ts"

/** A sleep that frees the turn: it rests while a person holds the chat, and ends a moment after it is given back. */
const afterwards = 5_001

export const emitHandoff = (step: HandoffStep, scope: Scope, names: Names): ReadonlyArray<Flow.Step> => {
  const id = names.of(step)
  const to = step.to === undefined ? undefined : template(scope, step.to)
  const said: ReadonlyArray<Flow.Step> = step.message === undefined ? [] : emitSay(`${id}>message`, step.message, scope)
  const given: Flow.Step = {
    _tag: "run",
    id,
    key: hiddenKey(scope, "handoff"),
    run: (state: Flow.State, _: unknown, at: Flow.Moment) => Effect.as(at.chat.handOff(to?.render(state, at)), true),
    result: undefined
  }
  const then: Flow.Step =
    step.allowReturn === true
      ? { _tag: "delay", id: `${id}>returned`, duration: afterwards }
      : { _tag: "end", id: `${id}>end`, text: undefined }
  return [...said, given, then]
}
