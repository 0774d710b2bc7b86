/** The tables of a file: made, and looked at before anything stands on them. */
import { StoreError } from "@botmesh/core/spi"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as Migrations from "../Migrations.ts"
import { number } from "../rows/Column.ts"
import type { RunSweep } from "../rows/Sweep.ts"
import { SqliteClient } from "./Client.ts"
import { storeError } from "./Failure.ts"

/** Refuses a file whose tables are not those this release was written for. */
export const checkSchema = Effect.fnUntraced(function* (client: SqliteClient["Service"]) {
  const found = yield* client
    .use("open", (prepare) => {
      const row = prepare(Migrations.found).get()
      return row === undefined || row.version === null ? 0 : number(row, "version")
    })
    .pipe(
      Effect.catchIf(
        (error) => error.reason === "invalid",
        () => Effect.succeed(0)
      )
    )
  const problem = Migrations.problem(
    found,
    "run SqliteStore.layerMigrations on it once, or use SqliteStore.layer, which does"
  )
  if (problem !== undefined)
    return yield* new StoreError({
      store: "sqlite",
      operation: "open",
      reason: "invalid",
      detail: `${client.filename} ${problem}`
    })
})

/** Creates or updates the tables. Safe to repeat, also by several processes at once. Source: H SQLite */
export const layerMigrations: Layer.Layer<never, StoreError, SqliteClient | SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.flatMap(SqliteClient, ({ filename }) =>
    Effect.mapError(Migrations.run, (error) => storeError(filename, "migrate", nativeCause(error)))
  )
)

/** Both errors of a migration wrap what the driver said, one layer or two deep. */
const nativeCause = (error: unknown): unknown => {
  let cause = error
  for (let depth = 0; depth < 8; depth++) {
    if (typeof cause !== "object" || cause === null || "errcode" in cause) break
    const inner: unknown = "reason" in cause ? cause.reason : "cause" in cause ? cause.cause : undefined
    if (inner === undefined) break
    cause = inner
  }
  return cause
}

/** Deletes a batch of a sweep. */
export const sweepRun =
  (client: SqliteClient["Service"]): RunSweep =>
  (statement, before) =>
    client.use("sweep", (prepare) => Number(prepare(statement).run(before).changes))
