/** Requests: what they say is made of the state, where they may go is the bot's to allow. */
import { createHash } from "node:crypto"
import { type DurationInput, type Flow, parseDuration } from "@botmesh/core"
import { Duration, Effect, Result } from "effect"
import { FLOW_DOCUMENT_LIMITS as limits } from "../document/Limits.ts"
import type { HttpStep } from "../document/Steps.ts"
import { ownValue } from "../expr/Path.ts"
import { parseTemplate } from "../expr/Template.ts"
import { FlowStepError } from "../run/FlowStepError.ts"
import { FlowHttp } from "../run/Http.ts"
import { type Failed, perform } from "../run/Request.ts"
import { emitWork } from "./Outcome.ts"
import { fields, type Names, type Scope } from "./Scope.ts"
import { urlTemplate } from "./Url.ts"

const defaultTimeout = 10_000
const defaultBytes = 65_536
/** Characters of JSON that a state may keep of one response. */
const maxKept = 32_768

export const millisOf = (input: DurationInput | undefined, otherwise: number): number => {
  const parsed = input === undefined ? undefined : parseDuration(input, "duration")
  return parsed === undefined || Result.isFailure(parsed) ? otherwise : Duration.toMillis(parsed.success)
}

/** What tells the other side of a repeat. The id itself names the chat, which is nobody else's business. */
const keyOf = (op: string): string => createHash("sha256").update(op).digest("hex").slice(0, 32)

/** The part of a response that is kept. */
const partOf = (path: string | undefined): ((value: unknown) => unknown) => {
  const parsed = path === undefined ? undefined : parseTemplate(`{{ ${path} }}`)
  const piece = parsed === undefined || Result.isFailure(parsed) ? undefined : parsed.success.pieces[0]
  if (piece === undefined || typeof piece === "string") return (value) => value
  return (value) => piece.segments.reduce(ownValue, value)
}

const kept = (value: unknown): Effect.Effect<unknown, Failed> =>
  (JSON.stringify(value) ?? "").length <= maxKept
    ? Effect.succeed(value)
    : Effect.fail({
        reason: "too-large",
        detail: `what is kept is over ${maxKept} characters: name a smaller part in result`,
        again: false
      })

export const emitHttp = (
  step: HttpStep,
  scope: Scope,
  names: Names,
  otherwise: ReadonlyArray<Flow.Step> | undefined
): ReadonlyArray<Flow.Step> => {
  const id = names.named(step.id ?? step.stateKey)
  const url = urlTemplate(scope, step.url)
  const body = step.body === undefined ? undefined : fields(scope, step.body)
  const headers = Object.fromEntries(Object.entries(step.headers ?? {}).map(([name, { secret }]) => [name, secret]))
  const part = partOf(step.result)
  const timeout = millisOf(step.timeout, defaultTimeout)
  const problem = ({ detail, reason }: Omit<Failed, "again">) =>
    new FlowStepError({ flow: scope.linked.document.id, step: id, reason, detail })
  return emitWork(scope, {
    id,
    kind: "http",
    stateKey: step.stateKey,
    otherwise,
    work: (state, op, at) =>
      Effect.flatMap(FlowHttp, (access) => {
        const address = url.render(state, at)
        if (access === undefined) {
          return Effect.fail(
            problem({ reason: "refused", detail: "this bot allows no http steps: give it Http.layer" })
          )
        }
        if (address === undefined) {
          return Effect.fail(problem({ reason: "refused", detail: "a value in the address is no part of a path" }))
        }
        const request = {
          method: step.method,
          url: address,
          headers,
          body: body?.(state, at),
          key: keyOf(op.id),
          timeout,
          retries: step.retries ?? 0,
          maxBytes: Math.min(step.maxBytes ?? defaultBytes, limits.httpBytes)
        }
        return Effect.mapError(
          Effect.flatMap(perform(request, access), (value) => kept(part(value))),
          problem
        )
      })
  })
}
