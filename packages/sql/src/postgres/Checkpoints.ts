import type { StoreDriver } from "@botmesh/core/spi"
import { Clock, Effect } from "effect"
import { checkpointStatements, columns, putStatement, readCheckpoint } from "../rows/Checkpoints.ts"
import { number, text } from "../rows/Column.ts"
import type { PostgresClientShape } from "./Client.ts"

const { due, find, raise } = checkpointStatements

/** The server skips what is not live: a page is full, or the last one. */
const list = `
SELECT ${columns} FROM botmesh_checkpoint
WHERE bot = ?1 AND key > ?2 AND data IS NOT NULL AND (expires IS NULL OR expires > ?3)
ORDER BY key LIMIT ?4`

type Methods = Pick<StoreDriver, "getCheckpoint" | "putCheckpoint" | "raiseFence" | "checkpoints" | "due">

export const checkpointMethods = (client: PostgresClientShape): Methods => ({
  getCheckpoint: (bot, key) =>
    Effect.map(client.query("getCheckpoint", find, [bot, key]), ([row]) =>
      row === undefined ? undefined : readCheckpoint(row)
    ),
  putCheckpoint: (bot, key, row, now) => {
    const [write, values] = putStatement(bot, key, row, now)
    return Effect.map(client.query("putCheckpoint", `${write} RETURNING 1`, values), (rows) => rows.length === 1)
  },
  raiseFence: (bot, key, fence) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(client.query("raiseFence", raise, [bot, key, fence, now]), ([row]) =>
        row === undefined ? fence : number(row, "fence")
      )
    ),
  checkpoints: (bot, { after, limit, now }) =>
    Effect.map(client.query("checkpoints", list, [bot, after ?? "", now, limit + 1]), (rows) => {
      const items = rows.slice(0, limit).map((row) => ({ key: text(row, "key"), row: readCheckpoint(row) }))
      const last = rows.length > limit ? items.at(-1) : undefined
      return last === undefined ? { items } : { items, next: last.key }
    }),
  due: (bot, { before, limit, now }) =>
    Effect.map(client.query("due", due, [bot, before, now, limit]), (rows) =>
      rows.map((row) => ({ key: text(row, "key"), wakeAt: number(row, "wake_at") }))
    )
})
