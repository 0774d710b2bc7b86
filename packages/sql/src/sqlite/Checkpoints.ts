import type { CheckpointRow, StoreDriver } from "@botmesh/core/spi"
import { Clock, Effect } from "effect"
import { checkpointStatements, putStatement, readCheckpoint } from "../rows/Checkpoints.ts"
import { number, numberOrNull, text } from "../rows/Column.ts"
import type { SqliteClientShape } from "./Client.ts"

const { due, find, list, raise } = checkpointStatements

/** How many rows one page looks at before it stops short of its limit: tombstones are skipped, not walked without end. */
const scanned = 5_000

type Methods = Pick<StoreDriver, "getCheckpoint" | "putCheckpoint" | "raiseFence" | "checkpoints" | "due">

export const checkpointMethods = (client: SqliteClientShape): Methods => ({
  getCheckpoint: (bot, key) =>
    client.use("getCheckpoint", (prepare) => {
      const row = prepare(find).get(bot, key)
      return row === undefined ? undefined : readCheckpoint(row)
    }),
  putCheckpoint: (bot, key, row, now) =>
    client.write("putCheckpoint", (prepare) => {
      const [write, values] = putStatement(bot, key, row, now)
      return prepare(write).run(...values).changes === 1
    }),
  raiseFence: (bot, key, fence) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      client.write("raiseFence", (prepare) => {
        const row = prepare(raise).get(bot, key, fence, now)
        return row === undefined ? fence : number(row, "fence")
      })
    ),
  checkpoints: (bot, { after, limit, now }) =>
    client.use("checkpoints", (prepare) => {
      const items: Array<{ readonly key: string; readonly row: CheckpointRow }> = []
      let seen = 0
      let last = ""
      for (const row of prepare(list).iterate(bot, after ?? "", scanned)) {
        if (items.length === limit) return { items, next: last }
        last = text(row, "key")
        seen++
        const expires = numberOrNull(row, "expires")
        if (row.data !== null && (expires === null || expires > now))
          items.push({ key: last, row: readCheckpoint(row) })
      }
      return seen === scanned ? { items, next: last } : { items }
    }),
  due: (bot, { before, limit, now }) =>
    client.use("due", (prepare) =>
      prepare(due)
        .all(bot, before, now, limit)
        .map((row) => ({ key: text(row, "key"), wakeAt: number(row, "wake_at") }))
    )
})
