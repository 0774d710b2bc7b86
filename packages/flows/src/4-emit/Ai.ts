/** Questions to a model: what is asked is made of the state, what may be asked is the bot's to allow. */
import type { Flow } from "@botmesh/core"
import { Effect, Schema } from "effect"
import { FLOW_DOCUMENT_LIMITS as limits } from "../document/Limits.ts"
import type { AiStep } from "../document/Steps.ts"
import { type AiAccess, ask, type Failed, FlowAi, type Output, type Tools } from "../run/Ai.ts"
import { FlowStepError } from "../run/FlowStepError.ts"
import { millisOf } from "./Http.ts"
import { emitWork } from "./Outcome.ts"
import { type Names, type Scope, template } from "./Scope.ts"

const defaultTimeout = 30_000
const defaultRounds = 4

type Fields = NonNullable<AiStep["output"]>

const fieldSchema = (type: Fields[string]): Schema.Codec<unknown, unknown> => {
  if (typeof type === "object") return Schema.Literals(type.oneOf)
  switch (type) {
    case "number":
      return Schema.Finite
    case "integer":
      return Schema.Int
    case "boolean":
      return Schema.Boolean
    case "date":
      return Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u))
    default:
      return Schema.String.check(Schema.isMaxLength(limits.text))
  }
}

const outputSchema = (output: Fields | undefined): Output | undefined =>
  output === undefined
    ? undefined
    : Schema.Struct(Object.fromEntries(Object.entries(output).map(([key, type]) => [key, fieldSchema(type)])))

/** The tools a step names, and none besides. */
const toolsOf = (names: ReadonlyArray<string>, access: AiAccess): Tools | string | undefined => {
  if (names.length === 0) return undefined
  const missing = names.find((name) => !access.tools.has(name))
  if (missing !== undefined) return missing
  const chosen = names.flatMap((name) => {
    const tool = access.tools.get(name)?.tools[name]
    return tool === undefined ? [] : [[name, tool] as const]
  })
  return {
    tools: Object.fromEntries(chosen),
    handle: (name, params, id, options) => {
      const kit = names.includes(String(name)) ? access.tools.get(String(name)) : undefined
      return kit === undefined
        ? Effect.die(new Error(`the tool "${String(name)}" was never given`))
        : kit.handle(name, params, id, options)
    }
  }
}

export const emitAi = (
  step: AiStep,
  scope: Scope,
  names: Names,
  otherwise: ReadonlyArray<Flow.Step> | undefined
): ReadonlyArray<Flow.Step> => {
  const id = names.named(step.id ?? step.stateKey)
  const system = step.system === undefined ? undefined : template(scope, step.system)
  const prompt = template(scope, step.prompt)
  const output = outputSchema(step.output)
  const problem = ({ detail, reason }: Failed) =>
    new FlowStepError({ flow: scope.linked.document.id, step: id, reason, detail })
  const refused = (detail: string) => Effect.fail(problem({ reason: "refused", detail }))
  return emitWork(scope, {
    id,
    kind: "ai",
    stateKey: step.stateKey,
    otherwise,
    work: (state, _, at) =>
      Effect.flatMap(FlowAi, (access) => {
        if (access === undefined) return refused("this bot allows no ai steps: give it Ai.layer")
        const model = access.models.get(step.model)
        if (model === undefined) return refused(`there is no model "${step.model}"`)
        const tools = toolsOf(step.tools ?? [], access)
        if (typeof tools === "string") return refused(`there is no tool "${tools}"`)
        const question = {
          model,
          tools,
          system: system?.render(state, at),
          prompt: prompt.render(state, at),
          output,
          rounds: step.maxRounds ?? defaultRounds,
          maxLength: step.maxLength ?? limits.text,
          timeout: millisOf(step.timeout, defaultTimeout)
        }
        return Effect.mapError(ask(question), problem)
      })
  })
}
