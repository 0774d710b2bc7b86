/** The outbox as rows: its statements and what each act does with them, for both databases (OUT1 to OUT7). */
import {
  type AttemptedRow,
  decidable,
  type Decision,
  type DueLane,
  heard,
  markTtl,
  type Page,
  type Pending,
  type PlanRow,
  type PlanRows,
  readCursor,
  type ReportRow,
  type SendRow,
  type SendState,
  type StandingRow,
  unfinished,
  writeCursor
} from "@botmesh/core/spi"
import { BadColumn, number, numberOrNull, type Row, text, textOrNull, whole } from "./Column.ts"
import { look, nextNumber, save, take } from "./Keys.ts"
import { all, first, type Script } from "./Script.ts"

const columns = `id, lane, number, content, hash, state, attempts, resends, due, until, token, receipt, detail,
  planned_at, changed_at, ends`

const find = `SELECT ${columns} FROM botmesh_outbox WHERE bot = ?1 AND lane = ?2 AND id = ?3`
// One that went out so long ago that it is not known any more may still have its row.
const insert = `
INSERT INTO botmesh_outbox (bot, lane, id, number, content, hash, state, open, attempts, resends, due, token, planned_at,
  changed_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'planned', 1, 0, 0, 0, '', ?7, ?7)
ON CONFLICT (bot, lane, id) DO UPDATE SET
  number = excluded.number, content = excluded.content, hash = excluded.hash, state = 'planned', open = 1, attempts = 0,
  resends = 0, due = 0, until = NULL, token = '', receipt = NULL, detail = NULL, planned_at = excluded.planned_at,
  changed_at = excluded.changed_at, ends = NULL`
const oldest = `
SELECT ${columns} FROM botmesh_outbox WHERE bot = ?1 AND lane = ?2 AND open = 1 ORDER BY number LIMIT 2`
const update = `
UPDATE botmesh_outbox SET number = ?4, state = ?5, open = ?6, attempts = ?7, resends = ?8, due = ?9, until = ?10,
  token = ?11, receipt = ?12, detail = ?13, changed_at = ?14, ends = ?15
WHERE bot = ?1 AND lane = ?2 AND id = ?3`
const due = `
SELECT key, lane_due FROM botmesh_key
WHERE bot = ?1 AND lane_due <= ?2 AND key > ?3 ORDER BY key LIMIT ?4`
const list = `
SELECT ${columns} FROM botmesh_outbox
WHERE bot = ?1 AND state = ?2 AND (number, lane, id) > (?3, ?4, ?5) AND (ends IS NULL OR ends > ?6)
ORDER BY number, lane, id LIMIT ?7`
const counts = `
SELECT state, count(*) AS amount, min(planned_at) AS oldest FROM botmesh_outbox
WHERE bot = ?1 AND state IN ('planned', 'attempting', 'unknown', 'refused', 'dead', 'held') GROUP BY state`

/** What this file runs, for the test that no statement scans a table. */
export const outboxStatements = { find, insert, oldest, update, due, list, counts }

const states: ReadonlySet<string> = new Set([...unfinished, "confirmed", "refused", "dead", "held", "dropped"])
const isState = (value: string): value is SendState => states.has(value)
const stateOf = (row: Row): SendState => {
  const value = text(row, "state")
  if (!isState(value)) throw new BadColumn(`column state holds "${value}"`)
  return value
}

interface Kept extends SendRow {
  readonly hash: string
}

const read = (row: Row): Kept => ({
  id: text(row, "id"),
  lane: text(row, "lane"),
  number: number(row, "number"),
  content: text(row, "content"),
  hash: text(row, "hash"),
  state: stateOf(row),
  attempts: number(row, "attempts"),
  resends: number(row, "resends"),
  due: number(row, "due"),
  until: numberOrNull(row, "until"),
  token: text(row, "token"),
  receipt: textOrNull(row, "receipt"),
  detail: textOrNull(row, "detail"),
  plannedAt: number(row, "planned_at"),
  changedAt: number(row, "changed_at")
})

/** The send, unless it is long done and only waits to be swept. */
function* known(bot: string, lane: string, id: string, now: number): Script<Kept | undefined> {
  const row = yield* first(find, bot, lane, id)
  if (row === undefined) return undefined
  const ends = numberOrNull(row, "ends")
  return ends !== null && ends <= now ? undefined : read(row)
}

/** Out of the way for good: it is only kept so that it is known. */
const isOver = (state: SendState): boolean => state === "confirmed" || state === "dropped"

function* write(bot: string, send: SendRow): Script<void> {
  const { attempts, changedAt, detail, due, id, lane, number, receipt, resends, state, token, until } = send
  yield* all(
    update,
    ...[
      bot,
      lane,
      id,
      number,
      state,
      unfinished.has(state) ? 1 : 0,
      attempts,
      resends,
      whole(due),
      whole(until),
      token
    ],
    ...[receipt, detail, whole(changedAt), isOver(state) ? whole(changedAt + markTtl) : null]
  )
}

export function* plan(
  bot: string,
  lane: string,
  fence: number,
  sends: ReadonlyArray<PlanRow>,
  now: number
): Script<PlanRows> {
  const state = yield* take(bot, lane, now)
  if (state.fence > fence) return { _tag: "superseded", fence: state.fence }
  state.fence = fence
  state.touched = now
  const standings: Array<StandingRow> = []
  for (const { content, hash, id } of sends) {
    const found = yield* known(bot, lane, id, now)
    if (found === undefined) {
      state.send = nextNumber(state.send, now)
      yield* all(insert, bot, lane, id, state.send, content, hash, whole(now))
      standings.push({ id, state: "planned", isNew: true, diverged: false, receipt: null })
    } else {
      const { receipt, state: stands } = found
      standings.push({ id, state: stands, isNew: false, diverged: found.hash !== hash, receipt })
    }
  }
  yield* save(bot, lane, state)
  return { _tag: "planned", sends: standings }
}

export function* attempt(
  bot: string,
  lane: string,
  by: { readonly token: string; readonly until: number },
  now: number
): Script<AttemptedRow> {
  const state = yield* look(bot, lane)
  const rows = yield* all(oldest, bot, lane)
  const [head] = rows.map(read)
  if (state === undefined || head === undefined) return { _tag: "empty" }
  const left = rows.length > 1
  if (head.state === "attempting" && head.token === by.token) return { _tag: "attempt", row: plain(head), left }
  if (head.state === "attempting" && head.until !== null && head.until > now)
    return { _tag: "waiting", until: head.until }
  if (head.state === "unknown") return { _tag: "unknown", row: plain(head) }
  const changedAt = Math.ceil(now)
  if (head.state === "attempting") {
    const lost = {
      ...head,
      state: "unknown",
      until: null,
      detail: "the attempt ended without a word",
      changedAt
    } as const
    yield* write(bot, lost)
    yield* save(bot, lane, state)
    return { _tag: "unknown", row: plain(lost) }
  }
  if (head.due > now) return { _tag: "waiting", until: head.due }
  const until = Math.ceil(by.until)
  const taken = {
    ...head,
    state: "attempting",
    token: by.token,
    until,
    attempts: head.attempts + 1,
    changedAt
  } as const
  yield* write(bot, taken)
  yield* save(bot, lane, state)
  return { _tag: "attempt", row: plain(taken), left }
}

export function* report(
  bot: string,
  lane: string,
  id: string,
  token: string,
  { detail, due, receipt, tag }: ReportRow,
  now: number
): Script<boolean> {
  const state = yield* look(bot, lane)
  const found = yield* known(bot, lane, id, now)
  if (state === undefined || found === undefined || found.token !== token) return false
  const what = heard(found.state, tag)
  if (what !== "apply") return what === "repeat"
  const next = tag === "later" ? "planned" : tag
  yield* write(bot, { ...found, state: next, due, until: null, receipt, detail, changedAt: now })
  yield* save(bot, lane, state)
  return true
}

const decided: Readonly<Record<Decision, SendState>> = {
  resend: "planned",
  hold: "held",
  requeue: "planned",
  drop: "dropped"
}

export function* decide(bot: string, lane: string, id: string, decision: Decision, now: number): Script<boolean> {
  const state = yield* take(bot, lane, now)
  const found = yield* known(bot, lane, id, now)
  if (found === undefined || !decidable[decision].has(found.state)) return false
  // What was held may have gone out: to plan it again is to resend it.
  const again = decision === "resend" || (decision === "requeue" && found.state === "held")
  if (decision === "requeue") state.send = nextNumber(state.send, now)
  yield* write(bot, {
    ...found,
    number: decision === "requeue" ? state.send : found.number,
    state: decided[decision],
    resends: found.resends + (again ? 1 : 0),
    due: decided[decision] === "planned" ? 0 : found.due,
    changedAt: now
  })
  yield* save(bot, lane, state)
  return true
}

const plain = ({ hash: _, ...row }: Kept): SendRow => row

export function* findSend(bot: string, lane: string, id: string, now: number): Script<SendRow | undefined> {
  const found = yield* known(bot, lane, id, now)
  return found === undefined ? undefined : plain(found)
}

export function* dueLanes(
  bot: string,
  before: number,
  limit: number,
  after: string | undefined
): Script<Page<DueLane>> {
  const rows = yield* all(due, bot, before, after ?? "", limit + 1)
  const items = rows.slice(0, limit).map((row) => ({ lane: text(row, "key"), due: number(row, "lane_due") }))
  const last = rows.length > limit ? items.at(-1) : undefined
  return last === undefined ? { items } : { items, next: last.lane }
}

/** Sends are listed by number, lane and id: the cursor holds the last two as one text. */
export function* listSends(
  bot: string,
  state: SendState,
  limit: number,
  after: string | undefined,
  now: number
): Script<Page<SendRow>> {
  const from = readCursor(after)
  const [lane = "", id = ""] = from.key.split("\u0000")
  const rows = yield* all(list, bot, state, from.number, lane, id, now, limit + 1)
  const items = rows.slice(0, limit).map((row) => plain(read(row)))
  const last = rows.length > limit ? items.at(-1) : undefined
  return last === undefined
    ? { items }
    : { items, next: writeCursor({ number: last.number, key: `${last.lane}\u0000${last.id}` }) }
}

export function* countSends(bot: string): Script<Pending> {
  const rows = yield* all(counts, bot)
  let [pending, dead, oldest] = [0, 0, Number.MAX_SAFE_INTEGER]
  for (const row of rows) {
    const amount = number(row, "amount")
    if (unfinished.has(stateOf(row))) {
      pending += amount
      oldest = Math.min(oldest, number(row, "oldest"))
    } else dead += amount
  }
  return pending === 0 ? { pending, dead } : { pending, dead, oldest }
}
