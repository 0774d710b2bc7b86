/** Forms: several fields, one summary, and a way to correct what is wrong. One step, each question an op of its own. */
import type { DurationInput, Flow } from "@botmesh/core"
import { Effect, type Schema } from "effect"
import type { FormField, FormStep } from "../document/Steps.ts"
import { answerSchema, retriesOf, type Verdict, verdictOf } from "./Questions.ts"
import { hiddenKey, type Names, type Scope, template } from "./Scope.ts"

/** How often somebody may correct before the form is taken as it is. */
const maxCorrections = 20

const wordsOf = (lang: string): { readonly confirm: string; readonly correct: string; readonly which: string } => {
  if (lang.startsWith("pt")) return { confirm: "Confirmar", correct: "Corrigir", which: "O que você quer corrigir?" }
  return lang.startsWith("es")
    ? { confirm: "Confirmar", correct: "Corregir", which: "¿Qué quieres corregir?" }
    : { confirm: "Confirm", correct: "Correct", which: "What do you want to correct?" }
}

interface AskOptions {
  readonly answer?: Schema.Decoder<unknown>
  readonly validate?: (answer: unknown) => boolean | string
  readonly retries?: number
  readonly timeout?: DurationInput
}
/** What of a conversation a form is made of. */
interface Asking {
  readonly state: Flow.State
  readonly chat: Flow.Moment["chat"]
  readonly lang: string
  readonly ask: (name: string, text: string, options: AskOptions) => Effect.Effect<unknown, unknown>
  readonly choose: (
    name: string,
    text: string,
    choices: Readonly<Record<string, string>>,
    options: { readonly timeout?: DurationInput }
  ) => Effect.Effect<string, unknown>
}

interface Field {
  readonly stateKey: string
  readonly key: string
  readonly label: string
  readonly text: (state: Flow.State, at: Flow.Moment) => string
  readonly verdict: Verdict | undefined
  readonly answer: Schema.Decoder<unknown> | undefined
  readonly retries: number | undefined
}

const fieldOf = (scope: Scope, field: FormField): Field => ({
  stateKey: field.stateKey,
  key: scope.keyOf(field.stateKey),
  label: field.label ?? field.stateKey,
  text: template(scope, field.text).render,
  verdict: verdictOf(scope, field),
  answer: answerSchema(field.answer),
  retries: retriesOf(field)
})

const askField = (c: Asking, field: Field, values: Flow.State, timeout: DurationInput | undefined) => {
  const { answer, retries, verdict } = field
  const state = { ...c.state, ...values }
  return c.ask(field.stateKey, field.text(state, c), {
    ...(answer === undefined ? {} : { answer }),
    ...(verdict === undefined ? {} : { validate: (given) => verdict(given, state, c) }),
    ...(retries === undefined ? {} : { retries }),
    ...(timeout === undefined ? {} : { timeout })
  })
}

export const emitForm = (step: FormStep, scope: Scope, names: Names): ReadonlyArray<Flow.Step> => {
  const id = names.of(step)
  const asked = step.fields.map((field) => fieldOf(scope, field))
  const summary = step.summary === undefined ? undefined : template(scope, step.summary).render
  const timeout = step.timeout ?? scope.timeout
  const waiting = timeout === undefined ? {} : { timeout }
  const body = (c: Asking): Effect.Effect<Flow.State, unknown> =>
    Effect.gen(function* () {
      let values: Flow.State = {}
      for (const field of asked) values = { ...values, [field.key]: yield* askField(c, field, values, timeout) }
      if (summary === undefined) return values
      const labels = { ...wordsOf(c.lang), ...step.labels }
      for (let corrections = 0; corrections < maxCorrections; corrections++) {
        const state = { ...c.state, ...values }
        const choices = { confirm: labels.confirm, correct: labels.correct }
        if ((yield* c.choose("summary", summary(state, c), choices, waiting)) === "confirm") break
        const which = yield* whichField(c, asked, labels.which, waiting)
        if (which !== undefined) values = { ...values, [which.key]: yield* askField(c, which, values, timeout) }
      }
      return values
    })
  const key = hiddenKey(scope, "form")
  return [
    { _tag: "do", id, key, body, result: undefined },
    ...asked.map(
      (field): Flow.Step => ({
        _tag: "set",
        id: `${id}>field:${field.stateKey}`,
        key: field.key,
        value: (state: Flow.State) => fieldValue(state[key], field.key)
      })
    )
  ]
}

const whichField = (
  c: Asking,
  asked: ReadonlyArray<Field>,
  text: string,
  waiting: { readonly timeout?: DurationInput }
): Effect.Effect<Field | undefined, unknown> => {
  const [only] = asked
  if (asked.length === 1) return Effect.succeed(only)
  const choices = Object.fromEntries(asked.map((field) => [field.stateKey, field.label]))
  return Effect.map(c.choose("which", text, choices, waiting), (chosen) =>
    asked.find((field) => field.stateKey === chosen)
  )
}

const fieldValue = (values: unknown, key: string): unknown =>
  typeof values === "object" && values !== null && Object.hasOwn(values, key) ? Reflect.get(values, key) : null
