/**
 * A handler as a value: what it waits for and what it does, with its errors and services in its type. The list given to
 * `Bot.make` is the registration order (A15: ties go to the first).
 */
import { type Effect, Schema, type Scope } from "effect"
import type { Chat } from "../chat/Chat.ts"
import type { Conv } from "../conversation/Conversation.ts"
import type { AnyFlow, Flow } from "../conversation/Flow.ts"
import * as Flows from "../conversation/Flow.ts"
import { type Pattern, toTriggers, type Trigger } from "../handlers/Trigger.ts"
import type { Outgoing, Receipt } from "../model/Content.ts"
import type { DurationInput } from "../model/Duration.ts"
import type { UserEffect } from "../model/Erased.ts"
import type {
  BodyType,
  ContactCard,
  GeoLocation,
  InboundCall,
  InboundDelete,
  InboundMedia,
  InboundPollVote,
  InboundReaction,
  SignalEvent
} from "../model/Event.ts"
import type { SendFailure, SendHookResult } from "../outbound/Send.ts"
import type { Failure } from "../inbound/InboundPort.ts"
import type { Plugin } from "./Plugin.ts"

export const HandlerTypeId: unique symbol = Symbol.for("@botmesh/core/Handler")

export type HandlerDef =
  | { readonly _tag: "when"; readonly triggers: ReadonlyArray<Trigger>; readonly run: (chat: Chat) => UserEffect }
  | {
      readonly _tag: "command"
      readonly name: string
      readonly description: string | undefined
      readonly run: (chat: Chat) => UserEffect
    }
  | {
      readonly _tag: "flow"
      readonly flow: AnyFlow
      readonly kind: "flow" | "conversation"
      readonly triggers: ReadonlyArray<Trigger>
    }
  | { readonly _tag: "onMessage"; readonly run: (chat: Chat) => UserEffect }
  | {
      readonly _tag: "before"
      readonly event: "message" | "call"
      readonly run: (chat: Chat) => UserEffect<Chat | void>
    }
  | { readonly _tag: "after"; readonly event: "message" | "call"; readonly run: (chat: Chat) => UserEffect }
  | { readonly _tag: "beforeSend"; readonly run: (message: Outgoing) => UserEffect<SendHookResult> }
  | {
      readonly _tag: "afterSend"
      readonly run: (sent: { readonly message: Outgoing; readonly receipt: Receipt }) => UserEffect
    }
  | {
      readonly _tag: "onFailure"
      readonly event: "message" | "call" | "any"
      readonly run: (failure: Failure) => UserEffect
    }
  | {
      readonly _tag: "failedSend"
      readonly run: (failed: FailedSend) => UserEffect
    }
  | {
      readonly _tag: "signal"
      readonly signal: SignalEvent["_tag"]
      readonly run: (input: { readonly chat: Chat; readonly event: SignalEvent }) => UserEffect
    }
  | { readonly _tag: "onIdle"; readonly after: DurationInput; readonly run: (chat: Chat) => UserEffect }
  | { readonly _tag: "plugin"; readonly plugin: Plugin<unknown, unknown> }

/** What a failed send was, and why it failed. */
export interface FailedSend {
  readonly message: Outgoing
  readonly error: SendFailure
}

export interface Handler<out E, out R> {
  readonly [HandlerTypeId]: { readonly e: () => E; readonly r: () => R }
  readonly def: HandlerDef
}
export type AnyHandler = Handler<any, any>
/** Distributed over the list, so that an empty one has no errors rather than unknown ones. */
export type ErrorOf<H extends ReadonlyArray<AnyHandler>> = ErrorIn<H[number]>
export type ServicesOf<H extends ReadonlyArray<AnyHandler>> = ServicesIn<H[number]>
type ErrorIn<A> = A extends Handler<infer E, any> ? E : never
type ServicesIn<A> = A extends Handler<any, infer R> ? R : never

/** @internal The phantom types exist for the compiler alone. */
export const handler = <E, R>(def: HandlerDef): Handler<E, R> => ({
  [HandlerTypeId]: { e: phantom, r: phantom },
  def
})
const phantom = (): never => {
  throw new Error("a phantom type has no value")
}

/**
 * What user code gives back. Its errors and services are taken off the whole type, so the branches of one function may be
 * different effects: `cond ? chat.reply("a") : chat.abortConversation`.
 */
export type Any = Effect.Effect<unknown, any, any>
export type Run<A extends Any> = (chat: Chat) => A
/** A handler with the errors and services of `A`. */
export type Of<A extends Any> = Handler<Effect.Error<A>, Effect.Services<A>>

/** Runs when the text (a list, a regex, a predicate) matches; by default the whole text in normal form (B1). */
export const when = <A extends Any>(pattern: Pattern, run: Run<A>): Of<A> =>
  handler({ _tag: "when", triggers: toTriggers(pattern), run })

/** Runs for `/name`, also in the middle of a conversation; `chat.args` has the words behind it (A12). */
export const command = <A extends Any>(
  name: string,
  run: Run<A>,
  options: { readonly description?: string } = {}
): Of<A> => handler({ _tag: "command", name: name.replace(/^\//u, ""), description: options.description, run })

/** A chat whose trigger promises more of the message (B25). */
export type MediaChat = Chat & { readonly media: InboundMedia }
export type LocationChat = Chat & { readonly location: GeoLocation }
export type ContactChat = Chat & { readonly contact: ContactCard }
export type ActionChat = Chat & { readonly payload: string }

const hasMedia = (chat: Chat): chat is MediaChat => chat.media !== undefined
const hasLocation = (chat: Chat): chat is LocationChat => chat.location !== undefined
const hasContact = (chat: Chat): chat is ContactChat => chat.contact !== undefined
const hasPayload = (chat: Chat): chat is ActionChat => chat.payload !== undefined

/** Runs for chats that are as the trigger promises; a transport that breaks the promise is passed by. */
const narrowed =
  <C extends Chat>(is: (chat: Chat) => chat is C, run: (chat: C) => Any): Run<Any> =>
  (chat) =>
    is(chat) ? run(chat) : chat.pass

/** Runs for a pressed button with this key, outside a conversation (B25). */
export const action = <A extends Any>(key: string, run: (chat: ActionChat) => A): Of<A> =>
  handler({ _tag: "when", triggers: [{ _tag: "action", id: key }], run: narrowed(hasPayload, run) })

/** Runs for the first message of a chat (A15). */
export const onWelcome = <A extends Any>(run: Run<A>): Of<A> =>
  handler({ _tag: "when", triggers: [{ _tag: "welcome" }], run })

/** Runs for messages of one type, or of any of several. Source: B2. */
export const onType = <A extends Any>(types: BodyType | ReadonlyArray<BodyType>, run: Run<A>): Of<A> =>
  typed(types, run)
/** The errors and services are those the caller's own `run` says: a narrowed one only adds that it may pass. */
const typed = <E, R>(types: BodyType | ReadonlyArray<BodyType>, run: Run<Any>): Handler<E, R> =>
  handler({
    _tag: "when",
    triggers: [{ _tag: "type", types: typeof types === "string" ? [types] : types }],
    run
  })

type RunMedia<A extends Any> = (chat: MediaChat) => A
/** Each runs for one kind of file; `chat.media` is there. Source: B2, B25. */
export const onImage = <A extends Any>(run: RunMedia<A>): Of<A> => typed("image", narrowed(hasMedia, run))
export const onVideo = <A extends Any>(run: RunMedia<A>): Of<A> => typed("video", narrowed(hasMedia, run))
export const onAudio = <A extends Any>(run: RunMedia<A>): Of<A> => typed("audio", narrowed(hasMedia, run))
export const onDocument = <A extends Any>(run: RunMedia<A>): Of<A> => typed("document", narrowed(hasMedia, run))
export const onSticker = <A extends Any>(run: RunMedia<A>): Of<A> => typed("sticker", narrowed(hasMedia, run))
/** Runs for any kind of file, behind the triggers of one kind. */
export const onMedia = <A extends Any>(run: RunMedia<A>): Of<A> =>
  typed(["image", "video", "gif", "audio", "document", "sticker"], narrowed(hasMedia, run))
/** Runs for a shared place; `chat.location` is there. */
export const onLocation = <A extends Any>(run: (chat: LocationChat) => A): Of<A> =>
  typed("location", narrowed(hasLocation, run))
/** Runs for a shared contact; `chat.contact` is there. */
export const onContact = <A extends Any>(run: (chat: ContactChat) => A): Of<A> =>
  typed("contact", narrowed(hasContact, run))

/** Runs when nothing else took the message (A16). */
export const onMessage = <A extends Any>(run: Run<A>): Of<A> => handler({ _tag: "onMessage", run })

type Signal<T extends SignalEvent, A extends Any> = (chat: Chat, event: T) => A
/** Runs for an incoming call (A20). */
export const onCall = <A extends Any>(run: Signal<InboundCall, A>): Of<A> =>
  handler({
    _tag: "signal",
    signal: "call",
    run: ({ chat, event }) => (event._tag === "call" ? run(chat, event) : chat.pass)
  })
/** Runs when somebody reacts to a message; an empty emoji took the reaction back. */
export const onReaction = <A extends Any>(run: Signal<InboundReaction, A>): Of<A> =>
  handler({
    _tag: "signal",
    signal: "reaction",
    run: ({ chat, event }) => (event._tag === "reaction" ? run(chat, event) : chat.pass)
  })
export const onPollVote = <A extends Any>(run: Signal<InboundPollVote, A>): Of<A> =>
  handler({
    _tag: "signal",
    signal: "pollVote",
    run: ({ chat, event }) => (event._tag === "pollVote" ? run(chat, event) : chat.pass)
  })

/** Runs when somebody takes a message back. */
export const onDelete = <A extends Any>(run: Signal<InboundDelete, A>): Of<A> =>
  handler({
    _tag: "signal",
    signal: "delete",
    run: ({ chat, event }) => (event._tag === "delete" ? run(chat, event) : chat.pass)
  })

/** Runs once a chat has been silent for `after`; every message starts the time again (B15). */
export const onIdle = <A extends Any>(after: DurationInput, run: Run<A>): Of<A> =>
  handler({ _tag: "onIdle", after, run })

type FlowTrigger = Pattern
/** Registers a flow; `trigger` starts it. */
export const flow = <S, E, R>(self: Flow<S, E, R>, options: { readonly trigger?: FlowTrigger } = {}): Handler<E, R> =>
  handler({
    _tag: "flow",
    flow: self,
    kind: "flow",
    triggers: options.trigger === undefined ? [] : toTriggers(options.trigger)
  })

export interface ConversationOptions {
  /** What starts it; its name when absent. False: only `trigger` and goto do. */
  readonly trigger?: FlowTrigger | false
  /** Keeps a checkpoint in the store: the conversation goes on after a restart (B5). */
  readonly persistent?: boolean
  /** How long each question waits that names no timeout of its own. */
  readonly timeout?: DurationInput
}
/**
 * A free-form conversation: a program with `c.ask`, `c.say`, `c.run`… It is a flow of one step, so it waits, times out
 * and moves like any other (B4).
 */
export const conversation = <A extends Any>(
  name: string,
  body: (c: Conv<{}>, chat: Chat) => A,
  options: ConversationOptions = {}
): Of<A> => {
  const made = Flows.make(name).pipe(
    // Whatever it comes to is let go.
    Flows.do("main", (c) => body(c, c.chat), { result: Schema.Unknown }),
    (self) => (options.persistent === true ? Flows.persistent(self) : self),
    (self) => (options.timeout === undefined ? self : Flows.timeout(options.timeout)(self))
  )
  return handler({
    _tag: "flow",
    flow: made,
    kind: "conversation",
    triggers: options.trigger === false ? [] : toTriggers(options.trigger ?? name)
  })
}

/** Registers everything a plugin brings, for as long as the bot lives. */
export const plugin = <E, R>(self: Plugin<E, R>): Handler<E, Exclude<R, Scope.Scope>> =>
  handler({ _tag: "plugin", plugin: self })
