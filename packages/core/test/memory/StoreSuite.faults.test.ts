/**
 * The suite finds what it is for: a plain store without a fault passes it, and with each planted fault the tests named
 * here fail (a deviation that passes is an error), and no others.
 */
import { MemoryStore } from "@botmesh/core"
import { type CheckpointRow, fenceTtl, fromDriver, Store, type StoreDriver } from "@botmesh/core/spi"
import { StoreSuite } from "@botmesh/core/testing"
import { Clock, Effect, Layer } from "effect"

const titles = {
  refused: "ST1 a refused write changes nothing",
  many: "ST1 of many writers of one revision exactly one is accepted",
  apart: "ST1 two keys and two bots never meet in a write",
  chain: "ST2 a run begins at revision 1 and each accepted write is one more",
  second: "ST2 a second run begins only when the first is cleared",
  repeat: "ST3 a repeat of the write that stands is accepted and changes nothing",
  other: "ST3 another write under the same id, revision and fence is no repeat",
  late: "ST4 a clear leaves a tombstone that refuses later writes of that run",
  kept: "ST4 a tombstone is kept seven days, and not a moment less",
  needs: "ST4 a clear needs its run alive at the revision before",
  over: "ST4 another run may begin over a tombstone",
  lower: "ST5 a write under a lower fence than the row's is refused, R5",
  raised: "ST5 a raised fence refuses every write below it, R5",
  bare: "ST5 a fence can be raised where nothing stands, and stands an hour, R5",
  outlives: "ST5 the fence of an expired row stands an hour longer, R5",
  expired: "ST6 an expired checkpoint is never returned, I16",
  anew: "ST6 each write sets the expiry anew, and one without keeps the row",
  profiles: "DUR-04 two replicas write different fields of one profile 1,000 times, ST7: both are kept",
  replicas: "DUR-04 two replicas write one checkpoint 1,000 times: one wins each time, the other is refused",
  first: "ST8 first contact is true for exactly one of 100 concurrent admits of a new chat",
  contacts: "ST8 a repeat is no first contact, a message of the bot is none, each bot and chat has its own",
  order: "A6 messages come newest first, in and out, each id once",
  pages: "A6 pages of messages give each once, also when new ones come in between",
  fenced: "ST9 a value under a fence is written under no lower one than it was written or read with, R13",
  fencedGone: "ST9 the fence of a value that was removed, or is gone by time, stands an hour longer, R13",
  listed: "I14 live checkpoints are listed once each, in order of their keys, across pages",
  due: "C23 keys are due at their wait's deadline, the earliest first",
  bots: "R21 two bots share nothing",
  model: "I13 any sequence of writes, clears, raises and hours ends as the model says (200 sequences)"
} as const
type Title = keyof typeof titles

/** What a wrong store does in place of the right thing; each is one flag of the plain store below. */
type Fault =
  | "CAS skipped"
  | "CAS in two steps"
  | "fence not compared"
  | "fence raised in another row than the write"
  | "fence gone with the expired row"
  | "repeat refused"
  | "any write under the same revision is a repeat"
  | "tombstone dropped at clear"
  | "tombstone kept for a day"
  | "tombstone of another run stands in the way"
  | "ephemeral checkpoint resumed after its ttl"

const bare = { id: "", revision: 0, data: null, applied: "[]", wakeAt: null } as const

/** Checkpoints as one would write them first: one map, one comparison after the other. */
const plain = (fault?: Fault): Partial<StoreDriver> => {
  const rows = new Map<string, CheckpointRow>()
  const isPast = (row: CheckpointRow, now: number) => row.expires !== null && row.expires <= now
  const accepts = (stands: CheckpointRow | undefined, next: CheckpointRow, now: number): boolean => {
    const begins = next.revision === 1 && next.data !== null
    if (stands === undefined) return begins
    const fenceStands = stands.expires === null || stands.expires + fenceTtl > now
    const past = isPast(stands, now)
    const compares = fault !== "fence not compared" && !(past && fault === "fence gone with the expired row")
    if (compares && fenceStands && stands.fence > next.fence) return false
    if (past) return begins
    if (stands.id !== next.id)
      return begins && stands.data === null && fault !== "tombstone of another run stands in the way"
    if (stands.revision === next.revision) {
      if (fault === "repeat refused") return false
      if (fault === "any write under the same revision is a repeat") return true
      return stands.fence === next.fence && stands.data === next.data && stands.applied === next.applied
    }
    return stands.data !== null && stands.revision + 1 === next.revision
  }
  const change = (next: CheckpointRow, now: number): CheckpointRow | undefined => {
    if (next.data !== null)
      return fault === "ephemeral checkpoint resumed after its ttl" ? { ...next, expires: null } : next
    if (fault === "tombstone dropped at clear") return undefined
    return fault === "tombstone kept for a day" ? { ...next, expires: now + 86_400_000 } : next
  }
  const live = (bot: string, now: number) =>
    [...rows]
      .filter(([at, row]) => at.startsWith(`${bot}|`) && row.data !== null && !isPast(row, now))
      .map(([at, row]) => ({ key: at.slice(bot.length + 1), row }))
  return {
    getCheckpoint: (bot, key) => Effect.sync(() => rows.get(`${bot}|${key}`)),
    putCheckpoint: Effect.fnUntraced(function* (bot, key, next, now) {
      const at = `${bot}|${key}`
      const stands = rows.get(at)
      if (fault !== "CAS skipped" && !accepts(stands, next, now)) return false
      if (fault === "CAS in two steps") yield* Effect.yieldNow
      // A repeat changes nothing, whatever stands.
      if (
        stands?.revision === next.revision &&
        accepts(stands, next, now) &&
        stands.id === next.id &&
        !isPast(stands, now)
      )
        return true
      const row = change(next, now)
      if (row === undefined) rows.delete(at)
      else rows.set(at, row)
      return true
    }),
    raiseFence: (bot, key, fence) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (fault === "fence raised in another row than the write") return fence
        const at = `${bot}|${key}`
        const stands = rows.get(at)
        if (stands !== undefined && !isPast(stands, now)) {
          const highest = Math.max(stands.fence, fence)
          rows.set(at, { ...stands, fence: highest })
          return highest
        }
        const known = stands?.expires != null && stands.expires + fenceTtl > now ? stands.fence : 0
        const highest = Math.max(fence, known)
        rows.set(at, { ...bare, expires: now, fence: highest })
        return highest
      }),
    checkpoints: (bot, { after = "", limit, now }) =>
      Effect.sync(() => {
        const found = live(bot, now)
          .filter(({ key }) => key > after)
          .sort((a, b) => (a.key < b.key ? -1 : 1))
        const items = found.slice(0, limit)
        const last = items.at(-1)
        return found.length > limit && last !== undefined ? { items, next: last.key } : { items }
      }),
    due: (bot, { before, limit, now }) =>
      Effect.sync(() =>
        live(bot, now)
          .flatMap(({ key, row: { wakeAt } }) => (wakeAt !== null && wakeAt <= before ? [{ key, wakeAt }] : []))
          .sort((a, b) => a.wakeAt - b.wakeAt)
          .slice(0, limit)
      )
  }
}

const check = (fault: string, found: ReadonlyArray<Title>, change: (driver: StoreDriver) => Partial<StoreDriver>) => {
  const tests = found.map((title) => titles[title])
  StoreSuite.suite(
    found.length === 0 ? fault : `planted: ${fault}`,
    Layer.sync(Store, () => {
      const memory = MemoryStore.make()
      const driver = { ...memory, ...change(memory) }
      const open: StoreDriver["open"] = (bot, key, chatId, userId) =>
        Effect.all({
          handoff: driver.handoff(bot, chatId),
          profile: driver.profile(bot, userId),
          checkpoint: driver.getCheckpoint(bot, key)
        })
      return fromDriver({ ...driver, open })
    }),
    found.length === 0 ? {} : { deviations: [{ reason: fault, tests }] }
  )
}

check("plain store without a fault", [], () => plain())

const faults: Record<Fault, ReadonlyArray<Title>> = {
  "CAS skipped": [
    "refused",
    "many",
    "chain",
    "second",
    "repeat",
    "other",
    "late",
    "kept",
    "needs",
    "lower",
    "raised",
    "bare",
    "outlives",
    "expired",
    "replicas",
    "model"
  ],
  "CAS in two steps": ["many", "replicas"],
  "fence not compared": ["refused", "lower", "raised", "bare", "outlives", "model"],
  "fence raised in another row than the write": ["raised", "bare", "outlives", "model"],
  "fence gone with the expired row": ["bare", "outlives", "model"],
  "repeat refused": ["repeat", "model"],
  "any write under the same revision is a repeat": ["refused", "many", "other", "late", "replicas", "model"],
  "tombstone dropped at clear": ["repeat", "late", "kept", "over", "lower", "raised", "model"],
  "tombstone kept for a day": ["repeat", "kept", "model"],
  "tombstone of another run stands in the way": ["second", "over", "lower", "raised", "model"],
  "ephemeral checkpoint resumed after its ttl": ["needs", "outlives", "expired", "model"]
}
for (const fault of Object.keys(faults).filter(isFault)) check(fault, faults[fault], () => plain(fault))
function isFault(name: string): name is Fault {
  return name in faults
}

check("a profile is read, changed and written whole", ["profiles"], (driver) => ({
  setProfile: Effect.fnUntraced(function* (bot, userId, field, json) {
    const fields = new Map(yield* driver.profile(bot, userId))
    if (json === null) fields.delete(field)
    else fields.set(field, json)
    yield* Effect.yieldNow
    for (const [name] of yield* driver.profile(bot, userId)) yield* driver.setProfile(bot, userId, name, null)
    for (const [name, value] of fields) yield* driver.setProfile(bot, userId, name, value)
  })
}))
check("first contact is looked up before the chat is stored", ["first"], (driver) => {
  const known = new Set<string>()
  return {
    admit: Effect.fnUntraced(function* (bot, chat, contact, message) {
      const firstContact = !known.has(`${bot}|${chat.id}`)
      yield* Effect.yieldNow
      known.add(`${bot}|${chat.id}`)
      yield* driver.admit(bot, chat, contact, message)
      return { firstContact }
    })
  }
})
check("a message is a first contact, whoever sent it", ["contacts"], (driver) => ({
  saveMessage: (bot, message) =>
    Effect.asVoid(driver.admit(bot, { id: message.chatId, isGroup: false }, { id: message.sender }, message))
}))
check("a repeated message is stored again", ["order", "pages"], (driver) => ({
  saveMessage: (bot, message) => driver.saveMessage(bot, { ...message, id: "" })
}))
check("pages begin with the row they should begin after", ["pages"], (driver) => ({
  messages: (bot, chatId, { after, limit }) =>
    driver.messages(bot, chatId, after === undefined ? { limit } : { limit, after: String(Number(after) + 1) })
}))
check("a page without a next one ends a list early", ["listed"], (driver) => ({
  checkpoints: (bot, options) => Effect.map(driver.checkpoints(bot, options), ({ items }) => ({ items }))
}))
check("a deadline is kept when its wait is over", ["due"], (driver) => {
  const deadlines = new Map<string, number>()
  return {
    putCheckpoint: (bot, key, row, now) => {
      if (row.wakeAt !== null) deadlines.set(`${bot}|${key}`, row.wakeAt)
      return driver.putCheckpoint(bot, key, { ...row, wakeAt: deadlines.get(`${bot}|${key}`) ?? null }, now)
    }
  }
})
check("rows do not begin with their bot", ["bots"], (driver) => ({
  getValue: (_, name) => driver.getValue("all", name),
  setValue: (_, name, value, expires) => driver.setValue("all", name, value, expires)
}))
check("session written under an old lead", ["fenced", "fencedGone"], (driver) => ({
  putValue: Effect.fnUntraced(function* (bot, name, row, now) {
    const { fence } = yield* driver.takeValue(bot, name, row.fence, now)
    yield* driver.putValue(bot, name, { ...row, fence }, now)
    return row.fence
  })
}))
check("a session's fence is not raised before it is read", ["fenced", "fencedGone"], (driver) => ({
  takeValue: (bot, name, fence, now) =>
    Effect.map(driver.takeValue(bot, name, 0, now), (row) => ({ ...row, fence: Math.max(row.fence, fence) }))
}))
check("a session's fence goes with its value", ["fenced", "fencedGone"], (driver) => {
  const removed = new Set<string>()
  return {
    takeValue: (bot, name, fence, now) =>
      removed.has(`${bot}|${name}`)
        ? Effect.succeed({ fence, value: null, expires: now })
        : driver.takeValue(bot, name, fence, now),
    putValue: (bot, name, row, now) => {
      const id = `${bot}|${name}`
      if (removed.has(id)) return Effect.succeed(row.fence)
      if (row.value === null) removed.add(id)
      return driver.putValue(bot, name, row, now)
    }
  }
})
