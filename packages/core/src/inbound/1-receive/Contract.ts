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

/** A kind this core has never heard of: a newer provider. */
const isUnknownKind = (event: InboundEvent): boolean => typeof event?._tag === "string" && !known.has(event._tag)

/** Our own message coming back, whatever its kind (A1). */
const isOwn = (event: InboundEvent): boolean =>
  typeof event === "object" && event !== null && "fromMe" in event && event.fromMe === true

const isText = (value: unknown): boolean => typeof value === "string"
const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === "string"

const isObjectOrAbsent = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null)

/** What an event is at the door: ours to take, to drop in silence, or broken. */
export type AtTheDoor = "taken" | "from-me" | "unknown-kind" | { readonly issue: string }

/** Looks at an event of whatever shape. Never throws, so that one broken event does not take its batch with it. */
export const atTheDoor = (event: InboundEvent): AtTheDoor => {
  try {
    if (isOwn(event)) return "from-me"
    if (isUnknownKind(event)) return "unknown-kind"
    const issue = contractIssue(event)
    return issue === undefined ? "taken" : { issue }
  } catch (error) {
    return { issue: `it throws when it is read: ${textOf(error)}` }
  }
}
const textOf = (error: unknown): string => (error instanceof Error ? error.message : typeof error)

/** What is wrong with an event of a known kind; `undefined` when nothing is. */
const contractIssue = (event: InboundEvent): string | undefined => {
  if (typeof event !== "object" || event === null) return "it is not an object"
  if (!isText(event._tag)) return "`_tag` is not a text"
  if (!isText(event.from) || event.from === "") return "`from` is not a chat id"
  if (!isText(event.sender) || event.sender === "") return "`sender` is not an id"
  if (typeof event.isGroup !== "boolean") return "`isGroup` is not a boolean"
  if (!isTextOrAbsent(event.lang)) return "`lang` is not a text"
  if (!isTextOrAbsent(event.topic)) return "`topic` is not a text"
  if (!isTextOrAbsent(event.senderName)) return "`senderName` is not a text"
  if (!isTextOrAbsent(event.chatName)) return "`chatName` is not a text"
  return issueOfKind(event)
}

const issueOfKind = (event: InboundEvent): string | undefined => {
  switch (event._tag) {
    case "message":
      if (!isText(event.body)) return "`body` is not a text"
      if (!isText(event.type)) return "`type` is not a text"
      if (event.media !== undefined && !isText(event.media?.kind)) return "`media.kind` is not a text"
      if (!isObjectOrAbsent(event.location)) return "`location` is not an object"
      if (!isObjectOrAbsent(event.contact)) return "`contact` is not an object"
      if (!isObjectOrAbsent(event.quoted)) return "`quoted` is not an object"
      return isText(event.ref?.id) ? undefined : "`ref.id` is not a text"
    case "interaction":
      if (!isText(event.body)) return "`body` is not a text"
      if (!isText(event.payload)) return "`payload` is not a text"
      return isText(event.interactionId) ? undefined : "`interactionId` is not a text"
    case "call":
      return isText(event.callId) ? undefined : "`callId` is not a text"
    case "reaction":
      if (!isText(event.emoji)) return "`emoji` is not a text"
      return isText(event.target?.id) ? undefined : "`target.id` is not a text"
    case "pollVote":
      if (!isText(event.pollId)) return "`pollId` is not a text"
      return Array.isArray(event.options) ? undefined : "`options` is not a list"
    case "delete":
      return isText(event.target?.id) ? undefined : "`target.id` is not a text"
  }
}
