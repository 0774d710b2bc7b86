import type { StoreDriver } from "@botmesh/core/spi"
import { numberOrNull, text, whole } from "../rows/Column.ts"
import { fieldStatements, readField, readParts } from "../rows/Fields.ts"
import type { SqliteClientShape } from "./Client.ts"

const { dropHandoff, dropProfile, dropValue, getValue, handoff, open, profile, setHandoff, setProfile, setValue } =
  fieldStatements

type Methods = Pick<StoreDriver, "open" | "profile" | "setProfile" | "handoff" | "setHandoff" | "getValue" | "setValue">

export const fieldMethods = (client: SqliteClientShape): Methods => {
  /** Writes or deletes one row. */
  const set = (operation: string, write: string, drop: string, id: ReadonlyArray<string>, values: Values) =>
    client.write(operation, (prepare) => {
      if (values === null) prepare(drop).run(...id)
      else prepare(write).run(...id, ...values)
    })
  return {
    open: (bot, key, chatId, userId) =>
      client.use("open", (prepare) => readParts(prepare(open).all(bot, key, chatId, userId))),
    profile: (bot, userId) => client.use("profile", (prepare) => prepare(profile).all(bot, userId).map(readField)),
    setProfile: (bot, userId, field, json) =>
      set("setProfile", setProfile, dropProfile, [bot, userId, field], json === null ? null : [json]),
    handoff: (bot, chatId) =>
      client.use("handoff", (prepare) => {
        const row = prepare(handoff).get(bot, chatId)
        return row === undefined ? null : text(row, "value")
      }),
    setHandoff: (bot, chatId, json) =>
      set("setHandoff", setHandoff, dropHandoff, [bot, chatId], json === null ? null : [json]),
    getValue: (bot, name) =>
      client.use("getValue", (prepare) => {
        const row = prepare(getValue).get(bot, name)
        return row === undefined ? undefined : { value: text(row, "value"), expires: numberOrNull(row, "expires") }
      }),
    setValue: (bot, name, value, expires) =>
      set("setValue", setValue, dropValue, [bot, name], value === null ? null : [value, whole(expires)])
  }
}

type Values = ReadonlyArray<string | number | null> | null
