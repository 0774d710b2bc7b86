/**
 * Where durability keeps what, beside the store's rows: a bot's keys are spread over the same parts, and all keys of a part
 * carry its hash tag, so that what one script writes is on one node of a Cluster.
 *
 *   {prefix:bot:p}:key:k       hash, fence and numbers of a conversation key
 *   {prefix:bot:p}:inbox:k     hash of records · :queue:k zset of open ids by number
 *   {prefix:bot:p}:marks:k     hash of dedupe keys · :ends:k zset of them by end
 *   {prefix:bot:p}:sends:k     hash of sends · :lane:k zset of unfinished ids by number · :over:k zset of done ones by end
 *   {prefix:bot:p}:inbox-open, :inbox-dead, :outbox-all   zsets, read in the order of their texts
 *   {prefix:bot:p}:inbox-due, :outbox-due                 zsets of keys by when their oldest is due
 *   {prefix:bot:p}:inbox-age, :outbox-age                 zsets of what is pending by when it came
 *   {prefix:bot:p}:outbox-ending                          zset of entries of outbox-all by end
 */
import type { BotScope } from "@botmesh/core/spi"
import { partitionOf } from "../coordinator/Keys.ts"
import { parts } from "../store/Keys.ts"

export interface DurabilityPart {
  readonly openIndex: string
  readonly deadIndex: string
  readonly sendIndex: string
  readonly inboxDue: string
  readonly outboxDue: string
  readonly inboxAge: string
  readonly outboxAge: string
  readonly ending: string
  readonly inbox: (key: string) => string
  readonly sends: (lane: string) => string
  readonly keyRow: (key: string) => string
  /** KEYS of the scripts on records. */
  readonly recordKeys: (
    key: string
  ) => Readonly<
    Record<"keyRow" | "inbox" | "queue" | "lane" | "marks" | "ends" | "index" | "deadIndex" | "age" | "due", string>
  >
  /** KEYS of the scripts on sends. */
  readonly sendKeys: (
    lane: string
  ) => Readonly<Record<"keyRow" | "queue" | "lane" | "sends" | "over" | "index" | "ending" | "age" | "due", string>>
}

const partOf = (tag: string): DurabilityPart => {
  const [openIndex, deadIndex, sendIndex] = [`${tag}:inbox-open`, `${tag}:inbox-dead`, `${tag}:outbox-all`]
  const [inboxDue, outboxDue] = [`${tag}:inbox-due`, `${tag}:outbox-due`]
  const [inboxAge, outboxAge, ending] = [`${tag}:inbox-age`, `${tag}:outbox-age`, `${tag}:outbox-ending`]
  const inbox = (key: string) => `${tag}:inbox:${key}`
  const sends = (lane: string) => `${tag}:sends:${lane}`
  const keyRow = (key: string) => `${tag}:key:${key}`
  const both = (key: string) => ({
    keyRow: keyRow(key),
    queue: `${tag}:queue:${key}`,
    lane: `${tag}:lane:${key}`
  })
  return {
    ...{ openIndex, deadIndex, sendIndex, inboxDue, outboxDue, inboxAge, outboxAge, ending, inbox, sends, keyRow },
    recordKeys: (key) => ({
      ...both(key),
      inbox: inbox(key),
      marks: `${tag}:marks:${key}`,
      ends: `${tag}:ends:${key}`,
      index: openIndex,
      deadIndex,
      age: inboxAge,
      due: inboxDue
    }),
    sendKeys: (lane) => ({
      ...both(lane),
      sends: sends(lane),
      over: `${tag}:over:${lane}`,
      index: sendIndex,
      ending,
      age: outboxAge,
      due: outboxDue
    })
  }
}

export interface DurabilityKeys {
  /** The part a key belongs to. */
  readonly of: (key: string) => DurabilityPart
  readonly all: ReadonlyArray<DurabilityPart>
}

/** Keys of each bot; those of the last thousand bots are kept. */
const bots = 1_000

export const durabilityKeys = (prefix: string): ((bot: BotScope) => DurabilityKeys) => {
  const known = new Map<BotScope, DurabilityKeys>()
  return (bot) => {
    const found = known.get(bot)
    if (found !== undefined) return found
    const name = encodeURIComponent(bot)
    const all = Array.from({ length: parts }, (_, part) => partOf(`{${prefix}:${name}:${part}}`))
    const [first] = all
    if (first === undefined) throw new RangeError("a bot has parts")
    const keys: DurabilityKeys = { all, of: (key) => all[partitionOf(key, parts)] ?? first }
    if (known.size >= bots) known.clear()
    known.set(bot, keys)
    return keys
  }
}
