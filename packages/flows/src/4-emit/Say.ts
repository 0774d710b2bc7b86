/** Texts that are said. One of nothing but places may come out empty: no transport takes that, so it is not said. */
import type { Flow } from "@botmesh/core"
import { type Scope, textOf } from "./Scope.ts"

const mayBeEmpty = (text: string, scope: Scope): boolean =>
  scope.linked.sources.template(text).pieces.every((piece) => typeof piece !== "string" || piece.trim() === "")

export const emitSay = (id: string, text: string, scope: Scope): ReadonlyArray<Flow.Step> => {
  const content = textOf(scope, text)
  if (typeof content === "string" || !mayBeEmpty(text, scope)) return [{ _tag: "say", id, content }]
  return [
    {
      _tag: "branch",
      id,
      name: "say",
      pick: (state: Flow.State, at: Flow.Moment) => (content(state, at).trim() === "" ? undefined : "say"),
      branches: { say: [{ _tag: "say", id: "say", content }] }
    }
  ]
}

export const emitEnd = (id: string, text: string | undefined, scope: Scope): ReadonlyArray<Flow.Step> => {
  if (text === undefined) return [{ _tag: "end", id, text: undefined }]
  if (!mayBeEmpty(text, scope)) return [{ _tag: "end", id, text: textOf(scope, text) }]
  return [...emitSay(`${id}>text`, text, scope), { _tag: "end", id, text: undefined }]
}
