/**
 * The store contract: chats, contacts, messages, profiles, handoffs, checkpoints and provider state.
 *
 * Invariants every store keeps (the conformance suite cites them):
 * ST1 a checkpoint write is one atomic statement: it compares run id, revision and fence, and a refusal changes nothing (I13, R5).
 * ST2 revisions chain: the first write of a run has revision 1, each accepted write one more.
 * ST3 a repeat of the very write that stands (same id, revision, fence) is accepted and changes nothing (R6).
 * ST4 a clear leaves a tombstone that refuses later writes of that run, kept `tombstoneTtl` (R1).
 * ST5 a fence never goes back: a write under a lower fence than the row's highest is refused (R5, I2).
 * ST6 an expired checkpoint is never returned (I16).
 * ST7 profile writes of different keys never lose one another (DUR-04).
 * ST8 first contact is true for exactly one of any number of concurrent admits of a new chat.
 * ST9 a value under a fence is written under no lower one than was written or read with before (R13).
 *
 * Callers use `Store`; authors implement `StoreDriver` (encoded rows) and lift it with `Store.fromDriver`.
 */
import { Context, type Effect, Schema } from "effect"
import type { Checkpoint, Tombstone } from "../model/Checkpoint.ts"

/** The store could not do what was asked. `corrupt`: a stored row cannot be read; it was left as it is. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  store: Schema.String,
  operation: Schema.String,
  reason: Schema.Literals(["unavailable", "busy", "corrupt", "invalid"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.store} ${this.operation} failed (${this.reason}): ${this.detail}`
  }
  get isRetryable(): boolean {
    return this.reason === "unavailable" || this.reason === "busy"
  }
}

/** Tenant and bot: every row begins with it, so two bots share nothing (R21). Form: `tenant/bot`. */
export type BotScope = string

export interface ChatRow {
  readonly id: string
  readonly isGroup: boolean
  readonly name?: string
}
export interface ContactRow {
  readonly id: string
  readonly name?: string
}
export interface MessageRow {
  readonly id: string
  readonly chatId: string
  readonly sender: string
  readonly direction: "in" | "out"
  readonly type: string
  readonly body: string
  /** Milliseconds since the epoch, by our clock. */
  readonly at: number
}

/** Who holds a chat that was handed to a person, and since when (ms since the epoch). Source: B14. */
export interface Handoff {
  readonly since: number
  readonly by?: string
  readonly note?: string
}

/** What the engine reads after a grant, in one call. */
export interface KeyView {
  readonly handoff: Handoff | undefined
  readonly profile: Readonly<Record<string, unknown>>
  readonly checkpoint: Checkpoint | undefined
  readonly tombstone: Tombstone | undefined
}

export interface StoredCheckpoint {
  readonly key: string
  readonly checkpoint: Checkpoint
}

/** A dormant conversation that wants to be woken at `wakeAt` (ms since the epoch). Source: C23. */
export interface DueKey {
  readonly key: string
  readonly wakeAt: number
}

/** A value and the fence that stands on it. */
export interface FencedValue {
  readonly value: string | undefined
  readonly fence: number
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Give it back as `after` for the next page; absent on the last one. */
  readonly next?: string
}

export interface StoreShape {
  readonly name: string
  /** False for memory: the start banner warns about it in production (B26). */
  readonly persistent: boolean
  /** Stores chat, contact and message in one write. Safe to repeat: the same message id is stored once. ST8. Source: A6. */
  readonly admit: (
    bot: BotScope,
    chat: ChatRow,
    contact: ContactRow,
    message: MessageRow
  ) => Effect.Effect<{ readonly firstContact: boolean }, StoreError>
  /** Stores a message the bot sent. Safe to repeat. */
  readonly saveMessage: (bot: BotScope, message: MessageRow) => Effect.Effect<void, StoreError>
  /** Newest first. @param limit 1 to 200 */
  readonly messages: (
    bot: BotScope,
    chatId: string,
    options: { readonly limit: number; readonly after?: string }
  ) => Effect.Effect<Page<MessageRow>, StoreError>
  /** Handoff, profile and checkpoint of a key in one read. */
  readonly open: (bot: BotScope, key: string, chatId: string, userId: string) => Effect.Effect<KeyView, StoreError>
  readonly profile: (bot: BotScope, userId: string) => Effect.Effect<Readonly<Record<string, unknown>>, StoreError>
  /** Sets one field; `undefined` removes it. Safe to repeat. ST7. */
  readonly setProfile: (bot: BotScope, userId: string, field: string, value: unknown) => Effect.Effect<void, StoreError>
  readonly handoff: (bot: BotScope, chatId: string) => Effect.Effect<Handoff | undefined, StoreError>
  readonly setHandoff: (bot: BotScope, chatId: string, handoff: Handoff | undefined) => Effect.Effect<void, StoreError>
  readonly getCheckpoint: (
    bot: BotScope,
    key: string
  ) => Effect.Effect<{ readonly checkpoint?: Checkpoint; readonly tombstone?: Tombstone }, StoreError>
  /**
   * Writes `next` if the row is what the writer believes: `next.revision` is 1 and no live checkpoint stands, or a row of
   * `next.id` stands at `next.revision - 1`; and no higher fence stands. Returns whether it was accepted. ST1 to ST5.
   */
  readonly setCheckpointIf: (bot: BotScope, key: string, next: Checkpoint) => Effect.Effect<boolean, StoreError>
  /** Replaces the row by a tombstone if it is run `id` at `revision - 1` and no higher fence stands. ST1, ST4. */
  readonly clearCheckpointIf: (bot: BotScope, key: string, tombstone: Tombstone) => Effect.Effect<boolean, StoreError>
  /**
   * Makes every write of the key under a lower fence be refused from now on, and answers the fence that stands: a higher one
   * is another holder's, above which the caller must be granted again (R19). Safe to repeat. ST5, R5.
   */
  readonly raiseFence: (bot: BotScope, key: string, fence: number) => Effect.Effect<number, StoreError>
  /** Live checkpoints by key order; a page may be short, only a missing `next` ends the list. @param limit 1 to 1,000 */
  readonly checkpoints: (
    bot: BotScope,
    options: { readonly limit: number; readonly after?: string }
  ) => Effect.Effect<Page<StoredCheckpoint>, StoreError>
  /** Keys whose wait is due by `before` (ms since the epoch), earliest first. @param limit 1 to 1,000. Source: C23. */
  readonly due: (
    bot: BotScope,
    options: { readonly before: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<DueKey>, StoreError>
  readonly getValue: (bot: BotScope, name: string) => Effect.Effect<string | undefined, StoreError>
  /** @param expires ms since the epoch after which the value is gone; `undefined` keeps it. Safe to repeat. */
  readonly setValue: (
    bot: BotScope,
    name: string,
    value: string | undefined,
    expires?: number
  ) => Effect.Effect<void, StoreError>
  /**
   * Reads a value that only leaders write, and lifts its fence in the same act: every write under a lower one is refused
   * from now on. Answers the fence that stands; a higher one is another leader's (R13, R19). Values under a fence and those
   * of `getValue` are two sets. Safe to repeat. ST9.
   */
  readonly takeValue: (bot: BotScope, name: string, fence: number) => Effect.Effect<FencedValue, StoreError>
  /**
   * Writes such a value unless a higher fence stands, and answers the fence that stands then: above `fence`, nothing was
   * written. @param expires as in `setValue`. Safe to repeat. ST9.
   */
  readonly putValue: (
    bot: BotScope,
    name: string,
    value: string | undefined,
    fence: number,
    expires?: number
  ) => Effect.Effect<number, StoreError>
}

/** Where a bot keeps what must survive. Source: H. */
export class Store extends Context.Service<Store, StoreShape>()("@botmesh/core/Store") {}
