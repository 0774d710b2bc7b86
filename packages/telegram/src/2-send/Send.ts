/**
 * Sends one message: plan → keys of buttons → the calls in order → what votes need. Every part's ref is in the receipt.
 */
import { type Duration, Effect } from "effect"
import {
  type Outgoing,
  type ProviderState,
  type Receipt,
  type Ref,
  type SendReason,
  Transient
} from "@botmesh/core/spi"
import * as Buttons from "../Buttons.ts"
import type { Api } from "../native/Api.ts"
import * as Polls from "../Polls.ts"
import type { Plan } from "./Call.ts"
import { type Performed, perform } from "./Perform.ts"
import { plan } from "./Plan.ts"
import * as Progress from "./Progress.ts"

export interface Sender {
  readonly api: Api
  /** The bot's small state; undefined before the first start. */
  readonly state: () => ProviderState | undefined
  readonly buttonTtl: Duration.Duration
  readonly pollTtl: Duration.Duration
}

const storeFailed = (error: { readonly detail: string }): SendReason =>
  new Transient({ detail: `state: ${error.detail}` })

const notStarted: Effect.Effect<never, SendReason> = Effect.fail(
  new Transient({ detail: "shortened buttons need a started provider" })
)

/** Ahead of the call: a button must not be shown before its key can be found. */
const keepKeys = (sender: Sender, keys: ReadonlyArray<string>): Effect.Effect<void, SendReason> => {
  const long = keys.filter((key) => Buttons.dataOf(key) !== key)
  if (long.length === 0) return Effect.void
  const state = sender.state()
  return state === undefined
    ? notStarted
    : Effect.mapError(Buttons.remember(state, long, sender.buttonTtl), storeFailed)
}

/** The poll is out: failing the send now would send it twice, so a lost row costs its votes and is reported. */
const keepPoll = (sender: Sender, message: Outgoing, made: Performed): Effect.Effect<void> => {
  const state = sender.state()
  if (made.pollId === undefined || state === undefined) return Effect.void
  const topic = message.topic === undefined ? {} : { topic: message.topic }
  const place = { from: made.ref.chatId, isGroup: made.isGroup, ...topic }
  return Effect.catch(Polls.remember(state, made.pollId, place, sender.pollTtl), (error) =>
    Effect.logWarning("telegram: votes of a poll will not be told", { detail: error.detail })
  )
}

const notePart = (state: ProviderState, key: string, refs: ReadonlyArray<Ref>): Effect.Effect<void> =>
  Effect.catch(Progress.note(state, key, refs), (error) =>
    Effect.logWarning("telegram: a repeat of this message would start over", { detail: error.detail })
  )

const deliver = Effect.fnUntraced(function* (sender: Sender, message: Outgoing, { calls }: Plan) {
  const state = sender.state()
  const key = calls.length > 1 && state !== undefined ? message.key : undefined
  const former =
    key === undefined || state === undefined ? [] : yield* Effect.mapError(Progress.done(state, key), storeFailed)
  const refs: Array<Ref> = [...former]
  for (const call of calls.slice(former.length)) {
    const made = yield* perform(sender.api, refs.at(-1)?.chatId ?? message.chatId, call)
    refs.push(made.ref)
    yield* keepPoll(sender, message, made)
    if (key !== undefined && state !== undefined) yield* notePart(state, key, refs)
  }
  return refs
})

const receipt = (message: Outgoing, refs: ReadonlyArray<Ref>): Receipt => {
  const [ref = { id: "", chatId: message.chatId }] = refs
  return refs.length > 1 ? { ref, parts: refs } : { ref }
}

/** Not safe to repeat in general: a message of one part that ended `Ambiguous` may be there already. */
export const send = Effect.fnUntraced(function* (sender: Sender, message: Outgoing) {
  const planned = yield* Effect.fromResult(plan(message))
  yield* keepKeys(sender, planned.keys)
  const refs = yield* deliver(sender, message, planned)
  return receipt(message, refs)
})
