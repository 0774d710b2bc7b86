/**
 * The transport contract: what a provider gives the bot and what it may ask of it.
 *
 * A provider turns its wire format into `InboundEvent`s and hands them over in batches; `receive` returns once each is
 * admitted (recorded, with durability), so a webhook answers 200 after it and a poller confirms its offset after it. It
 * never waits for a handler. A send either returns a receipt or fails with a `SendError` whose reason says what to do.
 */
import { Context, type Duration, type Effect, Schema, type Scope, type Stream } from "effect"
import type { ContentTag, Outgoing, Receipt } from "../model/Content.ts"
import type { InboundEvent, InboundMedia, Ref } from "../model/Event.ts"

/** The transport asks to wait: try again after `retryAfter` milliseconds. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfter: Schema.Number,
  detail: Schema.String
}) {}
/** This recipient cannot be reached (blocked, unknown, never wrote); trying again does not help. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", { detail: Schema.String }) {}
/** The account or token is refused: nothing can be sent until somebody acts. */
export class AuthFailed extends Schema.TaggedError<AuthFailed>()("AuthFailed", { detail: Schema.String }) {}
/** The transport refuses this content; trying again does not help. */
export class InvalidContent extends Schema.TaggedError<InvalidContent>()("InvalidContent", {
  detail: Schema.String
}) {}
/** The provider cannot show this kind of content; no call went out. */
export class Unsupported extends Schema.TaggedError<Unsupported>()("Unsupported", { content: Schema.String }) {}
/** Nothing was applied and a later try may succeed (network down, 5xx before acceptance). */
export class Transient extends Schema.TaggedError<Transient>()("Transient", { detail: Schema.String }) {}
/** The chat has a new id. */
export class MovedChat extends Schema.TaggedError<MovedChat>()("MovedChat", { to: Schema.String }) {}
/** Free-form messages to this person are closed (a 24 h window). */
export class OutsideWindow extends Schema.TaggedError<OutsideWindow>()("OutsideWindow", { detail: Schema.String }) {}
/** The call was cut after the first byte: the message may or may not have been taken. */
export class Ambiguous extends Schema.TaggedError<Ambiguous>()("Ambiguous", { detail: Schema.String }) {}

export const SendReason = Schema.Union([
  RateLimited,
  Unreachable,
  AuthFailed,
  InvalidContent,
  Unsupported,
  Transient,
  MovedChat,
  OutsideWindow,
  Ambiguous
])
export type SendReason = typeof SendReason.Type

const retryable: ReadonlySet<string> = new Set(["RateLimited", "Transient", "Ambiguous", "MovedChat"])

/** A message the transport did not take; match the cause with `Effect.catchReason("SendError", "RateLimited", …)`. */
export class SendError extends Schema.TaggedError<SendError>()("SendError", {
  provider: Schema.String,
  chatId: Schema.String,
  reason: SendReason
}) {
  override get message(): string {
    const detail = "detail" in this.reason ? `: ${this.reason.detail}` : ""
    return `${this.provider} did not take the message for ${this.chatId} (${this.reason._tag})${detail}`
  }
  get isRetryable(): boolean {
    return retryable.has(this.reason._tag)
  }
}

/** The transport cannot start or lost its session for good: bad token, a webhook in the way, a session taken over. */
export class ProviderError extends Schema.TaggedError<ProviderError>()("ProviderError", {
  provider: Schema.String,
  reason: Schema.Literals(["auth", "configuration", "taken-over", "unreachable", "closed"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.provider}: ${this.detail} (${this.reason})`
  }
  get isRetryable(): boolean {
    return this.reason === "unreachable" || this.reason === "closed"
  }
}

/** The bot takes no more events just now (not running, or its queues are full): answer 503, or stop reading. */
export class NotAcceptingError extends Schema.TaggedError<NotAcceptingError>()("NotAcceptingError", {
  reason: Schema.Literals(["not-running", "overloaded", "store"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `Not accepting events (${this.reason}): ${this.detail}`
  }
}

export interface Capabilities {
  /** Only one process may hold the session: needs a leader among replicas (C13). */
  readonly exclusiveSession: boolean
  readonly contents: ReadonlySet<ContentTag>
  readonly typing: boolean
  readonly markRead: boolean
  /** A repeat under the same key is applied once by the transport (R11). */
  readonly clientIds: boolean
}

export type ConnectionState = "connecting" | "authenticating" | "ready" | "closed"
export interface Connection {
  readonly state: ConnectionState
  /** Why it is closed: `sessionTakenOver`, `auth`, …. */
  readonly reason?: string
}

/** Small provider state (cursors, button tokens, poll owners): kept in the bot's store, under the bot's own scope (R13). */
export interface ProviderState {
  readonly get: (key: string) => Effect.Effect<string | undefined, ProviderError>
  /** @param ttl how long it is kept; for ever when absent. Safe to repeat. */
  readonly set: (key: string, value: string, ttl?: Duration.Duration) => Effect.Effect<void, ProviderError>
}

/** What the bot offers a running provider. */
export interface ProviderHost {
  /**
   * Hands over a batch in the order it happened. Returns when every event is admitted; safe to repeat (dedupe).
   * Fails with `NotAcceptingError` before anything of the batch that was not yet admitted is taken.
   */
  readonly receive: (events: ReadonlyArray<InboundEvent>) => Effect.Effect<void, NotAcceptingError>
  readonly state: ProviderState
}

export interface ProviderShape {
  /** Stable: part of `provider:<id>` leadership and of stored state. */
  readonly id: string
  readonly capabilities: Capabilities
  /**
   * Starts receiving and returns when connected; closing the scope stops it for good within 5 s. Called again after a
   * stop. Fails with `ProviderError` when it cannot ever work as configured.
   */
  readonly start: (host: ProviderHost) => Effect.Effect<void, ProviderError, Scope.Scope>
  /** Sends one message. Interruptible; a cut call is reported as `Ambiguous` by the caller's deadline. */
  readonly send: (message: Outgoing) => Effect.Effect<Receipt, SendError>
  /** Best effort: shows "typing…" or marks a message read. */
  readonly presence: (
    chatId: string,
    signal: { readonly _tag: "typing"; readonly topic?: string } | { readonly _tag: "read"; readonly ref: Ref }
  ) => Effect.Effect<void, SendError>
  /** Bytes of a media somebody sent. */
  readonly download: (media: InboundMedia) => Effect.Effect<Uint8Array, SendError>
  /** The current connection, then each change. */
  readonly connection: Stream.Stream<Connection>
}

/** The transport of a bot. Source: G. */
export class Provider extends Context.Service<Provider, ProviderShape>()("@botmesh/core/Provider") {}
