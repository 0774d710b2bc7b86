/** A process of its own on a file the test names: `node main.ts MODE FILE [COUNT]`. It says what it did a line at a time. */
import { type Checkpoint, Store } from "@botmesh/core/spi"
import { SqliteClient, SqliteStore } from "@botmesh/sql"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { writeSync } from "node:fs"

const [mode = "", filename = "", count = "0"] = process.argv.slice(2)
// Synchronous: a line that was printed before the kill is seen by the parent.
const say = (line: string | number) => Effect.sync(() => void writeSync(1, `${line}\n`))
const bot = "t/processes"

const at = (revision: number): Checkpoint => ({
  format: 1,
  id: "run",
  visit: 1,
  flow: "f",
  version: "v",
  stepId: "s",
  state: { by: process.pid, filler: "x".repeat(2_000) },
  ops: [],
  pending: [],
  origin: { id: "1", from: "c", sender: "c", isGroup: false, type: "text", body: "hola" },
  trail: [],
  cuts: 0,
  applied: [],
  revision,
  fence: 1
})

const advance = Effect.fnUntraced(function* (key: string) {
  const store = yield* Store
  const { checkpoint } = yield* store.getCheckpoint(bot, key)
  const revision = (checkpoint?.revision ?? 0) + 1
  return (yield* store.setCheckpointIf(bot, key, at(revision))) ? revision : undefined
})

/** Writes until it is killed, in turn a checkpoint and a message; says each revision once it is stored. */
const write = Effect.gen(function* () {
  const store = yield* Store
  for (;;) {
    const revision = yield* advance("k")
    yield* store.admit(
      bot,
      { id: "c", isGroup: false },
      { id: "c" },
      { id: `m${revision}`, chatId: "c", sender: "c", direction: "in", type: "text", body: "hola", at: 1 }
    )
    yield* say(revision ?? "refused")
  }
})

/** Tries `count` times to move the checkpoint that others move too, and counts in a field of its own; says how often it won. */
const race = Effect.gen(function* () {
  const store = yield* Store
  let won = 0
  for (let attempt = 1; attempt <= Number(count); attempt++) {
    if ((yield* advance("k")) !== undefined) won++
    yield* store.setProfile(bot, "u", `by${process.pid}`, attempt)
  }
  yield* say(won)
})

/** Holds the write lock until its input ends. */
const lock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const closed = Effect.callback<void>((resume) => {
    process.stdin.on("close", () => resume(Effect.void)).resume()
  })
  yield* sql.withTransaction(Effect.andThen(say("locked"), closed))
}).pipe(Effect.provide(SqliteClient.layer({ filename })))

/** Reads every dormant checkpoint and says by how many megabytes the heap grew. */
const walk = Effect.gen(function* () {
  const store = yield* Store
  yield* store.checkpoints(bot, { limit: 10 })
  const heap = () => {
    globalThis.gc?.()
    return process.memoryUsage().heapUsed / 1e6
  }
  const before = heap()
  let seen = 0
  let after: string | undefined
  do {
    const page: { readonly items: ReadonlyArray<unknown>; readonly next?: string } = yield* store.checkpoints(
      bot,
      after === undefined ? { limit: 1_000 } : { limit: 1_000, after }
    )
    seen += page.items.length
    after = page.next
  } while (after !== undefined)
  yield* say(`${seen} ${(heap() - before).toFixed(1)}`)
})

/** Opens the file without the rights of root, which no permission stops. */
const unprivileged = Effect.suspend(() => {
  if (process.getuid?.() === 0) process.setuid?.(65_534)
  return Effect.void.pipe(Effect.provide(SqliteStore.layer({ filename })))
}).pipe(Effect.catch((error) => say("reason" in error ? `${error.reason} ${error.message}` : error.message)))

const store = SqliteStore.layer({ filename })
const modes: Record<string, Effect.Effect<void, unknown>> = {
  write: write.pipe(Effect.provide(store)),
  race: race.pipe(Effect.provide(store)),
  walk: walk.pipe(Effect.provide(store)),
  lock,
  unprivileged
}
const chosen = modes[mode]
if (chosen === undefined) throw new Error(`no mode "${mode}"`)
await Effect.runPromise(chosen)
