import type { StoreDriver } from "@botmesh/core/spi"
import { Effect } from "effect"
import { numberOrNull, text, whole } from "../rows/Column.ts"
import { fieldStatements, readField, readParts, takeFenced, writeFenced } from "../rows/Fields.ts"
import type { Param } from "../rows/Script.ts"
import type { PostgresClientShape } from "./Client.ts"

const { dropHandoff, dropProfile, dropValue, getValue, handoff, open, profile, setHandoff, setProfile, setValue } =
  fieldStatements

type Methods = Pick<
  StoreDriver,
  "open" | "profile" | "setProfile" | "handoff" | "setHandoff" | "getValue" | "setValue" | "takeValue" | "putValue"
>

export const fieldMethods = (client: PostgresClientShape): Methods => {
  /** Writes or deletes one row. */
  const set = (
    operation: string,
    write: string,
    drop: string,
    id: ReadonlyArray<Param>,
    values: ReadonlyArray<Param> | null
  ) =>
    Effect.asVoid(
      values === null ? client.query(operation, drop, id) : client.query(operation, write, [...id, ...values])
    )
  return {
    open: (bot, key, chatId, userId) => Effect.map(client.query("open", open, [bot, key, chatId, userId]), readParts),
    profile: (bot, userId) =>
      Effect.map(client.query("profile", profile, [bot, userId]), (rows) => rows.map(readField)),
    setProfile: (bot, userId, field, json) =>
      set("setProfile", setProfile, dropProfile, [bot, userId, field], json === null ? null : [json]),
    handoff: (bot, chatId) =>
      Effect.map(client.query("handoff", handoff, [bot, chatId]), ([row]) =>
        row === undefined ? null : text(row, "value")
      ),
    setHandoff: (bot, chatId, json) =>
      set("setHandoff", setHandoff, dropHandoff, [bot, chatId], json === null ? null : [json]),
    getValue: (bot, name) =>
      Effect.map(client.query("getValue", getValue, [bot, name]), ([row]) =>
        row === undefined ? undefined : { value: text(row, "value"), expires: numberOrNull(row, "expires") }
      ),
    setValue: (bot, name, value, expires) =>
      set("setValue", setValue, dropValue, [bot, name], value === null ? null : [value, whole(expires)]),
    takeValue: (bot, name, fence, now) => client.transact("takeValue", () => takeFenced(bot, name, fence, now)),
    putValue: (bot, name, row, now) => client.transact("putValue", () => writeFenced(bot, name, row, now))
  }
}
