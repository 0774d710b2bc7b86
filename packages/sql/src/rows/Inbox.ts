/** The inbox as rows: its statements and what each act does with them, for both databases (IN1 to IN7). */
import {
  type Claimant,
  type ClaimedRow,
  crashDetail,
  crashesDead,
  type DeathReason,
  type DueInbox,
  type InboxRow,
  type Listing,
  markTtl,
  type Page,
  type Pending,
  readCursor,
  type ReleaseOptions,
  writeCursor
} from "@botmesh/core/spi"
import { number, numberOrNull, type Row, text, textOrNull, whole } from "./Column.ts"
import { look, nextNumber, save, take } from "./Keys.ts"
import { all, first, type Script } from "./Script.ts"

const columns = `id, key, number, event, recorded_at, attempts, crashes, due, claim_fence, claim_owner, claimed_at,
  reason, detail, died_at`

const known = `
SELECT record FROM botmesh_mark
WHERE bot = ?1 AND key = ?2 AND dedupe = ?3 AND (expires IS NULL OR expires > ?4)`
const mark = `
INSERT INTO botmesh_mark (bot, key, dedupe, record, expires) VALUES (?1, ?2, ?3, ?4, NULL)
ON CONFLICT (bot, key, dedupe) DO UPDATE SET record = excluded.record, expires = NULL`
const forget = `UPDATE botmesh_mark SET expires = ?4 WHERE bot = ?1 AND key = ?2 AND dedupe = ?3`
const insert = `
INSERT INTO botmesh_inbox (bot, id, key, number, dedupe, event, recorded_at, attempts, crashes, due, dead)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, 0, 0)`
const oldest = `
SELECT ${columns} FROM botmesh_inbox WHERE bot = ?1 AND key = ?2 AND dead = 0 ORDER BY number LIMIT 2`
const claimed = `
UPDATE botmesh_inbox SET claim_fence = ?3, claim_owner = ?4, claimed_at = ?5, crashes = ?6 WHERE bot = ?1 AND id = ?2`
const find = `SELECT ${columns}, dedupe, dead FROM botmesh_inbox WHERE bot = ?1 AND id = ?2 AND key = ?3`
const remove = `DELETE FROM botmesh_inbox WHERE bot = ?1 AND id = ?2`
const giveBack = `
UPDATE botmesh_inbox SET claim_fence = NULL, claim_owner = NULL, claimed_at = NULL, attempts = attempts + ?3, due = ?4
WHERE bot = ?1 AND id = ?2`
const bury = `
UPDATE botmesh_inbox SET claim_fence = NULL, claim_owner = NULL, claimed_at = NULL, dead = 1, crashes = ?3, reason = ?4,
  detail = ?5, died_at = ?6
WHERE bot = ?1 AND id = ?2`
const reopen = `
UPDATE botmesh_inbox SET number = ?3, attempts = 0, crashes = 0, due = 0, dead = 0, reason = NULL, detail = NULL,
  died_at = NULL
WHERE bot = ?1 AND id = ?2`
const due = `
SELECT key, inbox_due, inbox_owner FROM botmesh_key
WHERE bot = ?1 AND inbox_due <= ?2 AND key > ?3 ORDER BY key LIMIT ?4`
const list = `
SELECT ${columns} FROM botmesh_inbox
WHERE bot = ?1 AND dead = ?2 AND (number, key) > (?3, ?4) ORDER BY number, key LIMIT ?5`
const counts = `
SELECT dead, count(*) AS amount, min(recorded_at) AS oldest FROM botmesh_inbox WHERE bot = ?1 GROUP BY dead`

/** What this file runs, for the test that no statement scans a table. */
export const inboxStatements = {
  ...{ known, mark, forget, insert, oldest, claimed, find, remove, giveBack, bury, reopen, due, list, counts }
}

const read = (row: Row): InboxRow => ({
  id: text(row, "id"),
  key: text(row, "key"),
  number: number(row, "number"),
  event: text(row, "event"),
  recordedAt: number(row, "recorded_at"),
  attempts: number(row, "attempts"),
  crashes: number(row, "crashes"),
  due: number(row, "due"),
  claimFence: numberOrNull(row, "claim_fence"),
  claimOwner: textOrNull(row, "claim_owner"),
  claimedAt: numberOrNull(row, "claimed_at"),
  reason: textOrNull(row, "reason"),
  detail: textOrNull(row, "detail"),
  diedAt: numberOrNull(row, "died_at")
})

export function* record(
  bot: string,
  key: string,
  { dedupe, event, id }: { readonly id: string; readonly dedupe: string; readonly event: string },
  now: number
): Script<{ readonly isNew: boolean; readonly id: string }> {
  const state = yield* take(bot, key, now)
  // Without a dedupe key only a repeat of this very call can be known.
  const before = dedupe === "" ? yield* first(find, bot, id, key) : yield* first(known, bot, key, dedupe, whole(now))
  if (before !== undefined) {
    const found = dedupe === "" ? id : text(before, "record")
    return { isNew: found === id, id: found }
  }
  state.record = nextNumber(state.record, now)
  yield* all(insert, bot, id, key, state.record, dedupe, event, whole(now))
  if (dedupe !== "") yield* all(mark, bot, key, dedupe, id)
  yield* save(bot, key, state)
  return { isNew: true, id }
}

export function* claim(bot: string, key: string, { fence, owner }: Claimant, now: number): Script<ClaimedRow> {
  const state = yield* take(bot, key, now)
  if (state.fence > fence) return { _tag: "superseded", fence: state.fence }
  state.fence = fence
  state.touched = now
  const rows = yield* all(oldest, bot, key)
  const answer = yield* decide(bot, rows.map(read), state.spent === fence, { fence, owner }, now)
  if (answer._tag === "claimed") state.spent = fence
  yield* save(bot, key, state)
  return answer
}

function* decide(
  bot: string,
  rows: ReadonlyArray<InboxRow>,
  spent: boolean,
  { fence, owner }: Claimant,
  now: number
): Script<ClaimedRow> {
  const [head] = rows
  const left = rows.length > 1
  if (head?.claimFence === fence) return { _tag: "claimed", row: head, left }
  if (spent) return { _tag: "spent" }
  if (head === undefined) return { _tag: "empty" }
  // Its owner is gone, unless it is this very one, which lost a turn and has another.
  const crashes = head.claimOwner === null || head.claimOwner === owner ? head.crashes : head.crashes + 1
  const free = { ...head, crashes, claimFence: null, claimOwner: null, claimedAt: null }
  if (head.claimOwner !== null && crashes >= crashesDead) {
    const detail = crashDetail(crashes)
    yield* all(bury, bot, head.id, crashes, "crashes", detail, whole(now))
    return { _tag: "buried", row: { ...free, reason: "crashes", detail, diedAt: Math.ceil(now) } }
  }
  if (head.due > now) {
    if (head.claimOwner !== null) yield* all(claimed, bot, head.id, null, null, null, crashes)
    return { _tag: "waiting", until: head.due }
  }
  yield* all(claimed, bot, head.id, fence, owner, whole(now), crashes)
  return { _tag: "claimed", row: { ...free, claimFence: fence, claimOwner: owner, claimedAt: Math.ceil(now) }, left }
}

/** The record a sign-off under `fence` is about; or what to answer where it is not claimed under it. */
function* claimedUnder(
  bot: string,
  key: string,
  id: string,
  fence: number,
  repeat: (found: Row | undefined) => boolean
) {
  const state = yield* look(bot, key)
  if (state === undefined || state.fence > fence) return false
  const found = yield* first(find, bot, id, key)
  if (found === undefined || number(found, "dead") === 1 || numberOrNull(found, "claim_fence") !== fence)
    return state.spent === fence && repeat(found)
  return { state, found }
}

export function* ack(bot: string, key: string, id: string, fence: number, now: number): Script<boolean> {
  const mine = yield* claimedUnder(bot, key, id, fence, (found) => found === undefined)
  if (typeof mine === "boolean") return mine
  yield* all(remove, bot, id)
  yield* all(forget, bot, key, text(mine.found, "dedupe"), whole(now + markTtl))
  yield* save(bot, key, mine.state)
  return true
}

export function* release(
  bot: string,
  key: string,
  id: string,
  { due, failed, fence }: Required<ReleaseOptions>
): Script<boolean> {
  const isFree = (found: Row | undefined) =>
    found !== undefined && number(found, "dead") === 0 && found.claim_fence === null
  const mine = yield* claimedUnder(bot, key, id, fence, isFree)
  if (typeof mine === "boolean") return mine
  yield* all(giveBack, bot, id, failed ? 1 : 0, whole(due))
  yield* save(bot, key, mine.state)
  return true
}

export function* dead(
  bot: string,
  key: string,
  id: string,
  fence: number,
  { detail, reason }: { readonly reason: DeathReason; readonly detail: string },
  now: number
): Script<boolean> {
  const isDead = (found: Row | undefined) => found !== undefined && number(found, "dead") === 1
  const mine = yield* claimedUnder(bot, key, id, fence, isDead)
  if (typeof mine === "boolean") return mine
  yield* all(bury, bot, id, number(mine.found, "crashes"), reason, detail, whole(now))
  yield* save(bot, key, mine.state)
  return true
}

export function* requeue(bot: string, key: string, id: string, now: number): Script<boolean> {
  const state = yield* take(bot, key, now)
  const found = yield* first(find, bot, id, key)
  if (found === undefined || number(found, "dead") === 0) return false
  state.record = nextNumber(state.record, now)
  yield* all(reopen, bot, id, state.record)
  yield* save(bot, key, state)
  return true
}

export function* drop(bot: string, key: string, id: string, now: number): Script<boolean> {
  const state = yield* look(bot, key)
  const found = yield* first(find, bot, id, key)
  if (found === undefined || found.claim_fence !== null) return false
  yield* all(remove, bot, id)
  yield* all(forget, bot, key, text(found, "dedupe"), whole(now + markTtl))
  if (state !== undefined) yield* save(bot, key, state)
  return true
}

export function* findRecord(bot: string, key: string, id: string): Script<InboxRow | undefined> {
  const found = yield* first(find, bot, id, key)
  return found === undefined ? undefined : read(found)
}

export function* dueKeys(
  bot: string,
  before: number,
  limit: number,
  after: string | undefined
): Script<Page<DueInbox>> {
  const rows = yield* all(due, bot, before, after ?? "", limit + 1)
  const items = rows.slice(0, limit).map((row) => {
    const owner = textOrNull(row, "inbox_owner")
    const item = { key: text(row, "key"), due: number(row, "inbox_due") }
    return owner === null ? item : { ...item, owner }
  })
  const last = rows.length > limit ? items.at(-1) : undefined
  return last === undefined ? { items } : { items, next: last.key }
}

export function* listRecords(bot: string, { after, limit, state }: Listing): Script<Page<InboxRow>> {
  const from = readCursor(after)
  const rows = yield* all(list, bot, state === "dead" ? 1 : 0, from.number, from.key, limit + 1)
  const items = rows.slice(0, limit).map(read)
  const last = rows.length > limit ? items.at(-1) : undefined
  return last === undefined ? { items } : { items, next: writeCursor(last) }
}

export function* countRecords(bot: string): Script<Pending> {
  const rows = yield* all(counts, bot)
  const open = rows.find((row) => number(row, "dead") === 0)
  const buried = rows.find((row) => number(row, "dead") === 1)
  const dead = buried === undefined ? 0 : number(buried, "amount")
  return open === undefined
    ? { pending: 0, dead }
    : { pending: number(open, "amount"), dead, oldest: number(open, "oldest") }
}
