/**
 * The registered handlers, found by specificity (A15).
 *
 * M1 order: action → welcome → equals → startsWith and endsWith → regex → contains → predicate → one type → several
 *    types; ties go to the first registered.
 * M2 an exact text costs one look-up, however many are registered; the others are tried one by one, in order.
 * M3 a search goes on behind the last match (A18): each trigger is tried at most once a message, whatever is registered
 *    or taken out meanwhile.
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
  readonly rank: number
  /** Registration order. */
  readonly order: number
  /** The pattern of a text trigger, normalised once. */
  readonly pattern: string
  /** The trigger in words, for events and logs. */
  readonly where: string
}
export interface Match {
  readonly entry: Entry
  readonly match: RegExpMatchArray | undefined
}

const rankOf = (trigger: Trigger): number => {
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

const describe = (trigger: Trigger): string => {
  switch (trigger._tag) {
    case "action":
      return `action ${JSON.stringify(trigger.id)}`
    case "welcome":
      return "welcome"
    case "text":
      return `when ${trigger.match === "equals" ? "" : `${trigger.match} `}${JSON.stringify(trigger.pattern)}`
    case "regex":
      return `when ${String(trigger.pattern)}`
    case "predicate":
      return "when a predicate"
    case "type":
      return `on ${trigger.types.join(", ")}`
  }
}

const none: ReadonlyArray<Entry> = []

export class Matchers {
  private readonly exact = new Map<string, ReadonlyArray<Entry>>()
  private readonly actions = new Map<string, ReadonlyArray<Entry>>()
  private welcomes: ReadonlyArray<Entry> = []
  private scanned: ReadonlyArray<Entry> = []
  private order = 0
  /** Told of a predicate that threw: it counts as no match. */
  onThrow: (error: unknown) => void = () => {}

  /** @returns what takes the trigger out again; safe to repeat */
  add(trigger: Trigger, reaction: Reaction): () => void {
    const pattern = trigger._tag === "text" ? normalise(trigger.pattern) : ""
    const rank = rankOf(trigger)
    const entry: Entry = { trigger, reaction, rank, order: this.order++, pattern, where: describe(trigger) }
    if (trigger._tag === "text" && trigger.match === "equals") return push(this.exact, pattern, entry)
    if (trigger._tag === "action") return push(this.actions, trigger.id, entry)
    if (trigger._tag === "welcome") {
      this.welcomes = [...this.welcomes, entry]
      return () => {
        this.welcomes = this.welcomes.filter((item) => item !== entry)
      }
    }
    let at = this.scanned.length
    while (at > 0 && (this.scanned[at - 1]?.rank ?? 0) > entry.rank) at--
    this.scanned = this.scanned.toSpliced(at, 0, entry)
    return () => {
      this.scanned = this.scanned.filter((item) => item !== entry)
    }
  }

  /** The first handler that matches; behind `last` when that one passed. M1, M3. */
  find(chat: Chat, firstContact: boolean, last?: Entry): Match | undefined {
    const { payload } = chat
    if (payload !== undefined) {
      for (const entry of this.actions.get(payload) ?? none) if (isBehind(entry, last)) return found(entry)
    }
    if (firstContact) for (const entry of this.welcomes) if (isBehind(entry, last)) return found(entry)
    const text = this.exact.size > 0 || this.scanned.length > 0 ? normalise(chat.body) : ""
    if (text !== "") {
      for (const entry of this.exact.get(text) ?? none) {
        if (isBehind(entry, last) && isHeard(entry.trigger, chat)) return found(entry)
      }
    }
    for (const entry of this.scanned) {
      if (!isBehind(entry, last)) continue
      const match = this.test(entry, chat, text)
      if (match !== false) return match === true ? found(entry) : { entry, match }
    }
    return undefined
  }

  private test(entry: Entry, chat: Chat, text: string): boolean | RegExpMatchArray {
    const { pattern, trigger } = entry
    switch (trigger._tag) {
      case "text":
        if (pattern === "" || text === "" || !isHeard(trigger, chat)) return false
        if (trigger.match === "startsWith") return text.startsWith(pattern)
        return trigger.match === "endsWith" ? text.endsWith(pattern) : text.includes(pattern)
      case "regex":
        if (!isHeard(trigger, chat)) return false
        // A global or sticky pattern carries its last position from one message to the next.
        trigger.pattern.lastIndex = 0
        return trigger.pattern.exec(chat.body) ?? false
      case "predicate":
        try {
          return trigger.test(chat)
        } catch (error) {
          this.onThrow(error)
          return false
        }
      case "type":
        return trigger.types.includes(chat.type)
      default:
        return false
    }
  }
}

const found = (entry: Entry): Match => ({ entry, match: undefined })
const isBehind = (entry: Entry, last: Entry | undefined): boolean =>
  last === undefined || entry.rank > last.rank || (entry.rank === last.rank && entry.order > last.order)
const isHeard = (trigger: Trigger, chat: Chat): boolean => !("scope" in trigger) || inScope(trigger.scope, chat.isGroup)

const push = (map: Map<string, ReadonlyArray<Entry>>, key: string, entry: Entry): (() => void) => {
  map.set(key, [...(map.get(key) ?? none), entry])
  return () => {
    const left = (map.get(key) ?? none).filter((item) => item !== entry)
    if (left.length === 0) map.delete(key)
    else map.set(key, left)
  }
}
