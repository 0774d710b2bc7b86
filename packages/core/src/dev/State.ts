/** What `/state` says: where a person stands, live or stored, and their profile. */
import { Effect } from "effect"
import type { ConversationInfo } from "../conversation/Runtime.ts"
import { keyOf } from "../inbound/Key.ts"
import type { Checkpoint } from "../model/Checkpoint.ts"
import type { BotScope, StoreError, StoreShape } from "../spi/Store.ts"
import { chatOf, type Person } from "./Chats.ts"

const doing: Readonly<Record<ConversationInfo["state"], string>> = {
  waiting: "waits for",
  sleeping: "sleeps",
  running: "is running",
  cut: "was cut and will go on",
  handoff: "is parked while a person has the chat"
}

const liveLine = (info: ConversationInfo): string => {
  const what = info.accepts === undefined ? doing[info.state] : `${doing[info.state]} "${info.accepts}"`
  const queued = info.queued === 0 ? "" : `, ${info.queued} messages kept`
  return `conversation: ${info.flow}, step ${info.step}, ${what}${queued}`
}

const storedLine = (checkpoint: Checkpoint): string => {
  const { wait } = checkpoint
  const what =
    wait === undefined
      ? "goes on with the next message"
      : `${wait.kind === "ask" ? "waits for" : wait.kind} "${wait.op}"`
  return `conversation: ${checkpoint.flow}, step ${checkpoint.stepId}, ${what} (stored, not live)`
}

export interface StateOf {
  readonly store: StoreShape
  readonly scope: BotScope
  readonly perParticipant: boolean
  readonly live: ReadonlyArray<ConversationInfo>
}

/** The lines for this person in the chat they are in. */
export const stateOf = Effect.fnUntraced(function* (
  person: Person,
  bot: StateOf
): Effect.fn.Return<string, StoreError> {
  const { live, perParticipant, scope, store } = bot
  const key = keyOf({ from: chatOf(person), sender: person.name, isGroup: person.group }, perParticipant)
  const found = live.find((info) => info.key === key)
  const { checkpoint } = found === undefined ? yield* store.getCheckpoint(scope, key) : {}
  const conversation =
    found !== undefined ? liveLine(found) : checkpoint === undefined ? "conversation: none" : storedLine(checkpoint)
  const handoff = yield* store.handoff(scope, chatOf(person))
  const profile = Object.entries(yield* store.profile(scope, person.name)).map(
    ([field, value]) => `  ${field} = ${JSON.stringify(value)}`
  )
  return [
    `${person.name}, in ${person.group ? "the group chat" : "a chat of their own"}`,
    conversation,
    ...(handoff === undefined
      ? []
      : [`the chat is held by ${handoff.by ?? "a person"}${handoff.note === undefined ? "" : `: ${handoff.note}`}`]),
    ...(profile.length === 0 ? ["profile: empty"] : ["profile:", ...profile])
  ].join("\n")
})
