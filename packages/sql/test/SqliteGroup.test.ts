import { StoreError } from "@botmesh/core/spi"
import { SqliteClient } from "@botmesh/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { join } from "node:path"
import { makeGroup } from "../src/sqlite/Group.ts"
import { directory } from "./child/Child.ts"

const wrong = (operation: string, cause: unknown) =>
  new StoreError({ store: "sqlite", operation, reason: "unavailable", detail: String(cause) })

/** A file that keeps rows, counts its commits and can break. */
const makeFile = () => {
  const file = { rows: [] as number[], commits: 0, open: false, broken: "" }
  const run = <A>(operation: string, f: () => A) => Effect.try({ try: f, catch: (cause) => wrong(operation, cause) })
  const atomically = (f: () => void): void => {
    const before = [...file.rows]
    file.open = true
    try {
      f()
      if (file.broken === "commit") throw new Error("the disk is full")
      file.commits++
    } catch (cause) {
      file.rows = before
      throw cause
    } finally {
      file.open = false
    }
  }
  const row = (n: number) => () => {
    if (n === 13) {
      file.open = file.broken !== "row"
      throw new Error("no 13")
    }
    file.rows.push(n)
    return n
  }
  const group = makeGroup({ run, atomically, isTransaction: () => file.open, error: wrong })
  return { file, group, row }
}
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe("group commit", () => {
  it.effect("GC1 GC2 what fibers write at one moment shares a commit; what fails of it takes nothing with it", () =>
    Effect.gen(function* () {
      const { file, group, row } = makeFile()
      const { add } = yield* group
      const results = yield* Effect.forEach(numbers(20), (n) => Effect.result(add(`w${n}`, row(n))), {
        concurrency: "unbounded"
      })
      expect(file.commits).toBe(1)
      expect(file.rows).toEqual(numbers(20).filter((n) => n !== 13))
      expect(results.map((result) => result._tag)).toEqual(numbers(20).map((n) => (n === 13 ? "Failure" : "Success")))
      yield* add("alone", row(20))
      expect([file.commits, file.rows.at(-1)], "one on its own needs no transaction").toEqual([1, 20])
    }).pipe(Effect.scoped)
  )

  it.effect("I23 a commit holds a bounded number of writes; none is left over", () =>
    Effect.gen(function* () {
      const { file, group, row } = makeFile()
      const { add } = yield* group
      yield* Effect.forEach(numbers(1000), (n) => add("w", row(n + 100)), { concurrency: "unbounded" })
      expect([file.commits, file.rows.length]).toEqual([4, 1000])
    }).pipe(Effect.scoped)
  )

  for (const broken of ["commit", "row"]) {
    it.effect(`GC2 all that a failed commit held fails, and the next stands (broken: ${broken})`, () =>
      Effect.gen(function* () {
        const { file, group, row } = makeFile()
        const { add } = yield* group
        file.broken = broken
        const write = (n: number) => Effect.exit(add("w", row(n)))
        const exits = yield* Effect.forEach([1, 2, 13, 4], write, { concurrency: "unbounded" })
        expect(exits.every(Exit.isFailure)).toBe(true)
        expect(file.rows).toEqual([])
        file.broken = ""
        yield* Effect.forEach([1, 2], write, { concurrency: "unbounded" })
        expect(file.rows).toEqual([1, 2])
      }).pipe(Effect.scoped)
    )
  }

  it.effect("GC1 GC3 on a file: read by another connection when they end, no lock kept, closing waits for them", () =>
    Effect.gen(function* () {
      const filename = join(yield* directory, "bot.db")
      const open = Layer.build(SqliteClient.layer({ filename }))
      const other = yield* open
      const count = Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ n: number }>`SELECT count(*) AS n FROM t`),
        other
      )
      yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TABLE t (id INTEGER PRIMARY KEY)`),
        other
      )
      const insert = (id: number) =>
        Effect.flatMap(SqliteClient.SqliteClient, (client) =>
          client.write("insert", (prepare) => prepare("INSERT INTO t VALUES (?)").run(id))
        )
      yield* Effect.gen(function* () {
        const results = yield* Effect.forEach([1, 2, 3, 2, 4], (id) => Effect.exit(insert(id)), {
          concurrency: "unbounded"
        })
        expect(results.map(Exit.isSuccess)).toEqual([true, true, true, false, true])
        expect(yield* count).toEqual([{ n: 4 }])
        yield* Effect.provide(insert(5), other)
        yield* Effect.forkDetach(insert(6), { startImmediately: true })
        yield* Effect.forkDetach(insert(7), { startImmediately: true })
      }).pipe(Effect.provide(SqliteClient.layer({ filename })))
      expect(yield* count).toEqual([{ n: 7 }])
    }).pipe(Effect.scoped)
  )
})
