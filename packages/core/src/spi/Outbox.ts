/**
 * The outbox half of the durability contract: one lane a conversation key. Every method is one atomic step.
 *
 * Invariants every backend keeps (the conformance suite cites them):
 * OUT1 of the sends with one id a lane has one, while it is unfinished and `markTtl` after; another content under a known
 *      id keeps the first and is told (R7, I11).
 * OUT2 a plan is stored whole or not at all, in its order, behind what the lane has (R11, I12).
 * OUT3 a plan under a lower fence than the key's is refused and changes nothing (R5, I2).
 * OUT4 an attempt takes the lane's oldest unfinished send and no other, and nobody else takes it before the attempt is
 *      reported or its deadline has passed (R11).
 * OUT5 an attempt whose deadline passed without a word is `unknown`: nothing of the lane goes out before it is resent,
 *      held, or known after all (R11, I11).
 * OUT6 only the last attempt of a send is heard; the same report again is a repeat.
 * OUT7 confirmed, refused, dead, held and dropped sends leave the lane.
 */
import type { Effect } from "effect"
import type { Json } from "../model/Json.ts"
import type { DurabilityError, Pending } from "./Durability.ts"
import type { BotScope, Page } from "./Store.ts"

/**
 * `refused`: the transport will not have it. `dead`: tried too often, or at once where trying is of no use (a closed 24 h
 * window). `held`: nobody knows whether it went out, and it is not to go out twice. `dropped`: an operator's decision.
 */
export type SendState = "planned" | "attempting" | "unknown" | "confirmed" | "refused" | "dead" | "held" | "dropped"

/** What is still in its lane. */
export const unfinished: ReadonlySet<SendState> = new Set<SendState>(["planned", "attempting", "unknown"])

/** What is to go out. `id` is stable over replays of its step (R1): conversation id, visit and op, or record, hash and count. */
export interface PlannedSend {
  readonly id: string
  /** What the sender needs, as plain JSON: target, content, topic. */
  readonly content: Json
}

/** What a plan found of one of its sends. */
export interface Standing {
  readonly id: string
  readonly state: SendState
  /** Stored by this plan; else it was known, which is how a replay sees what it did before. */
  readonly isNew: boolean
  /** Known with other content: the first is kept, and `outbox:diverged` is to be told (R7). */
  readonly diverged: boolean
  /** What the transport said, once confirmed. */
  readonly receipt: Json
}

export type PlanOutcome =
  | { readonly _tag: "planned"; readonly sends: ReadonlyArray<Standing> }
  | { readonly _tag: "superseded"; readonly fence: number }

export interface OutboxSend {
  readonly id: string
  readonly lane: string
  /** Grows along the lane, and is no less than the time it was given at. */
  readonly number: number
  /** Undefined when it cannot be read; that was logged. */
  readonly content: Json
  readonly state: SendState
  /** How often it was handed to the transport. */
  readonly attempts: number
  /** Names the last attempt: a report gives it back. "" before the first one. */
  readonly token: string
  /** How often it was sent again although it may have gone out (R11). */
  readonly resends: number
  /** ms since the epoch: not to be attempted before. */
  readonly due: number
  /** ms since the epoch: when the attempt in progress counts as unknown. */
  readonly until?: number
  readonly receipt?: Json
  /** What was said when it failed last. */
  readonly detail?: string
  /** ms since the epoch. */
  readonly plannedAt: number
  readonly changedAt: number
}

export type Attempted =
  /** Hand it to the transport and report it before its deadline. `left`: more of the lane are behind it. */
  | { readonly _tag: "attempt"; readonly send: OutboxSend; readonly left: boolean }
  /** An attempt ended without a word: resend, hold or confirm it, then ask again. */
  | { readonly _tag: "unknown"; readonly send: OutboxSend }
  /** The oldest backs off or is being attempted until then (ms since the epoch). */
  | { readonly _tag: "waiting"; readonly until: number }
  | { readonly _tag: "empty" }

/** How an attempt ended. `later`: it waits until `due` (ms since the epoch) and keeps its place. */
export type Report =
  | { readonly _tag: "confirmed"; readonly receipt: Json }
  | { readonly _tag: "later"; readonly due: number; readonly detail: string }
  | { readonly _tag: "refused" | "dead" | "unknown"; readonly detail: string }

/** A lane whose oldest unfinished send wants something done: an attempt, or a decision on an unknown one. */
export interface DueLane {
  readonly lane: string
  readonly due: number
}

export interface Outbox {
  /** Stores what a step sends, under its turn's fence. Safe to repeat. OUT1 to OUT3. Source: D2. */
  readonly plan: (
    bot: BotScope,
    lane: string,
    fence: number,
    sends: ReadonlyArray<PlannedSend>
  ) => Effect.Effect<PlanOutcome, DurabilityError>
  /**
   * Takes the lane's oldest unfinished send, for the turn and for workers alike. OUT4, OUT5.
   * @param until ms since the epoch: the attempt's deadline
   */
  readonly attempt: (bot: BotScope, lane: string, until: number) => Effect.Effect<Attempted, DurabilityError>
  /** Reports an attempt by its token. False: it is not the last one, or too late; nothing changed. Safe to repeat. OUT6, OUT7. */
  readonly report: (
    bot: BotScope,
    lane: string,
    id: string,
    token: string,
    report: Report
  ) => Effect.Effect<boolean, DurabilityError>
  /** An unknown send is planned again in its place; counted. False: it is not unknown. Source: R11. */
  readonly resend: (bot: BotScope, lane: string, id: string) => Effect.Effect<boolean, DurabilityError>
  /** An unknown send leaves the lane. False: it is not unknown. Source: R11. */
  readonly hold: (bot: BotScope, lane: string, id: string) => Effect.Effect<boolean, DurabilityError>
  /** Lanes whose oldest unfinished send is due by `before` (ms since the epoch), each once; a page may be short. @param limit 1 to 1,000 */
  readonly due: (
    bot: BotScope,
    options: { readonly before: number; readonly limit: number; readonly after?: string }
  ) => Effect.Effect<Page<DueLane>, DurabilityError>
  /** Sends of a state by number, each once; a page may be short, only a missing `next` ends the list. @param limit 1 to 1,000 */
  readonly list: (
    bot: BotScope,
    options: { readonly state: SendState; readonly limit: number; readonly after?: string }
  ) => Effect.Effect<Page<OutboxSend>, DurabilityError>
  readonly find: (bot: BotScope, lane: string, id: string) => Effect.Effect<OutboxSend | undefined, DurabilityError>
  /** A refused, dead or held send is planned again at the end of its lane. False: it is none of these. */
  readonly requeue: (bot: BotScope, lane: string, id: string) => Effect.Effect<boolean, DurabilityError>
  /** Takes a send out for good, unless it is being attempted or has gone out. Its id stays known. False: it is not possible. */
  readonly drop: (bot: BotScope, lane: string, id: string) => Effect.Effect<boolean, DurabilityError>
  readonly counts: (bot: BotScope) => Effect.Effect<Pending, DurabilityError>
}

/**
 * What a report does to a send whose last attempt it names: it is heard, it has been heard already, or it comes too late.
 * A word of the transport that comes after the deadline is still the truth, until another attempt has begun (OUT6).
 */
export const heard = (state: SendState, report: Report["_tag"]): "apply" | "repeat" | "late" => {
  if (state === "attempting") return "apply"
  if (state === report || (state === "planned" && report === "later")) return "repeat"
  if (report === "confirmed") return state === "unknown" || state === "planned" || state === "held" ? "apply" : "late"
  return state === "unknown" ? "apply" : "late"
}
