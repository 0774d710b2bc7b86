/**
 * The steps of a flow document, version 2.
 *
 * Source: E2, E3
 */
import { Schema } from "effect"
import { byId, Delay, duration, Expr, Id, Label, listOf, Name, Text, Timeout, whole } from "./Fields.ts"
import { FLOW_DOCUMENT_LIMITS as limits } from "./Limits.ts"

const optional = Schema.optionalKey
/** A stable step id; derived from the state key, or from the step before, when absent. */
const id = optional(Id)

/** What an answer is read as. */
export const AnswerType = Schema.Literals(["text", "number", "integer", "boolean", "date"]).annotate({
  message: "expected text, number, integer, boolean or date"
})
export type AnswerType = typeof AnswerType.Type

const Validate = Schema.Struct({ expr: Expr, message: optional(Text) })
/** How often a question may be answered: in all, or after the first time; one of both. */
const tries = {
  maxAttempts: optional(whole(1, limits.attempts)),
  retries: optional(whole(0, limits.attempts - 1))
}
const asked = { text: Text, stateKey: Id, answer: optional(AnswerType), validate: optional(Validate), ...tries }

const Steps = Schema.Array(Schema.suspend((): Schema.Codec<Step> => Step))
const SomeSteps = Steps.check(Schema.isMinLength(1, { message: "expected at least 1 step" }))

const Say = Schema.Struct({ kind: Schema.tag("say"), id, text: Text })
const Ask = Schema.Struct({ kind: Schema.tag("ask"), id, ...asked, timeout: optional(Timeout) })
const Delaying = Schema.Struct({ kind: Schema.tag("delay"), id, duration: Delay })
const Goto = Schema.Struct({
  kind: Schema.tag("goto"),
  id,
  target: Id,
  inputs: optional(byId(Expr, limits.inputs, "inputs"))
})
const End = Schema.Struct({ kind: Schema.tag("end"), id, text: optional(Text) })

const option = { key: Id, label: Label }
const choose = {
  kind: Schema.tag("choose"),
  id,
  text: Text,
  stateKey: optional(Id),
  timeout: optional(Timeout),
  ...tries
}
const PlainOption = Schema.Struct(option)
const PlainChoose = Schema.Struct(choose)
const Option = Schema.Struct({ ...option, steps: optional(Steps) })
const Choose = Schema.Struct({ ...choose, options: listOf(Option, 1, limits.options, "options") })
const Condition = Schema.Struct({
  kind: Schema.tag("condition"),
  id,
  if: Expr,
  then: Steps,
  else: optional(Steps)
})
const Guard = Schema.Struct({ kind: Schema.tag("guard"), id, if: Expr, else: SomeSteps })

export const MediaType = Schema.Literals(["image", "video", "gif", "audio", "document", "sticker"]).annotate({
  message: "expected image, video, gif, audio, document or sticker"
})
const Media = Schema.Struct({
  kind: Schema.tag("media"),
  id,
  type: MediaType,
  url: Text,
  caption: optional(Text),
  filename: optional(Name)
})

const Field = Schema.Struct({ ...asked, label: optional(Label) })
const Form = Schema.Struct({
  kind: Schema.tag("form"),
  id,
  fields: listOf(Field, 1, limits.fields, "fields"),
  /** Shown once all is answered; without it nothing is confirmed. */
  summary: optional(Text),
  labels: optional(Schema.Struct({ confirm: optional(Label), correct: optional(Label), which: optional(Label) })),
  timeout: optional(Timeout)
})

const Subflow = Schema.Struct({
  kind: Schema.tag("subflow"),
  id,
  flow: Id,
  inputs: optional(byId(Expr, limits.inputs, "inputs")),
  /** By key of this flow, the key of the subflow it takes its value from. */
  outputs: optional(byId(Id, limits.inputs, "outputs"))
})

const HeaderName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9-]{1,64}$/u, { message: "expected the name of a header: letters, digits and -" })
)
export const HttpMethod = Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE"]).annotate({
  message: "expected GET, POST, PUT, PATCH or DELETE"
})
const http = {
  kind: Schema.tag("http"),
  id,
  method: HttpMethod,
  url: Text,
  /** Each a reference to a secret of the bot: documents hold none. */
  headers: optional(
    Schema.Record(HeaderName, Schema.Struct({ secret: Id })).check(
      Schema.isMaxProperties(limits.fields, { message: `expected at most ${limits.fields} headers` })
    )
  ),
  /** The fields of a JSON object, each an expression. */
  body: optional(byId(Expr, limits.fields, "fields")),
  timeout: optional(duration(limits.httpTimeout, "30 seconds")),
  retries: optional(whole(0, limits.httpRetries)),
  maxBytes: optional(whole(1, limits.httpBytes)),
  /** The part of the response that is kept, `data.items[0].status`; all of it when absent. */
  result: optional(Name),
  stateKey: Id
}
const PlainHttp = Schema.Struct(http)
/** `else` is taken when the request fails; without it the conversation fails. */
const Http = Schema.Struct({ ...http, else: optional(Steps) })

const Handoff = Schema.Struct({
  kind: Schema.tag("handoff"),
  id,
  /** Whom it is for: told to the people who take the chat. */
  to: optional(Label),
  message: optional(Text),
  /** Goes on once the chat is given back; else the conversation ends here. */
  allowReturn: optional(Schema.Boolean)
})

const OutputType = Schema.Union([AnswerType, Schema.Struct({ oneOf: listOf(Label, 1, limits.options, "values") })])
const ai = {
  kind: Schema.tag("ai"),
  id,
  model: Id,
  system: optional(Text),
  prompt: Text,
  /** The fields of an object; a text when absent. */
  output: optional(byId(OutputType, limits.fields, "fields")),
  tools: optional(listOf(Id, 0, limits.fields, "tools")),
  maxRounds: optional(whole(1, limits.aiRounds)),
  /** Characters of a text that are kept. */
  maxLength: optional(whole(1, limits.text)),
  timeout: optional(duration(limits.aiTimeout, "2 minutes")),
  stateKey: Id
}
const PlainAi = Schema.Struct(ai)
const Ai = Schema.Struct({ ...ai, else: optional(Steps) })

export type SayStep = typeof Say.Type
export type AskStep = typeof Ask.Type
export type DelayStep = typeof Delaying.Type
export type GotoStep = typeof Goto.Type
export type EndStep = typeof End.Type
export type MediaStep = typeof Media.Type
export type FormStep = typeof Form.Type
export type FormField = typeof Field.Type
export type SubflowStep = typeof Subflow.Type
export type HandoffStep = typeof Handoff.Type
// What holds steps is written out: a type cannot be inferred from a schema that names it.
export interface ChooseOption extends PlainOptionType {
  readonly steps?: ReadonlyArray<Step>
}
export interface ChooseStep extends PlainChooseType {
  readonly options: ReadonlyArray<ChooseOption>
}
export interface ConditionStep {
  readonly kind: "condition"
  readonly id?: string
  readonly if: string
  readonly then: ReadonlyArray<Step>
  readonly else?: ReadonlyArray<Step>
}
export interface GuardStep {
  readonly kind: "guard"
  readonly id?: string
  readonly if: string
  readonly else: ReadonlyArray<Step>
}
export interface HttpStep extends PlainHttpType {
  readonly else?: ReadonlyArray<Step>
}
export interface AiStep extends PlainAiType {
  readonly else?: ReadonlyArray<Step>
}
type PlainOptionType = typeof PlainOption.Type
type PlainChooseType = typeof PlainChoose.Type
type PlainHttpType = typeof PlainHttp.Type
type PlainAiType = typeof PlainAi.Type

export type Step =
  | SayStep
  | AskStep
  | ChooseStep
  | DelayStep
  | GotoStep
  | EndStep
  | ConditionStep
  | MediaStep
  | FormStep
  | GuardStep
  | SubflowStep
  | HttpStep
  | HandoffStep
  | AiStep
export type StepKind = Step["kind"]

/** The kinds that version 1 knew. */
export const basicKinds = ["say", "ask", "choose", "delay", "goto", "end", "condition"] as const
export const stepKinds: ReadonlyArray<StepKind> = [
  ...basicKinds,
  "media",
  "form",
  "guard",
  "subflow",
  "http",
  "handoff",
  "ai"
]

export const Step = Schema.Union([
  Say,
  Ask,
  Choose,
  Delaying,
  Goto,
  End,
  Condition,
  Media,
  Form,
  Guard,
  Subflow,
  Http,
  Handoff,
  Ai
]).annotate({ identifier: "Step", message: `expected a step: an object with a kind of ${stepKinds.join(", ")}` })
