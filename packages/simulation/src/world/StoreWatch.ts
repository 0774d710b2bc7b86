/** The world's own eyes on the store: every write and read of a conversation, as the store itself decided it. */
import type { CheckpointRow, StoreDriver } from "@botmesh/core/spi"
import { Effect } from "effect"
import type { Entry, Hold } from "../History.ts"
import type { Universe } from "./Universe.ts"

interface Row {
  readonly visit: number
  readonly size: number
}
const nothing: Row = { visit: 0, size: 0 }

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)
/** What the checkers need of a row; the store's own reading of it is not trusted. */
const readRow = (data: string | null): Row => {
  if (data === null) return nothing
  const row: unknown = JSON.parse(data)
  if (typeof row !== "object" || row === null) return nothing
  const fields = new Map(Object.entries(row))
  const visit = fields.get("visit")
  const sizes = ["ops", "pending", "applied", "trail"].map((list) => lengthOf(fields.get(list)))
  return { visit: typeof visit === "number" ? visit : 0, size: Math.max(...sizes) }
}

export interface StoreWatch {
  /** The store as `machine` reaches it, under the wire: `nth` names each write for what its caller learns of it. */
  readonly seenBy: (machine: string) => StoreDriver
  readonly writes: () => number
}

/** @param look what stands at the coordinator as a machine reads or writes a key */
export const watchStore = (
  driver: StoreDriver,
  universe: Universe,
  note: (entry: Entry) => void,
  look: (machine: string, key: string) => { readonly hold: Hold; readonly fence: number }
): StoreWatch => {
  let writes = 0
  /** One step: no other machine runs between the act and what is seen of it. */
  const seen = <A, E>(act: Effect.Effect<A, E>, after: (answer: A) => void): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      universe.atomic = true
      return Effect.map(act, (answer) => {
        after(answer)
        universe.atomic = false
        return answer
      })
    })
  const read = (machine: string, key: string, row: CheckpointRow | undefined): void =>
    note({
      _tag: "read",
      at: universe.now,
      machine,
      key,
      id: row?.id ?? "",
      revision: row?.revision ?? 0,
      clear: row !== undefined && row.data === null,
      fence: look(machine, key).fence
    })

  const seenBy = (machine: string): StoreDriver => ({
    ...driver,
    open: (bot, key, chatId, userId) =>
      seen(driver.open(bot, key, chatId, userId), ({ checkpoint }) => read(machine, key, checkpoint)),
    getCheckpoint: (bot, key) => seen(driver.getCheckpoint(bot, key), (row) => read(machine, key, row)),
    putCheckpoint: (bot, key, row, now) =>
      seen(driver.putCheckpoint(bot, key, row, now), (accepted) => {
        const { expires, fence, id, revision, wakeAt } = row
        const clear = row.data === null
        const { hold } = look(machine, key)
        const about = { key, hold, id, revision, fence, clear, accepted, wakeAt, expires }
        note({ _tag: "write", at: universe.now, machine, nth: ++writes, ...about, ...readRow(row.data) })
      }),
    raiseFence: (bot, key, fence) =>
      seen(driver.raiseFence(bot, key, fence), () => note({ _tag: "raise", at: universe.now, machine, key, fence }))
  })
  return { seenBy, writes: () => writes }
}
