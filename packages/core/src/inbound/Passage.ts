/** What travels through the message pipeline: one object a message, filled by the stages in turn. */
import type { Chat, LangSource } from "../chat/Chat.ts"
import type { Live, Settled } from "../conversation/Live.ts"
import type { UserProfile } from "../chat/UserProfile.ts"
import type { DropReason } from "../model/DropReason.ts"
import type { InboundEvent, MessageEvent } from "../model/Event.ts"
import type { Turn, TurnHolder } from "../outbound/Turn.ts"
import type { Checkpoint } from "../model/Checkpoint.ts"
import type { Handoff } from "../spi/Store.ts"
import type { DedupeMark, Lane } from "./InboundPort.ts"

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
  /** Messages applied to a conversation that has ended: one that comes again is not new (R7). */
  readonly applied: ReadonlyArray<string>
}

export interface Language {
  readonly lang: string
  readonly source: LangSource
}

/** Is the holder of its own turn: the chat's acts go through it. */
export class Passage implements TurnHolder {
  readonly event: MessageEvent
  readonly key: string
  readonly lane: Lane
  /** The dedupe key it holds; `undefined` without an id, or without dedupe. */
  readonly mark: DedupeMark | undefined
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
  /** Counted once: as handled, or as dropped (I24). `following`: handled, but for what it asked to follow in its turn (R18). */
  fate: "open" | "following" | "handled" | "dropped" = "open"
  /** Its effect is not stored: its record is released, not acked (I10). */
  unsettled = false

  constructor(event: MessageEvent, lane: Lane, mark: DedupeMark | undefined, arrivedAt: number) {
    this.event = event
    this.lane = lane
    this.key = lane.key
    this.mark = mark
    this.arrivedAt = arrivedAt
  }
  get ticket(): string {
    return this.lane.ticket
  }
}

interface Drops {
  readonly dropped: (event: InboundEvent, reason: DropReason) => void
}

/** Counts and tells a drop, unless the message has its fate already (I24). Safe to repeat. */
export const drop = (port: Drops, passage: Passage, reason: DropReason): void => {
  if (passage.fate !== "open") return
  passage.fate = "dropped"
  port.dropped(passage.event, reason)
}
