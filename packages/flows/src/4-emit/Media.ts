/** Files: shown from an address that is vetted before it is given to the transport. */
import type { Content, Flow } from "@botmesh/core"
import { Effect } from "effect"
import type { MediaStep } from "../document/Steps.ts"
import { addressProblem } from "../net/Address.ts"
import { FlowStepError } from "../run/FlowStepError.ts"
import { hiddenKey, type Names, type Scope, template } from "./Scope.ts"
import { urlTemplate } from "./Url.ts"

interface Talking {
  readonly state: Flow.State
  readonly chat: Flow.Moment["chat"]
  readonly say: (content: Content) => Effect.Effect<unknown, unknown>
}

export const emitMedia = (step: MediaStep, scope: Scope, names: Names): ReadonlyArray<Flow.Step> => {
  const id = names.of(step)
  const url = urlTemplate(scope, step.url)
  const caption = step.caption === undefined ? undefined : template(scope, step.caption)
  const filename = step.filename === undefined ? undefined : template(scope, step.filename)
  const contentOf = (address: string, state: Flow.State, at: Flow.Moment): Content => ({
    _tag: "media",
    kind: step.type,
    source: { _tag: "url", url: address },
    ...(caption === undefined ? {} : { caption: caption.render(state, at) }),
    ...(filename === undefined ? {} : { filename: filename.render(state, at) })
  })
  const { constant } = url
  if (constant !== undefined) {
    return [{ _tag: "say", id, content: (state: Flow.State, at: Flow.Moment) => contentOf(constant, state, at) }]
  }
  const body = (c: Talking): Effect.Effect<null, unknown> => {
    const address = url.render(c.state, c)
    const problem = address === undefined ? "a value in it is no part of a path" : addressProblem(address)
    if (address === undefined || problem !== undefined) {
      const detail = `the address of the file: ${problem ?? ""}`
      return Effect.fail(new FlowStepError({ flow: scope.linked.document.id, step: id, reason: "refused", detail }))
    }
    return Effect.as(c.say(contentOf(address, c.state, c)), null)
  }
  return [{ _tag: "do", id, key: hiddenKey(scope, "media"), body, result: undefined }]
}
