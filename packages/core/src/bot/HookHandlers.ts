/** Hooks as handlers: before and after a message, a send or a call, and when one of them failed. Source: B7. */
import type { Effect } from "effect"
import type { Chat } from "../chat/Chat.ts"
import type { Failure } from "../inbound/InboundPort.ts"
import type { Outgoing, Receipt } from "../model/Content.ts"
import type { UserEffect } from "../model/Erased.ts"
import type { SendHookResult } from "../outbound/Send.ts"
import { type Any, type AnyHandler, type FailedSend, handler, type Of, type Run } from "./Handler.ts"

/** Runs before every message or call: returns a changed chat, or nothing; `chat.stop` ends it there (A10, B7). */
export function before<A extends Effect.Effect<Chat | void, any, any>>(
  event: "message" | "call",
  run: (chat: Chat) => A
): Of<A>
export function before<A extends Effect.Effect<SendHookResult, any, any>>(
  event: "send",
  run: (message: Outgoing) => A
): Of<A>
export function before(
  ...[event, run]:
    | readonly ["message" | "call", (chat: Chat) => UserEffect<Chat | void>]
    | readonly ["send", (message: Outgoing) => UserEffect<SendHookResult>]
): AnyHandler {
  return event === "send" ? handler({ _tag: "beforeSend", run }) : handler({ _tag: "before", event, run })
}

/** Runs after every message, call or successful send (B7). */
export function after<A extends Any>(event: "message" | "call", run: Run<A>): Of<A>
export function after<A extends Any>(
  event: "send",
  run: (sent: { readonly message: Outgoing; readonly receipt: Receipt }) => A
): Of<A>
export function after(
  ...[event, run]:
    | readonly ["message" | "call", (chat: Chat) => UserEffect]
    | readonly ["send", (sent: { readonly message: Outgoing; readonly receipt: Receipt }) => UserEffect]
): AnyHandler {
  return event === "send" ? handler({ _tag: "afterSend", run }) : handler({ _tag: "after", event, run })
}

/**
 * Runs when anything of a message or a call failed, whatever it was; with `"send"`, when a message did not go out. It
 * only watches: typed recovery is `Bot.onError`. Source: A19, B7.
 */
export function onFailure<A extends Any>(run: (failure: Failure) => A): Of<A>
export function onFailure<A extends Any>(event: "message" | "call", run: (failure: Failure) => A): Of<A>
export function onFailure<A extends Any>(event: "send", run: (failed: FailedSend) => A): Of<A>
export function onFailure(
  ...args:
    | readonly [(failure: Failure) => UserEffect]
    | readonly ["message" | "call", (failure: Failure) => UserEffect]
    | readonly ["send", (failed: FailedSend) => UserEffect]
): AnyHandler {
  if (args.length === 1) return handler({ _tag: "onFailure", event: "any", run: args[0] })
  return args[0] === "send"
    ? handler({ _tag: "failedSend", run: args[1] })
    : handler({ _tag: "onFailure", event: args[0], run: args[1] })
}
