/** Questions: how their answers are read, checked and how often they are asked. */
import type { DurationInput, Flow } from "@botmesh/core"
import { Schema, SchemaGetter } from "effect"
import type { AnswerType, AskStep, ChooseStep, FormField } from "../document/Steps.ts"
import { answerExpression, hiddenKey, type Names, type Scope, template, textOf } from "./Scope.ts"

/** A day as text, `2026-12-31`: JSON as it is, and in the order of time when compared. */
const Day = Schema.Date.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((date) => date.toISOString().slice(0, 10)),
    encode: SchemaGetter.transform((text) => new Date(text))
  })
)

/** What an answer has to be; the text itself when nothing. */
export const answerSchema = (type: AnswerType | undefined): Schema.Decoder<unknown> | undefined => {
  switch (type) {
    case "number":
      return Schema.Finite
    case "integer":
      return Schema.Int
    case "boolean":
      return Schema.Boolean
    case "date":
      return Day
    default:
      return undefined
  }
}

interface Tries {
  readonly maxAttempts?: number
  readonly retries?: number
}
/** Tries after the first; the engine's own where the document says nothing. */
export const retriesOf = ({ maxAttempts, retries }: Tries): number | undefined =>
  retries ?? (maxAttempts === undefined ? undefined : maxAttempts - 1)

/** True, what to say instead, or false for the built-in text. */
export type Verdict = (answer: unknown, state: Flow.State, at: Flow.Moment) => boolean | string

/** A validation sees the answer under its key too: `age >= 18`. */
export const verdictOf = (scope: Scope, field: AskStep | FormField): Verdict | undefined => {
  const { stateKey, validate } = field
  if (validate === undefined) return undefined
  const { test } = answerExpression(scope, validate.expr)
  const said = validate.message === undefined ? undefined : template(scope, validate.message)
  const key = scope.keyOf(stateKey)
  return (answer, state, at) => {
    const seen = { ...state, [key]: answer }
    return test(seen, at) || (said?.render(seen, at) ?? false)
  }
}

const limits = (scope: Scope, step: Tries & { readonly timeout?: DurationInput }) => ({
  retries: retriesOf(step),
  timeout: step.timeout ?? scope.timeout
})

export const emitAsk = (step: AskStep, scope: Scope, names: Names): ReadonlyArray<Flow.Step> => [
  {
    _tag: "ask",
    key: scope.keyOf(step.stateKey),
    id: names.named(step.id ?? step.stateKey),
    text: textOf(scope, step.text),
    answer: answerSchema(step.answer),
    media: undefined,
    validate: verdictOf(scope, step),
    options: limits(scope, step)
  }
]

/** @param branches the steps of each option, where it has some */
export const emitChoose = (
  step: ChooseStep,
  scope: Scope,
  names: Names,
  branches: Readonly<Record<string, ReadonlyArray<Flow.Step>>>
): ReadonlyArray<Flow.Step> => {
  const id = step.id ?? step.stateKey
  const own = id === undefined ? names.of(step) : names.named(id)
  const key = step.stateKey === undefined ? hiddenKey(scope, "choose") : scope.keyOf(step.stateKey)
  const asked: Flow.Step = {
    _tag: "choose",
    key,
    id: own,
    text: textOf(scope, step.text),
    choices: step.options.map((option) => ({ key: option.key, label: option.label })),
    options: limits(scope, step)
  }
  if (Object.keys(branches).length === 0) return [asked]
  return [
    asked,
    {
      _tag: "branch",
      id: `${own}>chosen`,
      name: "chosen",
      pick: (state: Flow.State) => String(state[key]),
      branches
    }
  ]
}
