/**
 * The durability contract: the inbox keeps what came in until it is handled, the outbox what must go out until its fate is
 * known. Without a backend (`none`) a record is nothing but the event, and ack and release do nothing; the engine calls
 * them all the same, in the same order (A5, I10).
 *
 * Callers use `Durability`; authors implement `DurabilityDriver` (encoded rows) and lift it with `durabilityFromDriver`.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { Inbox } from "./Inbox.ts"
import type { Outbox } from "./Outbox.ts"
import type { BotScope } from "./Store.ts"

/** `invalid`: what was asked cannot be stored. `corrupt`: a stored row cannot be read; it was left as it is. */
export class DurabilityError extends Schema.TaggedError<DurabilityError>()("DurabilityError", {
  operation: Schema.String,
  reason: Schema.Literals(["unavailable", "busy", "corrupt", "invalid"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `Durability ${this.operation} failed (${this.reason}): ${this.detail}`
  }
  get isRetryable(): boolean {
    return this.reason === "unavailable" || this.reason === "busy"
  }
}

/** How many of each kind a bot has, and since when the oldest of what is pending waits (ms since the epoch). Source: I24. */
export interface Pending {
  readonly pending: number
  /** Dead letters; of the outbox also what was refused or is held. */
  readonly dead: number
  readonly oldest?: number
}

export interface DurabilityShape {
  readonly name: string
  /** Whether a message survives the process: decides what losing a turn means (R23). */
  readonly durable: boolean
  readonly inbox: Inbox
  /** Undefined without a backend: a send goes straight to the transport. */
  readonly outbox: Outbox | undefined
  /**
   * Makes every claim, sign-off and plan of the key under a lower fence be refused from now on. `claim` and `plan` do it
   * by themselves; a turn that begins with neither over a holder that did not release does it first (R5). Safe to repeat.
   */
  readonly raiseFence: (bot: BotScope, key: string, fence: number) => Effect.Effect<void, DurabilityError>
}

/** Keeps what came in and what must go out. Source: D1, D2. */
export class Durability extends Context.Service<Durability, DurabilityShape>()("@botmesh/core/Durability") {}

/** How long what was handled or sent stays known, so that a repeat is told: as long as a tombstone (R7, R15). Seven days. */
export const markTtl = 7 * 24 * 60 * 60 * 1000

/** How long failures make something wait. Durations in ms. Source: D1, D2. */
export interface Backoff {
  readonly base: number
  readonly cap: number
}

/** The wait after the `attempt`-th failure (from 1), in ms: `base`, doubled each time, `cap` at most. */
export const backoffDelay = ({ base, cap }: Backoff, attempt: number): number =>
  Math.min(cap, base * 2 ** Math.min(Math.max(0, attempt - 1), 52))

const nothing = { items: [] }

/** No journal: a message lives in memory only. */
export const none: DurabilityShape = {
  name: "none",
  durable: false,
  inbox: {
    record: () => Effect.succeed({ _tag: "recorded", id: "" }),
    claim: () => Effect.succeed({ _tag: "empty" }),
    ack: () => Effect.succeed(true),
    release: () => Effect.succeed(true),
    dead: () => Effect.succeed(false),
    due: () => Effect.succeed(nothing),
    list: () => Effect.succeed(nothing),
    find: () => Effect.undefined,
    requeue: () => Effect.succeed(false),
    drop: () => Effect.succeed(false),
    counts: () => Effect.succeed({ pending: 0, dead: 0 })
  },
  outbox: undefined,
  raiseFence: () => Effect.void
}

export const layerNone: Layer.Layer<Durability> = Layer.succeed(Durability, none)
