/**
 * Where the coordinator keeps what, one layout for standalone, Sentinel and Cluster (C16, R20): all keys of a partition
 * carry its hash tag, so a script finds them on one node.
 *
 *   {prefix:p}:state      hash, one so that a grant reads and writes it at once; never expires
 *                           "~epoch"  ms, by Redis' clock, at which it ends
 *                           "=key"    who holds it, its fence, who held before
 *                           ":fence"  the last fence given
 *   {prefix:p}:queue:key  list  places, in order
 *   {prefix:p}:prev:key   the incarnation that held it last, for a while
 *   {prefix:p}:claim:key  string  who claimed a message: "owner epoch" in its turn, then "owner", till it expires (R15)
 *   {prefix:p}:lock:key   string  "token fence", till it expires (C15)
 *   prefix:layout         version and number of partitions
 *   prefix:wake:…         channel of an incarnation · prefix:left  channel of all
 */

/** Counted up when a layout changes so that releases cannot share it. */
export const layoutVersion = 1

export interface PartitionKeys {
  readonly state: string
  readonly queues: string
  readonly prevs: string
  readonly claims: string
  readonly locks: string
}

export const partitionKeys = (prefix: string, partition: number): PartitionKeys => {
  const tag = `{${prefix}:${partition}}`
  return {
    state: `${tag}:state`,
    queues: `${tag}:queue:`,
    prevs: `${tag}:prev:`,
    claims: `${tag}:claim:`,
    locks: `${tag}:lock:`
  }
}

export const layoutKey = (prefix: string): string => `${prefix}:layout`
export const wakeChannels = (prefix: string): string => `${prefix}:wake:`
export const leftChannel = (prefix: string): string => `${prefix}:left`

/** FNV-1a over UTF-16 units. Part of the layout: every replica must find the same partition for a key. */
export const partitionOf = (key: string, partitions: number): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % partitions
}
