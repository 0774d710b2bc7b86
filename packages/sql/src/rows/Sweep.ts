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
// The oldest come first in the key, so this looks at one batch of rows however many there are.
const messages = `
DELETE FROM botmesh_message WHERE seq IN (
  SELECT seq FROM (SELECT seq, at FROM botmesh_message ORDER BY seq LIMIT ${batch}) AS oldest WHERE at <= ?1)`

/** What this file runs, for the test that no statement scans a table. */
export const sweepStatements = { checkpoints, values, messages }

/** Deletes what is gone by time, a batch at a time; answers how many rows. Safe to repeat and to cut. */
export const sweep = Effect.fnUntraced(function* (
  run: RunSweep,
  keepMessages: Duration.Duration | undefined
): Effect.fn.Return<number, StoreError> {
  const now = yield* Clock.currentTimeMillis
  let deleted = 0
  const clear = Effect.fnUntraced(function* (statement: string, before: number) {
    for (let count = 0; count < batches; count++) {
      const changes = yield* run(statement, before)
      deleted += changes
      if (changes < batch) return
      yield* Effect.yieldNow
    }
  })
  // Not a moment sooner than a write would find it gone: a row that is swept is never missed.
  yield* clear(checkpoints, now - fenceTtl)
  yield* clear(values, now)
  if (keepMessages !== undefined) yield* clear(messages, now - Duration.toMillis(keepMessages))
  return deleted
})

/** Sweeps at once and then every so often, until the scope closes. A round that fails is logged; the next tries again. */
export const sweeping = (
  run: RunSweep,
  every: Duration.Duration,
  keepMessages: Duration.Duration | undefined
): Effect.Effect<void, never, Scope.Scope> =>
  sweep(run, keepMessages).pipe(
    Effect.catch((error) => Effect.logWarning("botmesh: expired rows were not deleted", error)),
    Effect.andThen(Effect.sleep(every)),
    Effect.forever,
    Effect.forkScoped,
    Effect.asVoid
  )
