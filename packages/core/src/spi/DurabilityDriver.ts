/**
 * What the author of a durability backend implements: rows in, rows out, no codecs and no clock of its own.
 * `durabilityFromDriver` lifts it once, so every backend reads and refuses the same way.
 *
 * Each method is one atomic step on the rows of one key, which the key's fence guards: the fence stands in the row that
 * step locks (R5). Every method is safe to repeat after a lost reply; the ids and tokens that make it so come from the
 * caller. `now` is ms since the epoch. The rules stand in `Inbox` (IN1 to IN7) and `Outbox` (OUT1 to OUT7).
 */
import type { Effect } from "effect"
import type { DurabilityError, DurabilityShape } from "./Durability.ts"
import type { Claimant, DeathReason, Inbox, Listing, ReleaseOptions } from "./Inbox.ts"
import type { Outbox, SendState } from "./Outbox.ts"
import type { BotScope, Page } from "./Store.ts"

export interface InboxRow {
  readonly id: string
  readonly key: string
  readonly number: number
  /** JSON text of the event. */
  readonly event: string
  readonly recordedAt: number
  readonly attempts: number
  readonly crashes: number
  readonly due: number
  readonly claimFence: number | null
  readonly claimOwner: string | null
  readonly claimedAt: number | null
  /** Of a dead record. */
  readonly reason: string | null
  readonly detail: string | null
  readonly diedAt: number | null
}

export type ClaimedRow =
  | { readonly _tag: "claimed"; readonly row: InboxRow; readonly left: boolean }
  | { readonly _tag: "buried"; readonly row: InboxRow }
  | { readonly _tag: "waiting"; readonly until: number }
  | { readonly _tag: "empty" | "spent" }
  | { readonly _tag: "superseded"; readonly fence: number }

export interface InboxDriver extends Pick<Inbox, "due" | "requeue" | "drop" | "counts"> {
  /** `id` is the caller's: the same one again is a repeat, and "recorded". With `dedupe` "" nothing is a duplicate. */
  readonly record: (
    bot: BotScope,
    key: string,
    row: { readonly id: string; readonly dedupe: string; readonly event: string },
    now: number
  ) => Effect.Effect<{ readonly isNew: boolean; readonly id: string }, DurabilityError>
  readonly claim: (bot: BotScope, key: string, by: Claimant, now: number) => Effect.Effect<ClaimedRow, DurabilityError>
  readonly ack: (
    bot: BotScope,
    key: string,
    id: string,
    fence: number,
    now: number
  ) => Effect.Effect<boolean, DurabilityError>
  readonly release: (
    bot: BotScope,
    key: string,
    id: string,
    options: Required<ReleaseOptions>
  ) => Effect.Effect<boolean, DurabilityError>
  readonly dead: (
    bot: BotScope,
    key: string,
    id: string,
    fence: number,
    death: { readonly reason: DeathReason; readonly detail: string },
    now: number
  ) => Effect.Effect<boolean, DurabilityError>
  readonly list: (bot: BotScope, options: Listing) => Effect.Effect<Page<InboxRow>, DurabilityError>
  readonly find: (bot: BotScope, key: string, id: string) => Effect.Effect<InboxRow | undefined, DurabilityError>
}

export interface SendRow {
  readonly id: string
  readonly lane: string
  readonly number: number
  /** JSON text. */
  readonly content: string
  readonly state: SendState
  readonly attempts: number
  readonly resends: number
  readonly due: number
  readonly until: number | null
  readonly token: string
  /** JSON text, once confirmed. */
  readonly receipt: string | null
  readonly detail: string | null
  readonly plannedAt: number
  readonly changedAt: number
}

/** A send to be planned. `hash` tells another content under the same id. */
export interface PlanRow {
  readonly id: string
  readonly content: string
  readonly hash: string
}

export interface StandingRow {
  readonly id: string
  readonly state: SendState
  readonly isNew: boolean
  readonly diverged: boolean
  readonly receipt: string | null
}

export type PlanRows =
  | { readonly _tag: "planned"; readonly sends: ReadonlyArray<StandingRow> }
  | { readonly _tag: "superseded"; readonly fence: number }

export type AttemptedRow =
  | { readonly _tag: "attempt"; readonly row: SendRow; readonly left: boolean }
  | { readonly _tag: "unknown"; readonly row: SendRow }
  | { readonly _tag: "waiting"; readonly until: number }
  | { readonly _tag: "empty" }

/** A report as columns; `due` is that of `later`, else 0. */
export interface ReportRow {
  readonly tag: "confirmed" | "later" | "refused" | "dead" | "unknown"
  readonly receipt: string | null
  readonly detail: string | null
  readonly due: number
}

export interface OutboxDriver extends Pick<Outbox, "due" | "counts"> {
  readonly plan: (
    bot: BotScope,
    lane: string,
    fence: number,
    sends: ReadonlyArray<PlanRow>,
    now: number
  ) => Effect.Effect<PlanRows, DurabilityError>
  /** A repeat with the token of the attempt in progress gets that attempt. */
  readonly attempt: (
    bot: BotScope,
    lane: string,
    by: { readonly token: string; readonly until: number },
    now: number
  ) => Effect.Effect<AttemptedRow, DurabilityError>
  /** By the table of `heard`. */
  readonly report: (
    bot: BotScope,
    lane: string,
    id: string,
    token: string,
    report: ReportRow,
    now: number
  ) => Effect.Effect<boolean, DurabilityError>
  /** resend, hold, requeue, drop: from the states each allows. */
  readonly decide: (
    bot: BotScope,
    lane: string,
    id: string,
    decision: Decision,
    now: number
  ) => Effect.Effect<boolean, DurabilityError>
  readonly list: (
    bot: BotScope,
    options: { readonly state: SendState; readonly limit: number; readonly after?: string }
  ) => Effect.Effect<Page<SendRow>, DurabilityError>
  readonly find: (bot: BotScope, lane: string, id: string) => Effect.Effect<SendRow | undefined, DurabilityError>
}

export type Decision = "resend" | "hold" | "requeue" | "drop"

/** The states a decision is taken from. */
export const decidable: Readonly<Record<Decision, ReadonlySet<SendState>>> = {
  resend: new Set<SendState>(["unknown"]),
  hold: new Set<SendState>(["unknown"]),
  requeue: new Set<SendState>(["refused", "dead", "held"]),
  drop: new Set<SendState>(["planned", "unknown", "refused", "dead", "held"])
}

export interface DurabilityDriver extends Pick<DurabilityShape, "name"> {
  readonly inbox: InboxDriver
  readonly outbox: OutboxDriver
  readonly raiseFence: (bot: BotScope, key: string, fence: number, now: number) => Effect.Effect<void, DurabilityError>
}
