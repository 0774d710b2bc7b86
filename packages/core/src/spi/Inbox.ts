/**
 * The inbox half of the durability contract. Every method is one atomic step.
 *
 * Invariants every backend keeps (the conformance suite cites them):
 * IN1 of the records with one dedupe key there is one, while it is open or dead and `markTtl` longer (R15).
 * IN2 records of a key are numbered as they were recorded; a claim takes the oldest open one, whoever recorded it, and one
 *     under each fence (R4, I5).
 * IN3 while the oldest backs off nothing later of its key is claimed (R4).
 * IN4 a fence never goes back: whatever comes under a lower one is refused and changes nothing (R5, I2).
 * IN5 only the claim that stands signs a record off; the same sign-off again is a repeat (I10).
 * IN6 a claim is stored before it is answered. A record found claimed by an owner that is gone is charged one crash; from 3
 *     on it is to run alone, at 6 it is dead (R14).
 * IN7 a dead record frees its key's queue, and stays until it is requeued, at the end of the queue, or dropped (D1).
 */
import type { Effect } from "effect"
import type { InboundEvent } from "../model/Event.ts"
import type { DurabilityError, Pending } from "./Durability.ts"
import type { BotScope, Page } from "./Store.ts"

/** What came of recording an event. `duplicate`: a record of it exists or existed, whatever memory says (R15). */
export type Recorded =
  | { readonly _tag: "recorded"; readonly id: string }
  | { readonly _tag: "duplicate"; readonly id: string }

/** Who takes a record: the turn's fence, and the incarnation that holds the turn. */
export interface Claimant {
  readonly fence: number
  readonly owner: string
}

/** Why a record is dead: it failed too often, or it took its process with it. */
export type DeathReason = "attempts" | "crashes"

export interface Death {
  readonly reason: DeathReason
  readonly detail: string
  /** ms since the epoch. */
  readonly at: number
}

export interface InboxRecord {
  readonly id: string
  readonly key: string
  /** Grows along the key's queue, and is no less than the time it was given at: numbers stay apart for ever. */
  readonly number: number
  /** Undefined when it cannot be read; that was logged. Bury it, or it stays in the way. */
  readonly event: InboundEvent | undefined
  /** ms since the epoch. */
  readonly recordedAt: number
  /** Failures that were reported. */
  readonly attempts: number
  /** Owners that vanished while they ran it. From `crashesAlone` on it must run alone on its replica (R14). */
  readonly crashes: number
  /** ms since the epoch: not to be claimed before. */
  readonly due: number
  readonly claim?: Claimant & { readonly at: number }
  readonly death?: Death
}

/** Crashes from which a record runs alone, and crashes at which it is dead: three more, alone (R14). */
export const crashesAlone = 3
export const crashesDead = 6
/** What a record that died of its crashes says. */
export const crashDetail = (crashes: number): string => `its process ended ${crashes} times while it ran`

export type Claimed =
  /** `left`: more of the key are open behind it. */
  | { readonly _tag: "claimed"; readonly record: InboxRecord; readonly left: boolean }
  /** It was charged its last crash just now and is dead: tell it, and claim again. */
  | { readonly _tag: "buried"; readonly record: InboxRecord }
  /** The oldest backs off until then (ms since the epoch). */
  | { readonly _tag: "waiting"; readonly until: number }
  | { readonly _tag: "empty" }
  /** This fence has had its record: the turn is over. */
  | { readonly _tag: "spent" }
  | { readonly _tag: "superseded"; readonly fence: number }

export interface ReleaseOptions {
  /** The fence it was claimed under; absent for one that never was: then nothing changes. */
  readonly fence?: number
  /** A reported failure: counts as an attempt (R14). Release by suspension or lease loss is none. */
  readonly failed?: boolean
  /** ms since the epoch: not to be claimed before. Default: at once. */
  readonly due?: number
}

/** A key with open records whose oldest is due. */
export interface DueInbox {
  readonly key: string
  readonly due: number
  /** Who runs the oldest, if somebody took it: it is only of use when that owner is gone. */
  readonly owner?: string
}

export interface Listing {
  readonly state: "open" | "dead"
  /** 1 to 1,000 */
  readonly limit: number
  readonly after?: string
}

export interface Inbox {
  /** Journals an admitted event before it is stored or handled; numbers it. IN1, IN2. Source: A5, D1. */
  readonly record: (
    bot: BotScope,
    key: string,
    message: { readonly event: InboundEvent; readonly dedupe: string }
  ) => Effect.Effect<Recorded, DurabilityError>
  /** Takes the oldest open record of a key under the fence of its turn. The same claimant gets the same record. IN2 to IN6. */
  readonly claim: (bot: BotScope, key: string, by: Claimant) => Effect.Effect<Claimed, DurabilityError>
  /** The record's effect is stored: it is never handled again (I10). False: refused, it is not ours. Safe to repeat. IN5. */
  readonly ack: (bot: BotScope, key: string, id: string, fence: number) => Effect.Effect<boolean, DurabilityError>
  /** Gives the record back to be handled again; it keeps its place. False: refused, it is not ours. Safe to repeat. IN5. */
  readonly release: (
    bot: BotScope,
    key: string,
    id: string,
    options?: ReleaseOptions
  ) => Effect.Effect<boolean, DurabilityError>
  /** Puts a claimed record aside for good. False: refused, it is not ours. Safe to repeat. IN5, IN7. */
  readonly dead: (
    bot: BotScope,
    key: string,
    id: string,
    fence: number,
    death: { readonly reason: DeathReason; readonly detail: string }
  ) => Effect.Effect<boolean, DurabilityError>
  /** Keys whose oldest open record is due by `before` (ms since the epoch), each once; a page may be short. @param limit 1 to 1,000 */
  readonly due: (
    bot: BotScope,
    options: { readonly before: number; readonly limit: number; readonly after?: string }
  ) => Effect.Effect<Page<DueInbox>, DurabilityError>
  /** Records of a state by number, each once; a page may be short, only a missing `next` ends the list. */
  readonly list: (bot: BotScope, options: Listing) => Effect.Effect<Page<InboxRecord>, DurabilityError>
  readonly find: (bot: BotScope, key: string, id: string) => Effect.Effect<InboxRecord | undefined, DurabilityError>
  /** Opens a dead record again at the end of its key's queue, its attempts and crashes forgotten. False: it is not dead. */
  readonly requeue: (bot: BotScope, key: string, id: string) => Effect.Effect<boolean, DurabilityError>
  /** Deletes a dead record, or an open one that nobody runs. False: there is none. Its repeats are still refused (IN1). */
  readonly drop: (bot: BotScope, key: string, id: string) => Effect.Effect<boolean, DurabilityError>
  readonly counts: (bot: BotScope) => Effect.Effect<Pending, DurabilityError>
}
