/** What becomes of a conversation that cannot go on where it stood: its code has changed, or it could not be stored (C18). */
import type { Effect } from "effect"
import type { SavedMessage } from "../model/Checkpoint.ts"
import type { Chat } from "./Chat.ts"

/** What is known of it. */
export interface HandoverInfo {
  readonly key: string
  readonly flow: string
  /** Names the run. */
  readonly id: string
  readonly step: string
  /** `changed`: other code; `state`: its state is not plain JSON; `log`: its log was over its limit; `expired`: too late. */
  readonly reason: "changed" | "state" | "log" | "expired"
  /** The state at the entry of its step, encoded to JSON; empty when it could not be stored. */
  readonly state: Readonly<Record<string, unknown>>
  /** The message that started it. */
  readonly origin: SavedMessage
}

/**
 * `drop`: the message that met it is routed as new. `notify`: the person is told, and the message is consumed. `restart`:
 * its flow begins again with the state it began with. A function decides itself: true when it consumed the message.
 */
export type HandoverFallback =
  | "drop"
  | "notify"
  | "restart"
  | ((info: HandoverInfo, chat: Chat) => Effect.Effect<boolean, unknown>)
