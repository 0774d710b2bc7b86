import { fenceTtl, type StoreError } from "@botmesh/core/spi"
import { Clock, Duration, Effect, type Scope } from "effect"
import { skipLocked } from "./Dialect.ts"

/** Deletes one batch; answers how many rows went. */
export type RunSweep = (statement: string, before: number) => Effect.Effect<number, StoreError>

/** Rows a statement deletes: a millisecond or two in which no other fiber runs. */
const batch = 500
/** Batches a round, of each kind: what is left waits for the next round. */
const batches = 1_000

const checkpoints = `
DELETE FROM botmesh_checkpoint WHERE (bot, key) IN (
  SELECT bot, key FROM botmesh_checkpoint WHERE expires <= ?1 LIMIT ${batch} ${skipLocked})`
const values = `
DELETE FROM botmesh_value WHERE (bot, name) IN (SELECT bot, name FROM botmesh_value WHERE expires <= ?1 LIMIT ${batch} ${skipLocked})`
const fenced = `
DELETE FROM botmesh_fenced WHERE (bot, name) IN (SELECT bot, name FROM botmesh_fenced WHERE expires <= ?1 LIMIT ${batch} ${skipLocked})`
// The oldest come first in the key, so this looks at one batch of rows however many there are.
const messages = `
DELETE FROM botmesh_message WHERE seq IN (
  SELECT seq FROM (SELECT seq, at FROM botmesh_message ORDER BY seq LIMIT ${batch}) AS oldest WHERE at <= ?1)`

const marks = `
DELETE FROM botmesh_mark WHERE (bot, key, dedupe) IN (
  SELECT bot, key, dedupe FROM botmesh_mark WHERE expires <= ?1 LIMIT ${batch} ${skipLocked})`
const sends = `
DELETE FROM botmesh_outbox WHERE (bot, lane, id) IN (
  SELECT bot, lane, id FROM botmesh_outbox WHERE ends <= ?1 LIMIT ${batch} ${skipLocked})`
const keys = `
DELETE FROM botmesh_key WHERE (bot, key) IN (
  SELECT bot, key FROM botmesh_key WHERE inbox_due IS NULL AND lane_due IS NULL AND touched <= ?1
  LIMIT ${batch} ${skipLocked})`

/** What this file runs, for the test that no statement scans a table. */
export const sweepStatements = { checkpoints, values, fenced, messages, marks, sends, keys }

/** What goes at a time: statements, each with the moment (ms since the epoch) before which a row is gone. */
export type Gone = (now: number) => ReadonlyArray<readonly [statement: string, before: number]>

/** Of a store. Not a moment sooner than a write would find it gone: a row that is swept is never missed. */
export const goneOfStore =
  (keepMessages: Duration.Duration | undefined): Gone =>
  (now) => [
    [checkpoints, now - fenceTtl],
    [fenced, now - fenceTtl],
    [values, now],
    ...(keepMessages === undefined ? [] : [[messages, now - Duration.toMillis(keepMessages)] as const])
  ]

/** Of durability: what was handled or sent, once it need not be known any more, and fences nobody is left to be refused by. */
export const goneOfDurability: Gone = (now) => [
  [marks, now],
  [sends, now],
  [keys, now - fenceTtl]
]

/** Deletes what is gone by time, a batch at a time; answers how many rows. Safe to repeat and to cut. */
export const sweep = Effect.fnUntraced(function* (run: RunSweep, gone: Gone): Effect.fn.Return<number, StoreError> {
  let deleted = 0
  for (const [statement, before] of gone(yield* Clock.currentTimeMillis)) {
    for (let count = 0; count < batches; count++) {
      const changes = yield* run(statement, before)
      deleted += changes
      if (changes < batch) break
      yield* Effect.yieldNow
    }
  }
  return deleted
})

/** Sweeps at once and then every so often, until the scope closes. A round that fails is logged; the next tries again. */
export const sweeping = (
  run: RunSweep,
  every: Duration.Duration,
  gone: Gone
): Effect.Effect<void, never, Scope.Scope> =>
  sweep(run, gone).pipe(
    Effect.catch((error) => Effect.logWarning("botmesh: expired rows were not deleted", error)),
    Effect.andThen(Effect.sleep(every)),
    Effect.forever,
    Effect.forkScoped,
    Effect.asVoid
  )
