/**
 * Where the store keeps what. A bot's rows are spread over parts, and all keys of a part carry its hash tag: what one
 * script writes is on one node of a Cluster.
 *
 *   {prefix:bot:p}:checkpoint:key  hash, a row · :index zset of live keys · :due zset by wakeAt · :ending zset by end
 *   {prefix:bot:p}:chat:id         hash · :messages:id list · :ids:id hash of the message ids in the list
 *   {prefix:bot:p}:contacts        hash · :handoffs hash · :profile:id hash · :value:name string
 *   {prefix:bot:p}:fenced:name     hash, a value that only leaders write, and its fence (R13)
 */
import type { BotScope } from "@botmesh/core/spi"
import { partitionOf } from "../coordinator/Keys.ts"

/** Never changed: keys are found by it. */
export const parts = 16

export interface PartKeys {
  readonly index: string
  readonly due: string
  readonly ending: string
  readonly contacts: string
  readonly handoffs: string
  readonly row: (key: string) => string
  readonly chat: (id: string) => { readonly chat: string; readonly messages: string; readonly ids: string }
  readonly profile: (id: string) => string
  readonly value: (name: string) => string
  readonly fenced: (name: string) => string
}

const partKeys = (tag: string): PartKeys => ({
  index: `${tag}:index`,
  due: `${tag}:due`,
  ending: `${tag}:ending`,
  contacts: `${tag}:contacts`,
  handoffs: `${tag}:handoffs`,
  row: (key) => `${tag}:checkpoint:${key}`,
  chat: (id) => ({ chat: `${tag}:chat:${id}`, messages: `${tag}:messages:${id}`, ids: `${tag}:ids:${id}` }),
  profile: (id) => `${tag}:profile:${id}`,
  value: (name) => `${tag}:value:${name}`,
  fenced: (name) => `${tag}:fenced:${name}`
})

export interface BotKeys {
  /** The part an id belongs to. */
  readonly of: (id: string) => PartKeys
  readonly all: ReadonlyArray<PartKeys>
}

/** A bot's name may hold no brace: it would end the hash tag early. The number keeps a part's tag from being another's. */
const bots = 1_000

/** Keys of each bot; those of the last thousand bots are kept. */
export const storeKeys = (prefix: string): ((bot: BotScope) => BotKeys) => {
  const known = new Map<BotScope, BotKeys>()
  return (bot) => {
    const found = known.get(bot)
    if (found !== undefined) return found
    const name = encodeURIComponent(bot)
    const all = Array.from({ length: parts }, (_, part) => partKeys(`{${prefix}:${name}:${part}}`))
    const [first] = all
    if (first === undefined) throw new RangeError("a bot has parts")
    const keys: BotKeys = { all, of: (id) => all[partitionOf(id, parts)] ?? first }
    if (known.size >= bots) known.clear()
    known.set(bot, keys)
    return keys
  }
}
