/** The tables of a database: made, and looked at before anything stands on them. */
import { StoreError } from "@botmesh/core/spi"
import { Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Migrations from "../Migrations.ts"
import { numberOrNull } from "../rows/Column.ts"
import type { RunSweep } from "../rows/Sweep.ts"
import { PostgresClient } from "./Client.ts"
import { storeError } from "./Failure.ts"

const migrate = "run PostgresStore.layerMigrations on it once, or use PostgresStore.layer, which does"

/** Refuses a database whose tables are not those this release was written for. */
export const checkSchema = Effect.fnUntraced(function* (client: PostgresClient["Service"]) {
  const found = yield* client.query("open", Migrations.found, []).pipe(
    Effect.map(([row]) => (row === undefined ? 0 : (numberOrNull(row, "version") ?? 0))),
    // There is no such table.
    Effect.catchIf(
      (error) => error.reason === "invalid" && error.detail.includes("does not exist"),
      () => Effect.succeed(0)
    )
  )
  const problem = Migrations.problem(found, migrate)
  if (problem !== undefined)
    return yield* new StoreError({
      store: "postgres",
      operation: "open",
      reason: "invalid",
      detail: `the database ${problem}`
    })
})

/** Creates or updates the tables, and their schema when one is named. Safe to repeat, also by several processes at once. */
const prepare = Effect.gen(function* () {
  const { schema } = yield* PostgresClient
  const sql = yield* SqlClient.SqlClient
  if (schema !== undefined) {
    // Two that create it at once: the second fails, and finds it there.
    yield* Effect.retry(sql`CREATE SCHEMA IF NOT EXISTS ${sql(schema)}`, { times: 1 })
  }
  yield* Migrations.run
})

/** What the server said lies at the bottom of a migration's error. */
const causeOf = (error: unknown): unknown => {
  let cause = error
  for (let depth = 0; depth < 8 && !(cause instanceof SqlError.SqlError); depth++) {
    if (typeof cause !== "object" || cause === null || !("cause" in cause)) break
    cause = cause.cause
  }
  return cause
}

/** Creates or updates the tables. Safe to repeat, also by several processes at once. Source: H Postgres */
export const layerMigrations: Layer.Layer<never, StoreError, PostgresClient | SqlClient.SqlClient> =
  Layer.effectDiscard(Effect.mapError(prepare, (error) => storeError("migrate")(causeOf(error))))

/** Deletes a batch of a sweep. */
export const sweepRun =
  (client: PostgresClient["Service"]): RunSweep =>
  (statement, before) =>
    Effect.map(client.query("sweep", `${statement} RETURNING 1`, [before]), (rows) => rows.length)
