/** Lifts a durability driver to the contract: ids, codecs and the clock are handled here and nowhere else. */
import { Clock, Effect, Random, Schema } from "effect"
import { hashText } from "../../model/Hash.ts"
import type { Json } from "../../model/Json.ts"
import { findNotJson } from "../../model/PlainJson.ts"
import { StoredEvent } from "../../model/StoredEvent.ts"
import { DurabilityError, type DurabilityShape } from "../Durability.ts"
import type {
  DurabilityDriver,
  InboxDriver,
  InboxRow,
  OutboxDriver,
  PlanRow,
  ReportRow,
  SendRow
} from "../DurabilityDriver.ts"
import type { Claimed, Inbox, InboxRecord } from "../Inbox.ts"
import type { Attempted, Outbox, OutboxSend, PlannedSend, PlanOutcome, Report } from "../Outbox.ts"

const decodeEvent = Schema.decodeUnknownEffect(StoredEvent)

/** As good as unique: 106 bits of the bot's own source of chance. */
const newId: Effect.Effect<string> = Effect.gen(function* () {
  const part = () => Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)
  return `${(yield* part()).toString(36)}${(yield* part()).toString(36)}`
})

const invalid = (operation: string, detail: string) => new DurabilityError({ operation, reason: "invalid", detail })

const toJson = (operation: string, what: string, value: unknown): Effect.Effect<string, DurabilityError> => {
  const bad = findNotJson(value)
  return bad === undefined
    ? Effect.sync(() => JSON.stringify(value))
    : Effect.fail(invalid(operation, `${what} is not plain JSON at ${bad.path}: ${bad.reason}`))
}

/** A text that cannot be read is logged as it stands, so that nothing is lost in silence when it is dropped later. */
const unread = (driver: string, what: string, raw: string, error: unknown): Effect.Effect<undefined> =>
  Effect.as(
    Effect.annotateLogs(Effect.logError(`${driver}: ${what} cannot be read: ${String(error)}`), { raw }),
    undefined
  )

const isJson = (value: unknown): value is Json => findNotJson(value) === undefined

const within = <A>(operation: string, limit: number, page: Effect.Effect<A, DurabilityError>) =>
  Number.isInteger(limit) && limit >= 1 && limit <= 1_000
    ? page
    : Effect.fail(invalid(operation, `expected a limit from 1 to 1000, got ${limit}`))

const pageOf = <Row, A>(
  page: { readonly items: ReadonlyArray<Row>; readonly next?: string },
  items: ReadonlyArray<A>
) => (page.next === undefined ? { items } : { items, next: page.next })

const liftInbox = (name: string, driver: InboxDriver): Inbox => {
  const read = Effect.fnUntraced(function* (row: InboxRow): Effect.fn.Return<InboxRecord> {
    const { attempts, claimFence, claimOwner, claimedAt, crashes, detail, diedAt, due, id, key, number } = row
    const stored = yield* Effect.catch(decodeEvent(row.event), (error) =>
      unread(name, `the inbox record ${id} of ${key}`, row.event, error)
    )
    return {
      id,
      key,
      number,
      event: stored?.event,
      recordedAt: row.recordedAt,
      attempts,
      crashes,
      due,
      ...(claimFence === null ? {} : { claim: { fence: claimFence, owner: claimOwner ?? "", at: claimedAt ?? 0 } }),
      ...(diedAt === null
        ? {}
        : { death: { reason: row.reason === "crashes" ? "crashes" : "attempts", detail: detail ?? "", at: diedAt } })
    }
  })
  return {
    record: Effect.fnUntraced(function* (bot, key, { dedupe, event }) {
      const text = yield* toJson("record", "the event", { format: 1, event })
      const id = yield* newId
      const found = yield* driver.record(bot, key, { id, dedupe, event: text }, yield* Clock.currentTimeMillis)
      return { _tag: found.isNew ? "recorded" : "duplicate", id: found.id }
    }),
    claim: Effect.fnUntraced(function* (bot, key, by): Effect.fn.Return<Claimed, DurabilityError> {
      const claimed = yield* driver.claim(bot, key, by, yield* Clock.currentTimeMillis)
      if (claimed._tag === "claimed") return { _tag: "claimed", record: yield* read(claimed.row), left: claimed.left }
      if (claimed._tag === "buried") return { _tag: "buried", record: yield* read(claimed.row) }
      return claimed
    }),
    ack: (bot, key, id, fence) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => driver.ack(bot, key, id, fence, now)),
    release: (bot, key, id, { due = 0, failed = false, fence } = {}) =>
      fence === undefined ? Effect.succeed(true) : driver.release(bot, key, id, { due, failed, fence }),
    dead: (bot, key, id, fence, death) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => driver.dead(bot, key, id, fence, death, now)),
    due: (bot, options) => within("due", options.limit, driver.due(bot, options)),
    list: (bot, options) =>
      within(
        "list",
        options.limit,
        Effect.flatMap(driver.list(bot, options), (page) =>
          Effect.map(Effect.forEach(page.items, read), (items) => pageOf(page, items))
        )
      ),
    find: (bot, key, id) =>
      Effect.flatMap(driver.find(bot, key, id), (row) => (row === undefined ? Effect.undefined : read(row))),
    requeue: driver.requeue,
    drop: driver.drop,
    counts: driver.counts
  }
}

const reportRow = Effect.fnUntraced(function* (report: Report): Effect.fn.Return<ReportRow, DurabilityError> {
  const none = { receipt: null, detail: null, due: 0 }
  switch (report._tag) {
    case "confirmed": {
      // A transport that says nothing has said so: it is stored as null.
      const receipt = yield* toJson("report", "the receipt", report.receipt ?? null)
      return { ...none, tag: "confirmed", receipt }
    }
    case "later":
      return { ...none, tag: "later", detail: report.detail, due: report.due }
    default:
      return { ...none, tag: report._tag, detail: report.detail }
  }
})

const liftOutbox = (name: string, driver: OutboxDriver): Outbox => {
  const json = (what: string, text: string | null): Effect.Effect<Json> => {
    if (text === null) return Effect.undefined
    return Effect.suspend(() => {
      try {
        const value: unknown = JSON.parse(text)
        return isJson(value) ? Effect.succeed(value) : unread(name, what, text, "it is nested too deep")
      } catch (cause) {
        return unread(name, what, text, cause)
      }
    })
  }
  const read = Effect.fnUntraced(function* (row: SendRow): Effect.fn.Return<OutboxSend> {
    const { attempts, changedAt, detail, due, id, lane, number, plannedAt, resends, state, token, until } = row
    const what = `the send ${id} of ${lane}`
    return {
      ...{ id, lane, number, state, attempts, token, resends, due, plannedAt, changedAt },
      content: yield* json(what, row.content),
      ...(until === null ? {} : { until }),
      ...(row.receipt === null ? {} : { receipt: yield* json(`the receipt of ${what}`, row.receipt) }),
      ...(detail === null ? {} : { detail })
    }
  })
  const planRow = ({ content, id }: PlannedSend): Effect.Effect<PlanRow, DurabilityError> =>
    Effect.map(toJson("plan", `the content of ${id}`, content), (text) => ({ id, content: text, hash: hashText(text) }))
  const decide =
    (decision: "resend" | "hold" | "requeue" | "drop"): Outbox["hold"] =>
    (bot, lane, id) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => driver.decide(bot, lane, id, decision, now))
  return {
    plan: Effect.fnUntraced(function* (bot, lane, fence, sends): Effect.fn.Return<PlanOutcome, DurabilityError> {
      if (new Set(sends.map(({ id }) => id)).size !== sends.length)
        return yield* invalid("plan", `an id stands twice in one plan of ${lane}`)
      const rows = yield* Effect.forEach(sends, planRow)
      const planned = yield* driver.plan(bot, lane, fence, rows, yield* Clock.currentTimeMillis)
      if (planned._tag === "superseded") return planned
      const found = yield* Effect.forEach(planned.sends, (row) =>
        Effect.map(json(`the receipt of ${row.id}`, row.receipt), (receipt) => ({ ...row, receipt }))
      )
      return { _tag: "planned", sends: found }
    }),
    attempt: Effect.fnUntraced(function* (bot, lane, until): Effect.fn.Return<Attempted, DurabilityError> {
      const token = yield* newId
      const taken = yield* driver.attempt(bot, lane, { token, until }, yield* Clock.currentTimeMillis)
      if (taken._tag === "attempt") return { _tag: "attempt", send: yield* read(taken.row), left: taken.left }
      if (taken._tag === "unknown") return { _tag: "unknown", send: yield* read(taken.row) }
      return taken
    }),
    report: Effect.fnUntraced(function* (bot, lane, id, token, report) {
      return yield* driver.report(bot, lane, id, token, yield* reportRow(report), yield* Clock.currentTimeMillis)
    }),
    resend: decide("resend"),
    hold: decide("hold"),
    requeue: decide("requeue"),
    drop: decide("drop"),
    due: (bot, options) => within("due", options.limit, driver.due(bot, options)),
    list: (bot, options) =>
      within(
        "list",
        options.limit,
        Effect.flatMap(driver.list(bot, options), (page) =>
          Effect.map(Effect.forEach(page.items, read), (items) => pageOf(page, items))
        )
      ),
    find: (bot, lane, id) =>
      Effect.flatMap(driver.find(bot, lane, id), (row) => (row === undefined ? Effect.undefined : read(row))),
    counts: driver.counts
  }
}

/** The contract on a driver. Source: D1, D2. */
export const fromDriver = (driver: DurabilityDriver): DurabilityShape => ({
  name: driver.name,
  durable: true,
  inbox: liftInbox(driver.name, driver.inbox),
  outbox: liftOutbox(driver.name, driver.outbox),
  raiseFence: (bot, key, fence) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => driver.raiseFence(bot, key, fence, now))
})
