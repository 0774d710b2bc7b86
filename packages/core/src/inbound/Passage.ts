/** What travels through the message pipeline: one object a message, filled by the stages in turn. */
import type { Chat, LangSource } from "../chat/Chat.ts"
import type { Live, Settled } from "../conversation/Live.ts"
import type { UserProfile } from "../chat/UserProfile.ts"
import type { DropReason } from "../model/DropReason.ts"
import type { MessageEvent } from "../model/Event.ts"
import type { Turn, TurnHolder } from "../outbound/Turn.ts"
import type { Checkpoint } from "../model/Checkpoint.ts"
import type { Handoff } from "../spi/Store.ts"

/** What a stage of the routing decides. The set is closed: nothing else can happen. */
export type Verdict =
  | { readonly _tag: "consumed"; readonly by: string }
  | { readonly _tag: "passed" }
  | { readonly _tag: "stopped"; readonly reason: DropReason }

export const passed: Verdict = { _tag: "passed" }

/** What this process knows of a key: good as long as nobody else held its turn (R6). */
export interface View {
  handoff: Handoff | undefined
  readonly user: UserProfile
  /** A stored conversation without a live copy here. */
  dormant: Checkpoint | undefined
}

export interface Language {
  readonly lang: string
  readonly source: LangSource
}

/** Is the holder of its own turn: the chat's acts go through it. */
export class Passage implements TurnHolder {
  readonly event: MessageEvent
  readonly key: string
  readonly dedupeKey: string
  /** ms since the epoch: when it took its ticket (R24). */
  readonly arrivedAt: number
  turn: Turn | undefined = undefined
  /** Its phases are done: what comes after is only the release. */
  closed = false
  view: View | undefined = undefined
  chat: Chat | undefined = undefined
  firstContact = false
  /** The journal's record; "" without durability. */
  record = ""
  /** What a conversation did last in this turn; settled at the close. */
  drive: { readonly live: Live; readonly settled: Settled } | undefined = undefined
  /** Reported as dropped: it is not counted as handled too (I24). */
  dropped = false

  constructor(event: MessageEvent, key: string, dedupeKey: string, arrivedAt: number) {
    this.event = event
    this.key = key
    this.dedupeKey = dedupeKey
    this.arrivedAt = arrivedAt
  }
}
