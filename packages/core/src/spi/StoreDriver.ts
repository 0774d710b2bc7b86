/**
 * What the author of a store implements: rows in, rows out, no codecs. `Store.fromDriver` lifts it once, so every store
 * reads and refuses the same way. The duties (atomicity, fences) stand beside the methods of `StoreShape`.
 */
import { Clock, Effect, Result, Schema } from "effect"
import { jsonOf } from "../model/PlainJson.ts"
import { Checkpoint, type Tombstone, wakeTime } from "../model/Checkpoint.ts"
import type { BotScope, DueKey, Handoff, Page, StoreShape } from "./Store.ts"
import { StoreError } from "./Store.ts"

/** A checkpoint as a row: the columns the compare needs, and the rest as JSON. `data` is null in a tombstone. */
export interface CheckpointRow {
  readonly id: string
  readonly revision: number
  readonly fence: number
  /** ms since the epoch after which the row (or tombstone) is gone; null keeps it. */
  readonly expires: number | null
  /** JSON text of the checkpoint, or null when this row is a tombstone. */
  readonly data: string | null
  /** JSON text: ids of the inbound messages already applied (tombstones). */
  readonly applied: string
  /** ms since the epoch at which the conversation wants to be woken (its wait's deadline); null when it waits for a message only. */
  readonly wakeAt: number | null
}

/** What a driver answers `open` with: the parts as stored, undecoded. */
export interface KeyRows {
  readonly handoff: string | null
  readonly profile: ReadonlyArray<readonly [field: string, json: string]>
  readonly checkpoint: CheckpointRow | undefined
}

/** A driver differs from the store its callers see only where a codec or an expiry stands between the two. */
export interface StoreDriver
  extends Pick<StoreShape, "name" | "persistent" | "admit" | "saveMessage" | "messages" | "raiseFence"> {
  readonly open: (bot: BotScope, key: string, chatId: string, userId: string) => Effect.Effect<KeyRows, StoreError>
  readonly profile: (bot: BotScope, userId: string) => Effect.Effect<KeyRows["profile"], StoreError>
  readonly setProfile: (
    bot: BotScope,
    userId: string,
    field: string,
    json: string | null
  ) => Effect.Effect<void, StoreError>
  readonly handoff: (bot: BotScope, chatId: string) => Effect.Effect<string | null, StoreError>
  readonly setHandoff: (bot: BotScope, chatId: string, json: string | null) => Effect.Effect<void, StoreError>
  readonly getCheckpoint: (bot: BotScope, key: string) => Effect.Effect<CheckpointRow | undefined, StoreError>
  /**
   * One atomic statement (ST1 to ST5). `now` is ms since the epoch: an expired row counts as absent, save that its fence
   * still refuses lower ones for `fenceTtl`. A row that already is this write, `data` and `applied` included, is a repeat.
   */
  readonly putCheckpoint: (
    bot: BotScope,
    key: string,
    row: CheckpointRow,
    now: number
  ) => Effect.Effect<boolean, StoreError>
  /** Leaves a bare row (`id` is "") where none stands; it may go after `fenceTtl`. */
  /** May answer fewer rows than `limit`, even none, with a `next`: a page is bounded work, not a full page. */
  readonly checkpoints: (
    bot: BotScope,
    options: { readonly limit: number; readonly after?: string; readonly now: number }
  ) => Effect.Effect<Page<{ readonly key: string; readonly row: CheckpointRow }>, StoreError>
  /** Keys of live rows whose `wakeAt` is at or before `before`, earliest first (an index serves it). `now` as above. */
  readonly due: (
    bot: BotScope,
    options: { readonly before: number; readonly limit: number; readonly now: number }
  ) => Effect.Effect<ReadonlyArray<DueKey>, StoreError>
  readonly getValue: (
    bot: BotScope,
    name: string
  ) => Effect.Effect<{ readonly value: string; readonly expires: number | null } | undefined, StoreError>
  readonly setValue: (
    bot: BotScope,
    name: string,
    value: string | null,
    expires: number | null
  ) => Effect.Effect<void, StoreError>
  /** One act: lifts the row's fence to `fence` if it is lower, and reads it. A bare row may go after `fenceTtl`. ST9 */
  readonly takeValue: (bot: BotScope, name: string, fence: number, now: number) => Effect.Effect<FencedRow, StoreError>
  /** One act: writes unless the row's fence is higher; the fence that stands. Removing a value leaves a bare row. ST9 */
  readonly putValue: (bot: BotScope, name: string, row: FencedRow, now: number) => Effect.Effect<number, StoreError>
}

/** A value under a fence. Its fence stands `fenceTtl` longer than the value. */
export interface FencedRow {
  readonly fence: number
  /** null: a bare fence. */
  readonly value: string | null
  /** ms since the epoch; null never. */
  readonly expires: number | null
}

/** How long a tombstone refuses late writes: as long as a dedupe mark (R1, R15). Seven days. */
export const tombstoneTtl = 7 * 24 * 60 * 60 * 1000

/** How long a fence outlives the row that carried it, and a bare fence row its raise (R5). One hour. */
export const fenceTtl = 60 * 60 * 1000

const CheckpointJson = Schema.fromJsonString(Checkpoint)
const decodeCheckpoint = Schema.decodeUnknownEffect(CheckpointJson)
const HandoffJson = Schema.fromJsonString(
  Schema.Struct({
    since: Schema.Number,
    by: Schema.optionalKey(Schema.String),
    note: Schema.optionalKey(Schema.String)
  })
)
const decodeHandoff = Schema.decodeUnknownEffect(HandoffJson)
const decodeUnknownJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))
const decodeApplied = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Schema.String)))

/** The flow of a checkpoint that cannot be read: no flow has this name. */
export const unreadableFlow = "(unreadable)"

/**
 * What stands for a checkpoint that cannot be read: changed code (C18). It can be cleared, which needs what the row says
 * beside its data, but not go on.
 */
const unreadable = ({ fence, id, revision }: CheckpointRow): Checkpoint => ({
  format: 1,
  id,
  visit: 0,
  flow: unreadableFlow,
  version: "",
  stepId: "",
  state: {},
  ops: [],
  pending: [],
  origin: { id: "", from: "", sender: "", isGroup: false, type: "unknown", body: "" },
  trail: [],
  cuts: 0,
  applied: [],
  revision,
  fence
})

/**
 * Lifts a driver to the contract: codecs, expiry and rows that cannot be read are handled here and nowhere else. Such a
 * row never makes its key unusable: a checkpoint stands as one of `unreadableFlow`, a tombstone without its applied
 * messages, a handoff without its details; a profile field is left out. Each is logged with its text.
 */
export const fromDriver = (driver: StoreDriver): StoreShape => {
  /** What cannot be read is logged as it stands, so that nothing is lost in silence when it is cleared later. */
  const unread = (what: string, of: string, raw: string, error: Schema.SchemaError): Effect.Effect<void> =>
    Effect.annotateLogs(Effect.logError(`${driver.name}: ${what} of ${of} cannot be read: ${error.message}`), { raw })

  /** Refuses a page no driver is made for, in words, before it is asked. */
  const within = <A>(
    operation: string,
    limit: number,
    max: number,
    page: Effect.Effect<A, StoreError>
  ): Effect.Effect<A, StoreError> =>
    Number.isInteger(limit) && limit >= 1 && limit <= max
      ? page
      : Effect.fail(
          new StoreError({
            store: driver.name,
            operation,
            reason: "invalid",
            detail: `expected a limit from 1 to ${max}, got ${limit}`
          })
        )

  const splitRow = Effect.fnUntraced(function* (key: string, row: CheckpointRow | undefined, now: number) {
    if (row === undefined || (row.expires !== null && row.expires <= now)) return {}
    const { applied, data, fence, id, revision } = row
    if (data === null) {
      if (id === "") return {}
      const known = yield* Effect.catch(decodeApplied(applied), (error) =>
        Effect.as(unread("the tombstone", key, applied, error), [])
      )
      return { tombstone: { id, revision, fence, applied: known } satisfies Tombstone }
    }
    const checkpoint = yield* Effect.catch(decodeCheckpoint(data), (error) =>
      Effect.as(unread("the checkpoint", key, data, error), unreadable(row))
    )
    return { checkpoint }
  })
  /** A person holds the chat, whatever else was said of it: the bot stays silent until it is given back (I19). */
  const readHandoff = (chatId: string, json: string | null): Effect.Effect<Handoff | undefined> =>
    json === null
      ? Effect.undefined
      : Effect.catch(decodeHandoff(json), (error) =>
          Effect.andThen(
            unread("the handoff", chatId, json, error),
            Effect.map(Clock.currentTimeMillis, (since): Handoff => ({ since }))
          )
        )
  const readProfile = Effect.fnUntraced(function* (userId: string, rows: KeyRows["profile"]) {
    if (rows.length === 0) return empty
    const fields: Array<readonly [string, unknown]> = []
    for (const [field, json] of rows) {
      const read = yield* Effect.result(decodeUnknownJson(json))
      if (Result.isSuccess(read)) fields.push([field, read.success])
      else yield* unread(`the profile field "${field}"`, userId, json, read.failure)
    }
    // Not by assignment: a field named __proto__ would become the prototype.
    return Object.fromEntries(fields)
  })
  const put = (bot: BotScope, key: string, row: CheckpointRow) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => driver.putCheckpoint(bot, key, row, now))

  return {
    name: driver.name,
    persistent: driver.persistent,
    admit: driver.admit,
    saveMessage: driver.saveMessage,
    messages: (bot, chatId, options) => within("messages", options.limit, 200, driver.messages(bot, chatId, options)),
    open: Effect.fnUntraced(function* (bot, key, chatId, userId) {
      const rows = yield* driver.open(bot, key, chatId, userId)
      const now = yield* Clock.currentTimeMillis
      const { checkpoint, tombstone } = yield* splitRow(key, rows.checkpoint, now)
      return {
        handoff: rows.handoff === null ? undefined : yield* readHandoff(chatId, rows.handoff),
        profile: rows.profile.length === 0 ? empty : yield* readProfile(userId, rows.profile),
        checkpoint,
        tombstone
      }
    }),
    profile: (bot, userId) => Effect.flatMap(driver.profile(bot, userId), (rows) => readProfile(userId, rows)),
    setProfile: (bot, userId, field, value) =>
      value === undefined
        ? driver.setProfile(bot, userId, field, null)
        : Effect.flatMap(
            Effect.fromOption(jsonOf(value)).pipe(
              Effect.mapError(
                () =>
                  new StoreError({
                    store: driver.name,
                    operation: "setProfile",
                    reason: "invalid",
                    detail: `the value of "${field}" is not JSON`
                  })
              )
            ),
            (json) => driver.setProfile(bot, userId, field, json)
          ),
    handoff: (bot, chatId) => Effect.flatMap(driver.handoff(bot, chatId), (json) => readHandoff(chatId, json)),
    setHandoff: (bot, chatId, handoff) =>
      driver.setHandoff(bot, chatId, handoff === undefined ? null : JSON.stringify(handoff)),
    getCheckpoint: Effect.fnUntraced(function* (bot, key) {
      return yield* splitRow(key, yield* driver.getCheckpoint(bot, key), yield* Clock.currentTimeMillis)
    }),
    setCheckpointIf: (bot, key, next) =>
      put(bot, key, {
        id: next.id,
        revision: next.revision,
        fence: next.fence,
        expires: next.expires ?? null,
        data: JSON.stringify(next),
        applied: "[]",
        wakeAt: wakeTime(next.wait) ?? null
      }),
    clearCheckpointIf: (bot, key, tombstone) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        driver.putCheckpoint(
          bot,
          key,
          {
            id: tombstone.id,
            revision: tombstone.revision,
            fence: tombstone.fence,
            expires: now + tombstoneTtl,
            data: null,
            applied: JSON.stringify(tombstone.applied),
            wakeAt: null
          },
          now
        )
      ),
    raiseFence: driver.raiseFence,
    checkpoints: Effect.fnUntraced(function* (bot, options) {
      const now = yield* Clock.currentTimeMillis
      const page = yield* within("checkpoints", options.limit, 1_000, driver.checkpoints(bot, { ...options, now }))
      const items: Array<{ readonly key: string; readonly checkpoint: Checkpoint }> = []
      for (const { key, row } of page.items) {
        const { checkpoint } = yield* splitRow(key, row, now)
        if (checkpoint !== undefined) items.push({ key, checkpoint })
      }
      return page.next === undefined ? { items } : { items, next: page.next }
    }),
    due: (bot, options) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        within("due", options.limit, 1_000, driver.due(bot, { ...options, now }))
      ),
    getValue: Effect.fnUntraced(function* (bot, name) {
      const found = yield* driver.getValue(bot, name)
      if (found === undefined) return undefined
      return found.expires !== null && found.expires <= (yield* Clock.currentTimeMillis) ? undefined : found.value
    }),
    setValue: (bot, name, value, expires) => driver.setValue(bot, name, value ?? null, expires ?? null),
    takeValue: Effect.fnUntraced(function* (bot, name, fence) {
      const now = yield* Clock.currentTimeMillis
      const row = yield* driver.takeValue(bot, name, fence, now)
      const ended = row.value === null || (row.expires !== null && row.expires <= now)
      return { value: ended ? undefined : (row.value ?? undefined), fence: row.fence }
    }),
    putValue: (bot, name, value, fence, expires) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        driver.putValue(bot, name, { fence, value: value ?? null, expires: expires ?? null }, now)
      )
  }
}

const empty: Readonly<Record<string, unknown>> = Object.freeze({})
