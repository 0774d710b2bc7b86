/**
 * The store's own log of its writes: Redis' append-only file. What a script wrote stands there in the order in which it
 * was written, so a write under an older fence, or one that does not follow the revision before it, shows.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Writes {
  readonly checkpoints: number
  readonly keys: number
  /** A key's fence went back: a stale write was accepted (I2). */
  readonly stale: number
  /** A revision does not follow the one before it (I13). */
  readonly broken: number
  readonly evidence: ReadonlyArray<string>
}

/** The commands of an append-only file; a last one that was cut short is left out. */
export const commandsOf = function* (bytes: Buffer): Generator<ReadonlyArray<string>> {
  let at = 0
  const line = (): string | undefined => {
    const end = bytes.indexOf("\r\n", at, "latin1")
    if (end < 0) return undefined
    const text = bytes.toString("latin1", at, end)
    at = end + 2
    return text
  }
  for (;;) {
    const head = line()
    if (head === undefined) return
    // Annotations (time stamps) begin with #.
    if (!head.startsWith("*")) continue
    const parts: Array<string> = []
    for (let left = Number(head.slice(1)); left > 0; left--) {
      const size = line()
      if (size === undefined || !size.startsWith("$")) return
      const length = Number(size.slice(1))
      if (at + length + 2 > bytes.length) return
      parts.push(bytes.toString("utf8", at, at + length))
      at += length + 2
    }
    yield parts
  }
}

interface Row {
  id: string
  revision: number
  fence: number
}

/** Follows the checkpoint rows through one log of writes. @param whole it begins with the first write of all */
export const readWrites = (commands: Iterable<ReadonlyArray<string>>, whole = true): Writes => {
  const rows = new Map<string, Row>()
  const evidence: Array<string> = []
  let checkpoints = 0
  let stale = 0
  let broken = 0
  for (const [name = "", key = "", ...pairs] of commands) {
    if (name.toUpperCase() !== "HSET" || !key.includes(":checkpoint:")) continue
    const fields = new Map<string, string>()
    for (let at = 0; at + 1 < pairs.length; at += 2) fields.set(pairs[at] ?? "", pairs[at + 1] ?? "")
    const fence = fields.get("fence")
    if (fence === undefined) continue
    const known = rows.get(key)
    const row = known ?? { id: "", revision: 0, fence: 0 }
    rows.set(key, row)
    if (Number(fence) < row.fence) {
      stale++
      evidence.push(`${key}: a write under fence ${fence} after one under ${row.fence}`)
    }
    row.fence = Math.max(row.fence, Number(fence))
    const [id, revision] = [fields.get("id"), Number(fields.get("revision") ?? Number.NaN)]
    // A bare fence (R5) has no run.
    if (id === undefined || id === "") continue
    checkpoints++
    const follows = id === row.id ? revision === row.revision + 1 : revision === 1
    if (!follows && (whole || known !== undefined)) {
      broken++
      evidence.push(`${key}: revision ${revision} of ${id} after ${row.revision} of ${row.id || "nothing"}`)
    }
    row.id = id
    row.revision = revision
  }
  return { checkpoints, keys: rows.size, stale, broken, evidence: evidence.slice(0, 5) }
}

/** Reads the log of a server. @param directory its working directory @param whole it was kept from the beginning */
export const writesOf = (directory: string, whole: boolean): Writes => {
  const folder = join(directory, "appendonlydir")
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".incr.aof"))
    .sort((a, b) => Number(/\.(\d+)\.incr/u.exec(a)?.[1]) - Number(/\.(\d+)\.incr/u.exec(b)?.[1]))
  const all = function* () {
    for (const name of files) yield* commandsOf(readFileSync(join(folder, name)))
  }
  return readWrites(all(), whole)
}
