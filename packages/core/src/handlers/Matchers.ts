/**
 * The registered handlers, found by specificity (A15).
 *
 * M1 order: action → welcome → equals → startsWith and endsWith → regex → contains → predicate → one type → several
 *    types; ties go to the first registered.
 * M2 an exact text costs one look-up, however many are registered; the others are tried one by one, in order.
 */
import type { Chat } from "../chat/Chat.ts"
import type { Bind, UserEffect } from "../model/Erased.ts"
import { normalise } from "./Normalise.ts"
import { inScope, type Trigger } from "./Trigger.ts"

/** What happens when a trigger fires: a handler runs, or a flow starts. */
export type Reaction =
  | { readonly _tag: "run"; readonly run: (chat: Chat) => UserEffect; readonly bind: Bind }
  | { readonly _tag: "flow"; readonly flow: string }

export interface Entry {
  readonly trigger: Trigger
  readonly reaction: Reaction
  /** Registration order. */
  readonly order: number
}
export interface Match {
  readonly entry: Entry
  readonly match: RegExpMatchArray | undefined
}

const rank = (trigger: Trigger): number => {
  switch (trigger._tag) {
    case "action":
      return 0
    case "welcome":
      return 1
    case "text":
      return trigger.match === "equals" ? 2 : trigger.match === "contains" ? 5 : 3
    case "regex":
      return 4
    case "predicate":
      return 6
    case "type":
      return trigger.types.length === 1 ? 7 : 8
  }
}

interface Scanned extends Entry {
  readonly rank: number
  /** The pattern normalised once. */
  readonly pattern: string
}

export class Matchers {
  private readonly exact = new Map<string, Array<Entry>>()
  private readonly actions = new Map<string, Array<Entry>>()
  private welcomes: ReadonlyArray<Entry> = []
  private scanned: ReadonlyArray<Scanned> = []
  private order = 0

  /** @returns what takes the trigger out again; safe to repeat */
  add(trigger: Trigger, reaction: Reaction): () => void {
    const entry: Entry = { trigger, reaction, order: this.order++ }
    if (trigger._tag === "text" && trigger.match === "equals")
      return push(this.exact, normalise(trigger.pattern), entry)
    if (trigger._tag === "action") return push(this.actions, trigger.id, entry)
    if (trigger._tag === "welcome") {
      this.welcomes = [...this.welcomes, entry]
      return () => {
        this.welcomes = this.welcomes.filter((item) => item !== entry)
      }
    }
    const scanned: Scanned = {
      ...entry,
      rank: rank(trigger),
      pattern: trigger._tag === "text" ? normalise(trigger.pattern) : ""
    }
    this.scanned = [...this.scanned, scanned].sort((a, b) => a.rank - b.rank || a.order - b.order)
    return () => {
      this.scanned = this.scanned.filter((item) => item !== scanned)
    }
  }

  /** The `nth` handler that matches, counting from 0: a handler that passes asks for the next (A18). M1. */
  find(chat: Chat, firstContact: boolean, nth: number): Match | undefined {
    let left = nth
    const { payload } = chat
    if (payload !== undefined) {
      for (const entry of this.actions.get(payload) ?? none) if (left-- === 0) return { entry, match: undefined }
    }
    if (firstContact) for (const entry of this.welcomes) if (left-- === 0) return { entry, match: undefined }
    const text = this.exact.size > 0 || this.scanned.length > 0 ? normalise(chat.body) : ""
    if (text !== "") {
      for (const entry of this.exact.get(text) ?? none) {
        if (entry.trigger._tag === "text" && !inScope(entry.trigger.scope, chat.isGroup)) continue
        if (left-- === 0) return { entry, match: undefined }
      }
    }
    for (const entry of this.scanned) {
      const match = test(entry, chat, text)
      if (match !== false && left-- === 0) return { entry, match: match === true ? undefined : match }
    }
    return undefined
  }
}

const none: ReadonlyArray<Entry> = []

const push = (map: Map<string, Array<Entry>>, key: string, entry: Entry): (() => void) => {
  map.set(key, [...(map.get(key) ?? []), entry])
  return () => {
    const left = (map.get(key) ?? []).filter((item) => item !== entry)
    if (left.length === 0) map.delete(key)
    else map.set(key, left)
  }
}

const test = (entry: Scanned, chat: Chat, text: string): boolean | RegExpMatchArray => {
  const { trigger } = entry
  switch (trigger._tag) {
    case "text":
      if (entry.pattern === "" || text === "" || !inScope(trigger.scope, chat.isGroup)) return false
      if (trigger.match === "startsWith") return text.startsWith(entry.pattern)
      return trigger.match === "endsWith" ? text.endsWith(entry.pattern) : text.includes(entry.pattern)
    case "regex": {
      if (!inScope(trigger.scope, chat.isGroup)) return false
      // A global or sticky pattern carries its last position from one message to the next.
      trigger.pattern.lastIndex = 0
      return trigger.pattern.exec(chat.body) ?? false
    }
    case "predicate":
      return trigger.test(chat)
    case "type":
      return trigger.types.includes(chat.type)
    default:
      return false
  }
}
