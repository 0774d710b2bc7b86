import { Store } from "@botmesh/core/spi"
import { SqliteClient, SqliteStore } from "@botmesh/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { directory, start } from "./child/Child.ts"

const bot = "t/processes"
const file = Effect.map(directory, (path) => join(path, "bot.db"))

const check = (filename: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<{ integrity_check: string }>`PRAGMA integrity_check`
  }).pipe(Effect.provide(SqliteClient.layer({ filename })))

describe("SQLite and processes", () => {
  it.live(
    "ST1 kill -9 at any moment leaves a readable file that holds every write that was answered",
    () =>
      Effect.gen(function* () {
        const filename = yield* file
        let stored = 0
        for (let round = 0; round < 4; round++) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const child = yield* start("write", filename)
              yield* child.said(20 + round * 7)
              child.process.kill("SIGKILL")
              const lines = yield* child.ended
              expect(lines.length).toBeGreaterThanOrEqual(20)
              const last = Number(lines.at(-1))
              expect(lines.map(Number)).toEqual(lines.map((_, index) => stored + 1 + index))
              const found = yield* Effect.gen(function* () {
                const store = yield* Store
                const { checkpoint } = yield* store.getCheckpoint(bot, "k")
                const { items } = yield* store.messages(bot, "c", { limit: 1 })
                return [checkpoint?.revision ?? 0, Number(items[0]?.id.slice(1))] as const
              }).pipe(Effect.provide(SqliteStore.layer({ filename })))
              // The write that was under way may have landed; nothing of it is half there.
              expect(found[0] - last).toBeOneOf([0, 1])
              expect(found[1] - last).toBeOneOf([0, 1])
              stored = found[0]
            })
          )
          expect(yield* check(filename)).toEqual([{ integrity_check: "ok" }])
        }
      }),
    60_000
  )

  it.live(
    "DUR-04 four processes on one new file: no revision of a checkpoint is won twice, no field of a profile is lost",
    () =>
      Effect.gen(function* () {
        const filename = yield* file
        const children = yield* Effect.all([1, 2, 3, 4].map(() => start("race", filename, "150")))
        const won = yield* Effect.forEach(children, (child) => child.ended, { concurrency: "unbounded" })
        const wins = won.map((lines) => Number(lines[0]))
        const [revision, profile] = yield* Effect.gen(function* () {
          const store = yield* Store
          return [(yield* store.getCheckpoint(bot, "k")).checkpoint?.revision, yield* store.profile(bot, "u")] as const
        }).pipe(Effect.provide(SqliteStore.layer({ filename })))
        expect(revision).toBe(wins.reduce((sum, wins) => sum + wins, 0))
        expect(wins.every((wins) => wins > 0)).toBe(true)
        expect(Object.values(profile)).toEqual([150, 150, 150, 150])
        expect(yield* check(filename)).toEqual([{ integrity_check: "ok" }])
      }),
    60_000
  )

  it.live(
    "H a locked file is waited for without standing still, then fails as busy",
    () =>
      Effect.gen(function* () {
        const filename = yield* file
        yield* Effect.gen(function* () {
          const store = yield* Store
          const child = yield* start("lock", filename)
          yield* child.said(1)
          let ticks = 0
          const ticking = yield* Effect.sleep("5 millis").pipe(
            Effect.andThen(Effect.sync(() => ticks++)),
            Effect.forever,
            Effect.forkChild
          )
          const error = yield* Effect.flip(store.setValue(bot, "a", "1"))
          yield* Fiber.interrupt(ticking)
          expect([error.reason, error.isRetryable]).toEqual(["busy", true])
          expect(error.message).toContain("raise busyTimeout")
          // A call that blocked for all of busyTimeout would have let nothing tick.
          expect(ticks).toBeGreaterThan(3)
          expect(yield* store.getValue(bot, "a")).toBeUndefined()
          const waiting = yield* Effect.forkChild(store.setValue(bot, "a", "2"), { startImmediately: true })
          child.process.stdin.end()
          yield* Fiber.join(waiting)
          expect(yield* store.getValue(bot, "a")).toBe("2")
        }).pipe(Effect.provide(SqliteStore.layer({ filename, busyTimeout: "600ms" })))
      }),
    60_000
  )

  it.live("H a directory that may not be written is told by name", () =>
    Effect.gen(function* () {
      const path = yield* directory
      chmodSync(path, 0o500)
      const lines = yield* Effect.flatMap(start("unprivileged", join(path, "bot.db")), (child) => child.ended)
      chmodSync(path, 0o700)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatch(/^unavailable .*bot\.db cannot be written: give this user write permission/)
    })
  )

  it.live(
    "I23 dormant checkpoints stay outside of the heap, however many lie on the disk",
    () =>
      Effect.gen(function* () {
        const filename = yield* file
        const count = 100_000
        yield* Effect.gen(function* () {
          yield* Store
          const sql = yield* SqlClient.SqlClient
          const row = { ...dormant, state: { filler: "x".repeat(200) } }
          yield* sql`
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
            INSERT INTO botmesh_checkpoint (bot, key, run, revision, fence, data, applied)
            SELECT ${bot}, printf('%08d', i), 'r', 1, 1, ${JSON.stringify(row)}, '[]' FROM n`
        }).pipe(
          Effect.provide(
            SqliteStore.layerStore().pipe(
              Layer.provide(SqliteStore.layerMigrations),
              Layer.provideMerge(SqliteClient.layer({ filename }))
            )
          )
        )
        const child = yield* start("walk", filename)
        const [seen, grown] = ((yield* child.ended)[0] ?? "").split(" ").map(Number)
        expect(seen).toBe(count)
        expect(grown).toBeLessThan(20)
      }),
    60_000
  )
})

const dormant = {
  format: 1,
  id: "r",
  visit: 1,
  flow: "f",
  version: "v",
  stepId: "s",
  ops: [],
  pending: [],
  origin: { id: "1", from: "c", sender: "c", isGroup: false, type: "text", body: "hola" },
  trail: [],
  cuts: 0,
  applied: [],
  revision: 1,
  fence: 1
}
