/**
 * The durability contract: the inbox journal. Without a backend (`none`) a record is nothing but the event, and ack and
 * release do nothing; the engine calls them all the same, in the same order (A5, I10).
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { InboundEvent } from "../model/Event.ts"

export class DurabilityError extends Schema.TaggedError<DurabilityError>()("DurabilityError", {
  operation: Schema.String,
  reason: Schema.Literals(["unavailable", "busy", "corrupt"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `Durability ${this.operation} failed (${this.reason}): ${this.detail}`
  }
  get isRetryable(): boolean {
    return this.reason !== "corrupt"
  }
}

/** What came of recording an event. `duplicate`: a record of it exists, whatever memory says (R15). */
export type Recorded =
  | { readonly _tag: "recorded"; readonly id: string }
  | { readonly _tag: "duplicate"; readonly id: string }

export interface DurabilityShape {
  readonly name: string
  /** Whether a message survives the process: decides what losing a turn means (R23). */
  readonly durable: boolean
  /** Journals an admitted event before it is stored or handled. Safe to repeat. */
  readonly record: (key: string, event: InboundEvent) => Effect.Effect<Recorded, DurabilityError>
  /** The record's effect is stored: it is never handled again (I10). Safe to repeat. */
  readonly ack: (key: string, recordId: string, fence: number) => Effect.Effect<void, DurabilityError>
  /** Gives the record back to be handled again. Safe to repeat. */
  readonly release: (key: string, recordId: string) => Effect.Effect<void, DurabilityError>
}

/** Keeps what came in and what must go out. Source: D1. */
export class Durability extends Context.Service<Durability, DurabilityShape>()("@botmesh/core/Durability") {}

/** No journal: a message lives in memory only. */
export const none: DurabilityShape = {
  name: "none",
  durable: false,
  record: () => Effect.succeed({ _tag: "recorded", id: "" }),
  ack: () => Effect.void,
  release: () => Effect.void
}

export const layerNone: Layer.Layer<Durability> = Layer.succeed(Durability, none)
