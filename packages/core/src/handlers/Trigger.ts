/** What a handler waits for (B1, B2). */
import type { Chat } from "../chat/Chat.ts"
import type { BodyType } from "../model/Event.ts"

export type Scope = "dm" | "group" | "all"
export type TextMatch = "equals" | "startsWith" | "endsWith" | "contains"

export type Trigger =
  | { readonly _tag: "welcome" }
  | { readonly _tag: "text"; readonly pattern: string; readonly match: TextMatch; readonly scope: Scope }
  | { readonly _tag: "regex"; readonly pattern: RegExp; readonly scope: Scope }
  | { readonly _tag: "predicate"; readonly test: (chat: Chat) => boolean }
  | { readonly _tag: "type"; readonly types: ReadonlyArray<BodyType> }
  | { readonly _tag: "action"; readonly id: string }

/** What a person may write for a trigger: a text, a list, a regex, a predicate, or the explicit object. */
export interface When {
  readonly pattern: string | RegExp
  readonly match?: TextMatch
  readonly scope?: Scope
}
export type Pattern = string | RegExp | ReadonlyArray<string | When> | ((chat: Chat) => boolean) | When

const isList = (pattern: Pattern): pattern is ReadonlyArray<string | When> => Array.isArray(pattern)

/** The triggers a pattern stands for; a list stands for one each. */
export const toTriggers = (pattern: Pattern): ReadonlyArray<Trigger> => {
  if (typeof pattern === "string") return [{ _tag: "text", pattern, match: "equals", scope: "all" }]
  if (typeof pattern === "function") return [{ _tag: "predicate", test: pattern }]
  if (pattern instanceof RegExp) return [{ _tag: "regex", pattern, scope: "all" }]
  if (isList(pattern)) return pattern.flatMap(toTriggers)
  const scope = pattern.scope ?? "all"
  return typeof pattern.pattern === "string"
    ? [{ _tag: "text", pattern: pattern.pattern, match: pattern.match ?? "equals", scope }]
    : [{ _tag: "regex", pattern: pattern.pattern, scope }]
}

export const inScope = (scope: Scope, isGroup: boolean): boolean => scope === "all" || (scope === "group") === isGroup
