/** The provider's contract, checked on every event: a broken one is reported, an unknown kind ignored (A22). */
import { Schema } from "effect"
import type { InboundEvent } from "../../model/Event.ts"

/** A provider gave an event that breaks the contract; it was dropped. Source: A22. */
export class InvalidProviderEventError extends Schema.TaggedError<InvalidProviderEventError>()(
  "InvalidProviderEventError",
  { provider: Schema.String, detail: Schema.String }
) {
  override get message(): string {
    return `Provider "${this.provider}" gave an invalid event: ${this.detail}`
  }
}

const known: ReadonlySet<string> = new Set([
  "message",
  "interaction",
  "reaction",
  "pollVote",
  "delete",
  "call"
] satisfies ReadonlyArray<InboundEvent["_tag"]>)

export const isKnownKind = (event: InboundEvent): boolean => known.has(event._tag)

/** What is wrong with an event of a known kind; `undefined` when nothing is. */
export const contractIssue = (event: InboundEvent): string | undefined => {
  if (typeof event.from !== "string" || event.from === "") return "`from` is not a chat id"
  if (typeof event.sender !== "string" || event.sender === "") return "`sender` is not an id"
  if (typeof event.isGroup !== "boolean") return "`isGroup` is not a boolean"
  switch (event._tag) {
    case "message":
      if (typeof event.body !== "string") return "`body` is not a text"
      if (typeof event.type !== "string") return "`type` is not a text"
      return typeof event.ref?.id === "string" ? undefined : "`ref.id` is not a text"
    case "interaction":
      if (typeof event.body !== "string") return "`body` is not a text"
      if (typeof event.payload !== "string") return "`payload` is not a text"
      return typeof event.interactionId === "string" ? undefined : "`interactionId` is not a text"
    case "call":
      return typeof event.callId === "string" ? undefined : "`callId` is not a text"
    case "reaction":
      return typeof event.emoji === "string" ? undefined : "`emoji` is not a text"
    case "pollVote":
      return Array.isArray(event.options) ? undefined : "`options` is not a list"
    case "delete":
      return typeof event.target?.id === "string" ? undefined : "`target.id` is not a text"
  }
}
