/**
 * The models and tools that `ai` steps name. Documents hold no keys and no providers.
 *
 * Source: E3
 */
import { Context, Effect, Layer, Schema } from "effect"
import { LanguageModel, Prompt, type Response, type Tool, type Toolkit } from "effect/ai"
import type { FlowStepError } from "./FlowStepError.ts"

/** Tools with their handlers, whatever they are. */
export type Tools = Toolkit.WithHandler<Record<string, Tool.Any>>

/** What `ai` steps are run with. */
export interface AiAccess {
  readonly models: ReadonlyMap<string, LanguageModel.LanguageModel>
  readonly tools: ReadonlyMap<string, Tools>
}

/** The models of a bot's documents; none unless a layer gives them. */
export const FlowAi: Context.Reference<AiAccess | undefined> = Context.Reference("@botmesh/flows/Ai", {
  defaultValue: (): AiAccess | undefined => undefined
})

export interface AiOptions<E, R> {
  /** By the name that documents use. */
  readonly models: Readonly<Record<string, Layer.Layer<LanguageModel.LanguageModel, E, R>>>
  /** Toolkits with their handlers; documents name their tools one by one. */
  readonly toolkits?: ReadonlyArray<Toolkit.WithHandler<any>>
}

const build = Effect.fnUntraced(function* <E, R>(options: AiOptions<E, R>) {
  const models = new Map<string, LanguageModel.LanguageModel>()
  for (const [name, model] of Object.entries(options.models)) {
    models.set(name, Context.get(yield* Layer.build(model), LanguageModel.LanguageModel))
  }
  const tools = new Map<string, Tools>()
  for (const kit of options.toolkits ?? []) {
    for (const name of Object.keys(kit.tools)) tools.set(name, kit)
  }
  return { models, tools }
})

/** Allows `ai` steps, for every bot below it. Fails with what the layers of its models fail with. Source: E3 */
export const layer = <E = never, R = never>(options: AiOptions<E, R>): Layer.Layer<never, E, R> =>
  Layer.effect(FlowAi, build(options))

/** The fields of an answer. */
export type Output = Schema.Codec<Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>>

export interface Question {
  readonly model: LanguageModel.LanguageModel
  readonly tools: Tools | undefined
  readonly system: string | undefined
  readonly prompt: string
  readonly output: Output | undefined
  readonly rounds: number
  readonly maxLength: number
  /** ms, tools included. */
  readonly timeout: number
}

export interface Failed {
  readonly reason: FlowStepError["reason"]
  readonly detail: string
}

class TooManyRounds extends Schema.TaggedError<TooManyRounds>()("TooManyRounds", { rounds: Schema.Int }) {
  override get message(): string {
    return `it went on using tools after ${this.rounds} rounds`
  }
}

const broke = (error: unknown): Failed => ({
  reason: "failed",
  detail: `the model failed: ${error instanceof Error ? error.message.slice(0, 200) : "unknown"}`
})

interface Answer {
  readonly text: string
  readonly content: ReadonlyArray<Response.AnyPart>
  readonly toolCalls: ReadonlyArray<unknown>
}
/** The services of tools were given where their toolkit was built; the type of tools known by name alone asks for any. */
const given = Context.empty() as Context.Context<unknown>
const generate = (
  model: LanguageModel.LanguageModel,
  prompt: Prompt.Prompt,
  toolkit: Tools
): Effect.Effect<Answer, unknown> => {
  const generated: Effect.Effect<Answer, unknown, unknown> = model.generateText({ prompt, toolkit })
  return Effect.provideContext(generated, given)
}

/** Lets the model use its tools until it says something, at most `rounds` times. */
const talk = (question: Question): Effect.Effect<{ readonly prompt: Prompt.Prompt; readonly text: string }, unknown> =>
  Effect.gen(function* () {
    const { model, prompt, rounds, system, tools } = question
    let said = Prompt.make([
      ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
      { role: "user" as const, content: [{ type: "text" as const, text: prompt }] }
    ])
    if (tools === undefined) {
      if (question.output !== undefined) return { prompt: said, text: "" }
      return { prompt: said, text: (yield* model.generateText({ prompt: said })).text }
    }
    for (let round = 0; round < rounds; round++) {
      const answer = yield* generate(model, said, tools)
      said = Prompt.concat(said, Prompt.fromResponseParts(answer.content))
      if (answer.toolCalls.length === 0) return { prompt: said, text: answer.text }
    }
    return yield* new TooManyRounds({ rounds })
  })

/** What the model answers: a text, or an object of the output's fields. Not safe to repeat: it may be charged again. */
export const ask = (question: Question): Effect.Effect<unknown, Failed> => {
  const { maxLength, model, output, timeout } = question
  const asked = Effect.flatMap(talk(question), ({ prompt, text }): Effect.Effect<unknown, unknown> => {
    if (output === undefined) return Effect.succeed(text.slice(0, maxLength))
    return Effect.map(model.generateObject({ prompt, schema: output }), ({ value }) => value)
  })
  return Effect.mapError(asked, broke).pipe(
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail<Failed>({ reason: "timeout", detail: `no answer within ${timeout} ms` })
    })
  )
}
