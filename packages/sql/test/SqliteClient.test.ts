import { Store } from "@botmesh/core/spi"
import { SqliteClient, SqliteStore } from "@botmesh/sql"
import { describe, expect, it } from "@effect/vitest"
import { Array, Deferred, Effect, Fiber, Layer, Ref, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import { directory } from "./child/Child.ts"

const memory = (options: Partial<SqliteClient.SqliteClientOptions> = {}) =>
  SqliteClient.layer({ filename: ":memory:", ...options })
const on = (filename: string) =>
  SqliteStore.layerStore().pipe(
    Layer.provide(SqliteStore.layerMigrations),
    Layer.provideMerge(SqliteClient.layer({ filename }))
  )
const store = on(":memory:")
const table = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE)`
)

describe("the SqlClient over node:sqlite", () => {
  it.effect("H rows go in and come out, streamed too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* table
      yield* sql`INSERT INTO t ${sql.insert(Array.makeBy(200, (id) => ({ id, name: `n${id}` })))}`
      expect(yield* sql`SELECT * FROM t WHERE name = ${"n7"}`).toEqual([{ id: 7, name: "n7" }])
      expect(yield* sql`SELECT id, name FROM t WHERE id = ${7}`.values).toEqual([[7, "n7"]])
      expect(yield* sql`SELECT id FROM t`.stream.pipe(Stream.runCount)).toBe(200)
      expect(yield* sql`SELECT id FROM t WHERE id < 64`.stream.pipe(Stream.runCount)).toBe(64)
      expect(yield* sql`SELECT id FROM t WHERE id < 0`.stream.pipe(Stream.runCount)).toBe(0)
      const values = [true, undefined, null, new Date(0), new Uint8Array([1, 2])]
      expect(yield* sql.unsafe("SELECT ?, ?, ?, ?, ?", values).values).toEqual([
        [1, null, null, "1970-01-01T00:00:00.000Z", new Uint8Array([1, 2])]
      ])
    }).pipe(Effect.provide(memory()))
  )

  it.effect("I23 a list or a stream that is left early keeps no lock: the log can be emptied", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO botmesh_checkpoint (bot, key, run, revision, fence, data, applied)
        SELECT 't/b', 'k' || i, 'r', 1, 1, '{}', '[]' FROM n`
      expect(yield* sql`SELECT key FROM botmesh_checkpoint`.stream.pipe(Stream.take(3), Stream.runCount)).toBe(3)
      expect((yield* store.checkpoints("t/b", { limit: 2 })).items).toHaveLength(2)
      yield* store.setValue("t/b", "a", "1")
      const [checkpointed] = yield* sql<{ busy: number; log: number }>`PRAGMA wal_checkpoint(TRUNCATE)`
      expect(checkpointed).toMatchObject({ busy: 0, log: 0 })
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(directory, (path) => on(join(path, "bot.db"))))))
  )

  it.effect("H a failure is classified, and a stream's is typed too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* table
      yield* sql`INSERT INTO t (id, name) VALUES (1, 'a')`
      const reasons = yield* Effect.forEach(
        [
          sql`INSERT INTO t (id, name) VALUES (1, 'b')`,
          sql`INSERT INTO t (id, name) VALUES (2, 'a')`,
          sql`SELECT 1 FROM nowhere`,
          sql`SELECT 1 FROM nowhere`.stream.pipe(Stream.runDrain)
        ],
        (query) => Effect.map(Effect.flip(Effect.asVoid(query)), ({ reason }) => [reason._tag, reason.message])
      )
      expect(reasons).toEqual([
        ["UniqueViolation", "UNIQUE constraint failed: t.id"],
        ["UniqueViolation", "UNIQUE constraint failed: t.name"],
        ["UnknownError", "no such table: nowhere"],
        ["UnknownError", "no such table: nowhere"]
      ])
    }).pipe(Effect.provide(memory()))
  )

  it.effect("H a transaction is all or nothing, nested and interrupted ones too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* table
      const insert = (id: number) => sql`INSERT INTO t (id, name) VALUES (${id}, ${`n${id}`})`
      const committed = yield* Ref.make(0)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* insert(1)
          yield* sql.withTransaction(Effect.andThen(insert(2), Effect.fail("no"))).pipe(Effect.ignore)
          yield* sql.afterCommit(Ref.update(committed, (count) => count + 1))
        })
      )
      yield* sql.withTransaction(Effect.andThen(insert(3), Effect.interrupt)).pipe(Effect.exit)
      expect(yield* sql`SELECT id FROM t`).toEqual([{ id: 1 }])
      expect(yield* Ref.get(committed)).toBe(1)
    }).pipe(Effect.provide(memory()))
  )

  it.effect("I23 prepared statements are bounded, and the cache never mixes them up", () =>
    Effect.gen(function* () {
      const client = yield* SqliteClient.SqliteClient
      for (let round = 0; round < 3; round++) {
        for (let index = 0; index < 10; index++) {
          const found = yield* client.use("test", (prepare) => prepare(`SELECT ${index} AS found`).get()?.found)
          expect(found).toBe(index)
        }
      }
      const [first, again, afterThree] = yield* client.use("test", (prepare) => {
        const one = prepare("SELECT 'kept'")
        const same = prepare("SELECT 'kept'")
        for (const other of [1, 2, 3]) prepare(`SELECT ${other} + 0`)
        return [one, same, prepare("SELECT 'kept'")]
      })
      expect(again).toBe(first)
      expect(afterThree).not.toBe(first)
    }).pipe(Effect.provide(memory({ statements: 3 })))
  )
})

describe("the store beside a transaction on the same client", () => {
  it.effect("ST1 a write of another fiber waits for the transaction, and is no part of its rollback", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const sql = yield* SqlClient.SqlClient
      const open = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const transaction = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* store.setValue("t/b", "inside", "1")
            yield* Deferred.succeed(open, undefined)
            yield* Deferred.await(go)
            return yield* Effect.fail("rolled back")
          })
        )
        .pipe(Effect.forkChild)
      yield* Deferred.await(open)
      const write = yield* Effect.forkChild(store.setValue("t/b", "outside", "1"), { startImmediately: true })
      expect(write.pollUnsafe()).toBeUndefined()
      yield* Deferred.succeed(go, undefined)
      expect(yield* Effect.flip(Fiber.join(transaction))).toBe("rolled back")
      yield* Fiber.join(write)
      expect([yield* store.getValue("t/b", "inside"), yield* store.getValue("t/b", "outside")]).toEqual([
        undefined,
        "1"
      ])
    }).pipe(Effect.provide(store))
  )

  it.effect("ST1 the store's own transactions join the one its caller has open", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const sql = yield* SqlClient.SqlClient
      const chat = { id: "c", isGroup: false }
      const message = { id: "m", chatId: "c", sender: "c", direction: "in", type: "text", body: "", at: 0 } as const
      const admit = store.admit("t/b", chat, { id: "c" }, message)
      yield* Effect.exit(sql.withTransaction(Effect.andThen(admit, Effect.fail("no"))))
      expect((yield* store.messages("t/b", "c", { limit: 1 })).items).toEqual([])
      expect(yield* sql.withTransaction(admit)).toEqual({ firstContact: true })
      // A part that fails inside is taken back alone: the caller's transaction goes on.
      const client = yield* SqliteClient.SqliteClient
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* store.setValue("t/b", "kept", "1")
          const failed = yield* client
            .transaction("test", (prepare) => {
              prepare("DELETE FROM botmesh_value").run()
              prepare("SELECT 1 FROM nowhere")
            })
            .pipe(Effect.flip)
          expect(failed.reason).toBe("invalid")
        })
      )
      expect(yield* store.getValue("t/b", "kept")).toBe("1")
    }).pipe(Effect.provide(store))
  )

  it.effect("H a closed store fails, it does not die", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(Effect.map(Layer.build(store), (context) => context))
      const error = yield* Effect.flip(
        Effect.flatMap(Store, (store) => store.getValue("t/b", "a")).pipe(Effect.provide(closed))
      )
      expect([error.reason, error.message.includes("is closed")]).toEqual(["unavailable", true])
      yield* TestClock.adjust("1 day")
    })
  )
})
