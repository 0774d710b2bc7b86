/** Opens the SQLite file of a bot that need not run. */
import { Store } from "@botmesh/core"
import type { BotScope } from "@botmesh/core/spi"
import { SqliteClient, SqliteStore } from "@botmesh/sql"
import { Effect, FileSystem, Layer, Option, Path, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { refused } from "../Refused.ts"

/** The store of an existing file: nothing is created, and nothing migrated. */
export const layerData = (data: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const filename = (yield* Path.Path).resolve(data)
      const exists = yield* Effect.orElseSucceed(files.exists(filename), () => false)
      if (!exists)
        return yield* refused(`There is no file ${filename}: give the SQLite file your bot keeps its data in`)
      return SqliteStore.layerStore().pipe(Layer.provideMerge(SqliteClient.layer({ filename })))
    })
  )

const Bots = Schema.Array(Schema.Struct({ bot: Schema.String }))

/** The bots with something stored, as `tenant/id`. */
const botsIn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT bot FROM botmesh_chat UNION SELECT bot FROM botmesh_checkpoint ORDER BY bot`
  return (yield* Schema.decodeUnknownEffect(Bots)(rows)).map(({ bot }) => bot)
})

/** The bot that was asked for, or the only one there is. */
export const chosenBot = Effect.fnUntraced(function* (asked: Option.Option<string>) {
  const bots = yield* botsIn
  if (Option.isSome(asked)) {
    const scope: BotScope = asked.value.includes("/") ? asked.value : `default/${asked.value}`
    if (bots.includes(scope)) return scope
    return yield* refused(
      bots.length === 0
        ? "Nothing is stored in this file yet"
        : `There is no bot ${scope} in this file, but ${bots.join(", ")}`
    )
  }
  const [only, ...others] = bots
  if (only === undefined) return yield* refused("Nothing is stored in this file yet")
  if (others.length > 0) {
    return yield* refused(`Several bots keep their data in this file: say which with --bot (${bots.join(", ")})`)
  }
  return only
})

/** The stored conversation of a key. */
export const checkpointOf = Effect.fnUntraced(function* (scope: BotScope, key: string) {
  const store = yield* Store
  const { checkpoint } = yield* store.getCheckpoint(scope, key)
  if (checkpoint === undefined) {
    return yield* refused(
      `${scope} has no conversation under the key ${key}: \`botmesh conversations list\` shows those it has`
    )
  }
  return checkpoint
})
