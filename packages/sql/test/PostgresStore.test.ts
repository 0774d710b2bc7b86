import { fenceTtl, Store } from "@botmesh/core/spi"
import { StoreSuite } from "@botmesh/core/testing"
import { PostgresClient, PostgresStore } from "@botmesh/sql"
import { postgres } from "@botmesh/test-services"
import { expect, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { describePostgres, describeServers, schema, serverUrl } from "./Live.ts"

const bot = "t/postgres"
/** Starting a server takes seconds where the machine is busy. */
const patience = 60_000
const failure = (options: Parameters<typeof PostgresStore.layer>[0]) =>
  Effect.flip(Layer.build(PostgresStore.layer(options)))
const migrated = (client: ReturnType<typeof PostgresClient.layer>, options: PostgresStore.PostgresStoreOptions = {}) =>
  PostgresStore.layerStore(options).pipe(Layer.provide(PostgresStore.layerMigrations), Layer.provideMerge(client))

describePostgres("what a Postgres keeps", () => {
  const url = serverUrl()
  const client = Effect.map(url, (url) => PostgresClient.layer({ url, schema: schema() }))
  const store = (options: PostgresStore.PostgresStoreOptions = {}) =>
    Layer.unwrap(Effect.map(client, (client) => migrated(client, options)))

  it.effect(
    "H a store is found again by the next process, its name and nature told",
    () =>
      Effect.gen(function* () {
        const layer = PostgresStore.layer({ url: yield* url, schema: schema() })
        yield* Effect.gen(function* () {
          const store = yield* Store
          expect([store.name, store.persistent]).toEqual(["postgres", true])
          yield* store.setCheckpointIf(bot, "k", { ...StoreSuite.format1Checkpoint, revision: 1 })
        }).pipe(Effect.provide(layer, { local: true }))
        yield* Effect.gen(function* () {
          expect((yield* (yield* Store).getCheckpoint(bot, "k")).checkpoint?.state).toEqual({ name: "Ana" })
        }).pipe(Effect.provide(layer, { local: true }))
      }),
    patience
  )

  it.effect(
    "R1 a checkpoint of format 1 is read as it was meant",
    () =>
      Effect.gen(function* () {
        const store = yield* Store
        const sql = yield* SqlClient.SqlClient
        const { applied, data, expires, fence, id, revision, wakeAt } = StoreSuite.format1Row
        yield* sql`INSERT INTO botmesh_checkpoint (bot, key, run, revision, fence, expires, data, applied, wake_at)
        VALUES (${bot}, ${"k"}, ${id}, ${revision}, ${fence}, ${expires}, ${data}, ${applied}, ${wakeAt})`
        expect(yield* store.getCheckpoint(bot, "k")).toEqual({ checkpoint: StoreSuite.format1Checkpoint })
      }).pipe(Effect.provide(store())),
    patience
  )

  it.effect(
    "A6 a text with characters that Postgres cannot hold comes back as it came",
    () =>
      Effect.gen(function* () {
        const store = yield* Store
        const odd = "a\u0000b\u0001c\u00010\u0001\u0000"
        const message = { chatId: odd, sender: odd, direction: "in", type: "text", at: 1 } as const
        yield* store.saveMessage(bot, { ...message, id: odd, body: odd })
        yield* store.saveMessage(bot, { ...message, id: odd, body: "again" })
        expect((yield* store.messages(bot, odd, { limit: 9 })).items).toEqual([{ ...message, id: odd, body: odd }])
      }).pipe(Effect.provide(store())),
    patience
  )

  it.effect(
    "H layerStore refuses a database without tables, with some of them or of a newer release, and says what to do",
    () =>
      Effect.gen(function* () {
        const connected = yield* client
        const store = PostgresStore.layerStore().pipe(Layer.provide(connected))
        const refusal = Effect.map(Effect.flip(Layer.build(store)), (error) => error.message)
        const version = (change: string) =>
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(change)).pipe(Effect.provide(connected))
        expect(yield* refusal).toMatch(/has no botmesh tables: run PostgresStore\.layerMigrations on it once/u)
        yield* Layer.build(PostgresStore.layerMigrations.pipe(Layer.provide(connected)))
        expect(Exit.isSuccess(yield* Effect.exit(Layer.build(store)))).toBe(true)
        yield* version("INSERT INTO botmesh_migration (migration_id, name) VALUES (99, 'future')")
        expect(yield* refusal).toMatch(/was prepared by a newer botmesh \(version 99, .*update @botmesh\/sql/u)
        yield* version("DELETE FROM botmesh_migration")
        expect(yield* refusal).toMatch(/has no botmesh tables/u)
      })
  )

  it.effect(
    "H four processes that migrate at once all succeed, and the store is there",
    () =>
      Effect.gen(function* () {
        const options = { url: yield* url, schema: schema() }
        yield* Effect.forEach([1, 2, 3, 4], () => Layer.build(PostgresStore.layer(options)), { concurrency: 4 })
      }),
    patience
  )

  it.effect(
    "H to run takes no right to create: reading and writing rows is enough",
    () =>
      Effect.gen(function* () {
        const home = schema()
        const role = `runner_${home}`
        const admin = PostgresClient.layer({ url: yield* url, schema: home })
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* Layer.build(PostgresStore.layerMigrations)
          yield* sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`)
          yield* sql.unsafe(`GRANT USAGE ON SCHEMA ${home} TO ${role}`)
          yield* sql.unsafe(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${home} TO ${role}`)
        }).pipe(Effect.provide(admin))
        const runner = new URL(yield* url)
        runner.username = role
        runner.password = "secret"
        const connected = PostgresClient.layer({ url: runner.href, schema: home })
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const denied = yield* Effect.flip(sql.unsafe("CREATE TABLE other (id INTEGER)"))
          expect(denied.reason._tag).toBe("AuthorizationError")
          const store = yield* Store
          const chat = { id: "c", isGroup: false }
          const message = {
            id: "m",
            chatId: "c",
            sender: "c",
            direction: "in",
            type: "text",
            body: "x",
            at: 1
          } as const
          expect(yield* store.admit(bot, chat, { id: "c" }, message)).toEqual({ firstContact: true })
          expect(yield* store.setCheckpointIf(bot, "k", { ...StoreSuite.format1Checkpoint, revision: 1 })).toBe(true)
          yield* store.setProfile(bot, "u", "name", "Ana")
          yield* store.setValue(bot, "v", "1")
        }).pipe(Effect.provide(PostgresStore.layerStore().pipe(Layer.provideMerge(connected))))
      }),
    patience
  )

  it.effect(
    "I23 what is gone by time is deleted once nobody can miss it",
    () =>
      Effect.gen(function* () {
        const store = yield* Store
        const sql = yield* SqlClient.SqlClient
        const count = Effect.map(sql<{ rows: bigint }>`SELECT count(*) AS rows FROM botmesh_checkpoint`, ([row]) =>
          Number(row?.rows)
        )
        const swept = (rows: number) =>
          TestClock.adjust("1 hour").pipe(
            // The sweep waits for the database, and only then for the next hour.
            Effect.andThen(TestClock.withLive(Effect.andThen(Effect.sleep(5), count))),
            Effect.repeat({ until: (found) => found === rows })
          )
        yield* TestClock.adjust(1)
        const first = { ...StoreSuite.format1Checkpoint, revision: 1 }
        yield* store.setCheckpointIf(bot, "live", first)
        yield* sql`
        INSERT INTO botmesh_checkpoint (bot, key, run, revision, fence, expires, data, applied)
        SELECT ${bot}, 'e' || n, 'r', 1, 1, 1000, '{}', '[]' FROM generate_series(1, 1200) AS n`
        yield* TestClock.adjust(fenceTtl)
        expect(yield* swept(1)).toBe(1)
        expect((yield* store.getCheckpoint(bot, "live")).checkpoint).toEqual(first)
      }).pipe(Effect.provide(store({ sweepEvery: "1h" }))),
    patience
  )

  it.effect(
    "B11 an option out of range names its field; each takes a Config",
    () =>
      Effect.gen(function* () {
        const given = { url: yield* url }
        const wrong = [
          { url: "mysql://x" },
          { ...given, schema: "No; such" },
          { ...given, maxConnections: 0 },
          { ...given, timeout: 0 },
          { ...given, idleTimeout: "soon" },
          { ...given, sweepEvery: 0 },
          { ...given, keepMessages: "0s" }
        ]
        const fields = yield* Effect.forEach(wrong, (options) =>
          Effect.map(failure(options), (error) => ("field" in error ? error.field : error._tag))
        )
        const names = ["url", "schema", "maxConnections", "timeout", "idleTimeout", "sweepEvery", "keepMessages"]
        expect(fields).toEqual(names.map((name) => `postgres.${name}`))
        const options = { url: Config.Redacted("DATABASE_URL"), schema: Config.String("SCHEMA") }
        const env = { DATABASE_URL: given.url, SCHEMA: schema() }
        yield* Layer.build(PostgresStore.layer(options)).pipe(
          Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env)))
        )
      }),
    patience
  )
})

describeServers("a Postgres that fails", () => {
  it.live(
    "H one that cannot be reached is told as unavailable, one that refuses us as invalid",
    () =>
      Effect.gen(function* () {
        const gone = yield* failure({ url: "postgres://bot@127.0.0.1:1/postgres" })
        expect(gone.message).toMatch(/^postgres \w+ failed \(unavailable\): .*ECONNREFUSED/u)
        const server = yield* postgres()
        const stranger = yield* failure({ url: `postgres://nobody@127.0.0.1:${server.port}/postgres` })
        expect(stranger.message).toMatch(/\(invalid\): role "nobody" does not exist/u)
      }),
    patience
  )

  it.live(
    "H a restart in the middle is waited out, and nothing that was stored is lost",
    () =>
      Effect.gen(function* () {
        const server = yield* postgres()
        yield* Effect.gen(function* () {
          const store = yield* Store
          yield* store.setValue(bot, "before", "1")
          yield* server.stop("kill")
          yield* Effect.all([store.setValue(bot, "after", "2"), server.start], { concurrency: 2 })
          expect([yield* store.getValue(bot, "before"), yield* store.getValue(bot, "after")]).toEqual(["1", "2"])
        }).pipe(Effect.provide(PostgresStore.layer({ url: server.url })))
      }),
    patience
  )

  it.live(
    "H one that answers nothing fails the call after the timeout",
    () =>
      Effect.gen(function* () {
        const server = yield* postgres()
        const client = PostgresClient.layer({ url: server.url, timeout: "300ms", maxConnections: 1 })
        yield* Effect.gen(function* () {
          const store = yield* Store
          const sql = yield* SqlClient.SqlClient
          // The one connection is taken for longer than anybody waits.
          yield* Effect.forkScoped(sql.withTransaction(sql`SELECT pg_sleep(30)`), { startImmediately: true })
          const error = yield* Effect.flip(store.getValue(bot, "x"))
          expect(error.message).toMatch(/\(unavailable\): no reply within 300 ms/u)
        }).pipe(Effect.scoped, Effect.provide(migrated(client)))
      }),
    patience
  )
})
