import { fenceTtl, Store, tombstoneTtl, unreadableFlow } from "@botmesh/core/spi"
import { StoreSuite } from "@botmesh/core/testing"
import { SqliteClient, SqliteStore } from "@botmesh/sql"
import { describe, expect, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { chatStatements } from "../src/rows/Chats.ts"
import { checkpointStatements } from "../src/rows/Checkpoints.ts"
import { fieldStatements } from "../src/rows/Fields.ts"
import { inboxStatements } from "../src/rows/Inbox.ts"
import { jobStatements } from "../src/rows/Jobs.ts"
import { keyStatements } from "../src/rows/Keys.ts"
import { outboxStatements } from "../src/rows/Outbox.ts"
import { sweepStatements } from "../src/rows/Sweep.ts"
import { directory } from "./child/Child.ts"

const bot = "t/sqlite"
const file = Effect.map(directory, (path) => join(path, "bot.db"))
/** The store with the client it stands on. */
const both = (filename: string, options: SqliteStore.SqliteStoreOptions = {}) =>
  SqliteStore.layerStore(options).pipe(
    Layer.provide(SqliteStore.layerMigrations),
    Layer.provideMerge(SqliteClient.layer({ filename }))
  )
const failure = (options: Parameters<typeof SqliteStore.layer>[0]) =>
  Effect.flip(Layer.build(SqliteStore.layer(options)))

const plant = Effect.fnUntraced(function* (key: string, data: string, expires: number | null = null) {
  const sql = yield* SqlClient.SqlClient
  const { applied, fence, id, revision, wakeAt } = StoreSuite.format1Row
  yield* sql`INSERT INTO botmesh_checkpoint (bot, key, run, revision, fence, expires, data, applied, wake_at)
    VALUES (${bot}, ${key}, ${id}, ${revision}, ${fence}, ${expires}, ${data}, ${applied}, ${wakeAt})`
})

describe("what a SQLite file keeps", () => {
  it.effect("H a store is found again by the next process, its name and nature told", () =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* Effect.gen(function* () {
        const store = yield* Store
        expect([store.name, store.persistent]).toEqual(["sqlite", true])
        yield* store.setProfile(bot, "u", "name", "Ana")
        yield* store.setCheckpointIf(bot, "k", { ...StoreSuite.format1Checkpoint, revision: 1 })
      }).pipe(Effect.provide(SqliteStore.layer({ filename })))
      yield* Effect.gen(function* () {
        const store = yield* Store
        const view = yield* store.open(bot, "k", "c", "u")
        expect([view.profile, view.checkpoint?.state]).toEqual([{ name: "Ana" }, { name: "Ana" }])
      }).pipe(Effect.provide(SqliteStore.layer({ filename })))
      yield* Effect.gen(function* () {
        expect((yield* Store).persistent).toBe(false)
      }).pipe(Effect.provide(SqliteStore.layer({ filename: ":memory:" })))
    })
  )

  it.effect("H a new file and the two beside it are the owner's alone, mode 0600; an old one keeps its mode", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const mode = (name: string) => statSync(join(path, name)).mode & 0o777
      writeFileSync(join(path, "old.db"), "", { mode: 0o640 })
      yield* Effect.gen(function* () {
        yield* (yield* Store).setValue(bot, "a", "1")
        expect(["bot.db", "bot.db-wal", "bot.db-shm"].map(mode)).toEqual([0o600, 0o600, 0o600])
      }).pipe(Effect.provide(SqliteStore.layer({ filename: join(path, "bot.db") })))
      yield* Layer.build(SqliteStore.layer({ filename: join(path, "old.db") }))
      expect(mode("old.db")).toBe(0o640)
    })
  )

  it.effect("R1 a checkpoint of format 1 is read as it was meant", () =>
    Effect.gen(function* () {
      const store = yield* Store
      yield* plant("k", StoreSuite.format1Row.data ?? "")
      expect(yield* store.getCheckpoint(bot, "k")).toEqual({ checkpoint: StoreSuite.format1Checkpoint })
      const next = { ...StoreSuite.format1Checkpoint, revision: 3 }
      expect(yield* store.setCheckpointIf(bot, "k", next)).toBe(true)
    }).pipe(Effect.provide(both(":memory:")))
  )

  it.effect(
    "I14 C18 a row that cannot be read stands as a flow nobody has, and is left as it is until it is cleared",
    () =>
      Effect.gen(function* () {
        const store = yield* Store
        const sql = yield* SqlClient.SqlClient
        const damaged = '{"format":99}'
        yield* plant("k", damaged)
        const { checkpoint } = yield* store.getCheckpoint(bot, "k")
        expect(checkpoint?.flow).toBe(unreadableFlow)
        expect((yield* store.open(bot, "k", "c", "u")).checkpoint).toEqual(checkpoint)
        expect((yield* store.checkpoints(bot, { limit: 9 })).items).toEqual([{ key: "k", checkpoint }])
        expect(yield* sql`SELECT data FROM botmesh_checkpoint`).toEqual([{ data: damaged }])
        const { fence = 0, id = "", revision = 0 } = checkpoint ?? {}
        const tombstone = { id, revision: revision + 1, fence, applied: [] }
        expect(yield* store.clearCheckpointIf(bot, "k", tombstone)).toBe(true)
        expect((yield* store.getCheckpoint(bot, "k")).checkpoint).toBeUndefined()
      }).pipe(Effect.provide(both(":memory:")))
  )
})

describe("migrations", () => {
  it.effect("H layerStore refuses a file without tables and names what makes them; with them it needs no more", () =>
    Effect.gen(function* () {
      const client = SqliteClient.layer({ filename: yield* file })
      const store = SqliteStore.layerStore().pipe(Layer.provide(client))
      const error = yield* Effect.flip(Layer.build(store))
      expect([error._tag, error.message]).toEqual([
        "StoreError",
        expect.stringMatching(/has no botmesh tables: run SqliteStore\.layerMigrations on it once/u)
      ])
      yield* Effect.scoped(Layer.build(SqliteStore.layerMigrations.pipe(Layer.provide(client))))
      yield* Effect.scoped(Layer.build(SqliteStore.layerMigrations.pipe(Layer.provide(client))))
      expect(Exit.isSuccess(yield* Effect.exit(Layer.build(store)))).toBe(true)
    })
  )

  it.effect("H a file of a newer release, or with none of its steps, is refused, and what to do is said", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const version = (change: string) =>
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(change)).pipe(
          Effect.provide(SqliteClient.layer({ filename }))
        )
      yield* Effect.scoped(Layer.build(SqliteStore.layer({ filename })))
      yield* version("INSERT INTO botmesh_migration (migration_id, name) VALUES (99, 'future')")
      const newer = yield* failure({ filename })
      expect(newer.message).toMatch(/was prepared by a newer botmesh \(version 99, .*update @botmesh\/sql/u)
      const store = SqliteStore.layerStore().pipe(Layer.provide(SqliteClient.layer({ filename })))
      yield* version("DELETE FROM botmesh_migration")
      expect((yield* Effect.flip(Layer.build(store))).message).toMatch(/has no botmesh tables/u)
    })
  )
})

describe("what goes wrong", () => {
  it.effect("H a path that cannot hold a file is told by name", () =>
    Effect.gen(function* () {
      const path = yield* directory
      mkdirSync(join(path, "folder"))
      const missing = yield* failure({ filename: join(path, "nowhere", "bot.db") })
      expect(missing.message).toMatch(/\(unavailable\): the directory .*nowhere does not exist: create it/u)
      const folder = yield* failure({ filename: join(path, "folder") })
      expect(folder.message).toMatch(/\(invalid\): .*folder is a directory: name a file in it/u)
    })
  )

  it.effect("H a file that is no database is refused and left as it is", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const content = "botmesh is not a database ".repeat(400)
      writeFileSync(filename, content)
      const error = yield* failure({ filename })
      expect(error.message).toMatch(/\(corrupt\): .*bot\.db is not a SQLite database .*name another file/u)
      expect(readFileSync(filename, "utf8")).toBe(content)
    })
  )

  it.effect("H a damaged file is told and left as it is", () =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* Effect.gen(function* () {
        const store = yield* Store
        for (let index = 0; index < 300; index++) yield* store.setValue(bot, `v${index}`, "x".repeat(200))
      }).pipe(Effect.provide(SqliteStore.layer({ filename })))
      const pages = statSync(filename).size / 4_096
      const handle = openSync(filename, "r+")
      for (let page = 1; page < pages; page++) writeSync(handle, Buffer.alloc(4_096, 0xa5), 0, 4_096, page * 4_096)
      closeSync(handle)
      const before = readFileSync(filename)
      const error = yield* failure({ filename })
      expect(error.message).toMatch(/\(corrupt\): .*bot\.db is damaged and was left as it is: restore a copy/u)
      expect(readFileSync(filename).equals(before)).toBe(true)
    })
  )

  it.effect("H a full disk refuses the write, says so, and loses nothing of what was stored", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const sql = yield* SqlClient.SqlClient
      yield* store.setValue(bot, "first", "kept")
      const [{ page_count: pages } = { page_count: 0 }] = yield* sql<{ page_count: number }>`PRAGMA page_count`
      yield* sql.unsafe(`PRAGMA max_page_count = ${pages + 2}`)
      const chat = { id: "c", isGroup: false }
      const message = {
        id: "m",
        chatId: "c",
        sender: "c",
        direction: "in",
        type: "text",
        body: "x".repeat(99_999),
        at: 1
      } as const
      const error = yield* Effect.flip(store.admit(bot, chat, { id: "c" }, message))
      expect([error.reason, error.isRetryable]).toEqual(["unavailable", true])
      expect(error.message).toMatch(/there is no space left for .*bot\.db: free some on its disk/u)
      expect(yield* store.getValue(bot, "first")).toBe("kept")
      yield* sql.unsafe("PRAGMA max_page_count = 100000")
      // Nothing of the refused write is there: it is a first contact still.
      expect(yield* store.admit(bot, chat, { id: "c" }, message)).toEqual({ firstContact: true })
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(file, (filename) => both(filename)))))
  )

  it.effect("B11 an option out of range names its field", () =>
    Effect.gen(function* () {
      const filename = ":memory:"
      const fields = yield* Effect.forEach(
        [
          { filename: "" },
          { filename, busyTimeout: "soon" },
          { filename, sweepEvery: 0 },
          { filename, keepMessages: "0s" },
          { filename, statements: 0 }
        ],
        (options) => Effect.map(failure(options), (error) => ("field" in error ? error.field : error._tag))
      )
      expect(fields).toEqual([
        "sqlite.filename",
        "sqlite.busyTimeout",
        "sqlite.sweepEvery",
        "sqlite.keepMessages",
        "sqlite.statements"
      ])
    })
  )

  it.effect("H each option takes a Config", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const options = {
        filename: Config.String("BOT_DB"),
        synchronous: Config.Literals(["normal", "full"], "BOT_SYNC"),
        busyTimeout: Config.String("BOT_BUSY")
      }
      const env = { BOT_DB: filename, BOT_SYNC: "full", BOT_BUSY: "1s" }
      yield* Layer.build(SqliteStore.layer(options)).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env)))
      )
      expect(statSync(filename).size).toBeGreaterThan(0)
    })
  )
})

describe("the sweep", () => {
  const count = (table: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.map(sql.unsafe<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`), ([row]) => row?.rows)
    )

  it.effect("I23 tombstones, expired checkpoints and values go once nobody can miss them, in batches", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.adjust(1)
      const first = { ...StoreSuite.format1Checkpoint, revision: 1 }
      yield* store.setCheckpointIf(bot, "tombstone", first)
      yield* store.clearCheckpointIf(bot, "tombstone", { id: first.id, revision: 2, fence: 7, applied: [] })
      yield* store.setCheckpointIf(bot, "live", first)
      yield* store.raiseFence(bot, "fence", 3)
      yield* sql`
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1700)
        INSERT INTO botmesh_checkpoint (bot, key, run, revision, fence, expires, data, applied)
        SELECT ${bot}, 'e' || i, 'r', 1, 1, 1000, '{}', '[]' FROM n`
      yield* store.setValue(bot, "kept", "1")
      yield* store.setValue(bot, "goes", "1", 1_000)
      yield* TestClock.adjust("10 minutes")
      expect([yield* count("botmesh_checkpoint"), yield* count("botmesh_value")]).toEqual([1_703, 1])
      yield* TestClock.adjust(fenceTtl)
      expect(yield* count("botmesh_checkpoint")).toBe(2)
      expect((yield* store.getCheckpoint(bot, "tombstone")).tombstone?.id).toBe(first.id)
      yield* TestClock.adjust(tombstoneTtl + fenceTtl)
      expect(yield* count("botmesh_checkpoint")).toBe(1)
      expect((yield* store.getCheckpoint(bot, "live")).checkpoint).toEqual(first)
    }).pipe(Effect.provide(both(":memory:", { sweepEvery: "10m" })))
  )

  it.effect("I23 messages go by age only when asked to", () =>
    Effect.gen(function* () {
      const days = 24 * 60 * 60 * 1_000
      const fill = Effect.gen(function* () {
        const store = yield* Store
        for (let day = 0; day < 20; day++) {
          const at = day * days
          yield* store.saveMessage(bot, {
            id: `m${day}`,
            chatId: "c",
            sender: "c",
            direction: "in",
            type: "text",
            body: "x",
            at
          })
        }
        yield* TestClock.adjust("19 days")
        return (yield* store.messages(bot, "c", { limit: 200 })).items.length
      })
      expect(yield* fill.pipe(Effect.provide(both(":memory:", { sweepEvery: "1h", keepMessages: "5d" })))).toBe(5)
      expect(yield* fill.pipe(Effect.provide(both(":memory:", { sweepEvery: "1h" })))).toBe(20)
    })
  )
})

describe("plans", () => {
  it.effect("I23 no statement scans a table or sorts one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const named = (of: string, given: Readonly<Record<string, string>>) =>
        Object.fromEntries(Object.entries(given).map(([name, statement]) => [`${of} ${name}`, statement]))
      const statements = {
        ...checkpointStatements,
        ...chatStatements,
        ...fieldStatements,
        ...sweepStatements,
        ...named("key", keyStatements),
        ...named("inbox", inboxStatements),
        ...named("outbox", outboxStatements),
        ...named("job", jobStatements)
      }
      const plans: Record<string, string> = {}
      for (const [name, statement] of Object.entries(statements)) {
        const rows = yield* sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${statement}`)
        plans[name] = rows.map(({ detail }) => detail).join("; ")
      }
      const { messages, ...rest } = plans
      expect(Object.values(rest).filter((plan) => /\bSCAN (?!oldest)|TEMP B-TREE/u.test(plan))).toEqual([])
      // In the order of its key, and no further than its LIMIT.
      expect(messages).toContain("SCAN botmesh_message")
      expect(plans.due).toBe("SEARCH botmesh_checkpoint USING INDEX botmesh_checkpoint_wake (bot=? AND wake_at<?)")
      expect(plans.page).toBe("SEARCH botmesh_message USING INDEX botmesh_message_page (bot=? AND chat=? AND seq<?)")
    }).pipe(Effect.provide(both(":memory:")))
  )
})
