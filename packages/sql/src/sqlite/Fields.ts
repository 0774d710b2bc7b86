import type { StoreDriver } from "@botmesh/core/spi"
import { numberOrNull, text, whole } from "../rows/Column.ts"
import { fieldStatements, readField, readParts, takeFenced, writeFenced } from "../rows/Fields.ts"
import type { Script } from "../rows/Script.ts"
import type { Prepare, SqliteClientShape } from "./Client.ts"

const { dropHandoff, dropProfile, dropValue, getValue, handoff, open, profile, setHandoff, setProfile, setValue } =
  fieldStatements

type Methods = Pick<
  StoreDriver,
  "open" | "profile" | "setProfile" | "handoff" | "setHandoff" | "getValue" | "setValue" | "takeValue" | "putValue"
>

const runScript =
  <A>(script: Script<A>) =>
  (prepare: Prepare): A => {
    let next = script.next([])
    while (next.done !== true) next = script.next(prepare(next.value.statement).all(...next.value.params))
    return next.value
  }

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
      set("setValue", setValue, dropValue, [bot, name], value === null ? null : [value, whole(expires)]),
    takeValue: (bot, name, fence, now) => client.transaction("takeValue", runScript(takeFenced(bot, name, fence, now))),
    putValue: (bot, name, row, now) => client.transaction("putValue", runScript(writeFenced(bot, name, row, now)))
  }
}

type Values = ReadonlyArray<string | number | null> | null
