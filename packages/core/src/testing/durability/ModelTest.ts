/** Any sequence of acts gives on a backend what it gives on the reference in memory. */
import { expect } from "@effect/vitest"
import { Arbitrary, Clock, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as DurabilityMemory from "../../memory/DurabilityMemory.ts"
import { dedupeKey } from "../../model/StoredEvent.ts"
import { Durability, type DurabilityShape } from "../../spi/Durability.ts"
import { fromDriver } from "../../spi/durability/fromDriver.ts"
import type { Report } from "../../spi/Outbox.ts"
import type { Test } from "../Conformance.ts"
import { message, messageOf, outboxOf } from "./Fixtures.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** One act as the positions of what it does in the tables below. */
const Draw = Schema.Struct({ act: upTo(21), what: upTo(3), fence: upTo(5), more: upTo(4) })
type Draw = typeof Draw.Type

const acts = [
  ...["record", "record", "record", "claim", "claim", "claim", "ack", "release", "release", "dead", "requeue", "drop"],
  ...["plan", "plan", "plan", "attempt", "attempt", "report", "report", "decide", "raise", "pass"]
] as const
const reports: ReadonlyArray<Report["_tag"]> = ["confirmed", "later", "unknown", "refused", "dead"]
const fences = [0, 0, 0, 1, 2, -1]
const hours = [1, 500, 1_000, 3_600_000, 7 * 24 * 3_600_000]
const pick = <A>(table: ReadonlyArray<A>, position: number): A => {
  const found = table[position]
  if (found === undefined) throw new RangeError(`no entry ${position} in the table`)
  return found
}

const key = "k"

/** What one of the two was told, for it chooses ids by itself. */
class Side {
  readonly it: DurabilityShape
  readonly bot: string
  record = ""
  token = ""
  send = ""
  constructor(it: DurabilityShape, bot: string) {
    this.it = it
    this.bot = bot
  }

  readonly act = Effect.fnUntraced({ self: this }, function* (this: Side, drawn: Draw, fence: number, now: number) {
    const { bot, it } = this
    const { inbox } = it
    const outbox = outboxOf(it)
    const { more, what } = drawn
    switch (pick(acts, drawn.act)) {
      case "record": {
        const event = message(`m${what}`)
        return (yield* inbox.record(bot, key, { event, dedupe: dedupeKey(event) }))._tag
      }
      case "claim": {
        const claimed = yield* inbox.claim(bot, key, { fence, owner: `o${more % 2}` })
        if (claimed._tag !== "claimed" && claimed._tag !== "buried") return claimed
        this.record = claimed.record.id
        const { id: _, ...rest } = claimed.record
        return { ...claimed, record: rest }
      }
      case "ack":
        return yield* inbox.ack(bot, key, this.record, fence)
      case "release":
        return yield* inbox.release(bot, key, this.record, { fence, failed: what > 1, due: now + pick(hours, more) })
      case "dead":
        return yield* inbox.dead(bot, key, this.record, fence, { reason: "attempts", detail: "x" })
      case "requeue":
        return yield* inbox.requeue(bot, key, this.record)
      case "drop":
        return what === 0 ? yield* inbox.drop(bot, key, this.record) : "nothing"
      case "plan": {
        const sends = [`s${what}`, `s${(what + 1) % 4}`].map((id) => ({ id, content: more > 3 ? "other" : "same" }))
        return yield* outbox.plan(bot, key, fence, sends)
      }
      case "attempt": {
        const taken = yield* outbox.attempt(bot, key, now + pick(hours, more))
        if (taken._tag !== "attempt" && taken._tag !== "unknown") return taken
        this.send = taken.send.id
        if (taken._tag === "attempt") this.token = taken.send.token
        const { token: _, ...rest } = taken.send
        return { ...taken, send: rest }
      }
      case "report":
        return yield* outbox.report(bot, key, this.send, this.token, reportOf(pick(reports, more), now + 500))
      case "decide":
        return yield* outbox[pick(["resend", "hold", "requeue", "drop"] as const, what)](bot, key, this.send)
      case "raise":
        return yield* it.raiseFence(bot, key, fence)
      default:
        return "pass"
    }
  })

  /** What can be seen of the key. */
  readonly view = Effect.fnUntraced({ self: this }, function* (this: Side) {
    const { bot, it } = this
    const outbox = outboxOf(it)
    const open = yield* it.inbox.list(bot, { state: "open", limit: 50 })
    const dead = yield* it.inbox.list(bot, { state: "dead", limit: 50 })
    const records = [...open.items, ...dead.items].map(({ id: _, event, ...rest }) => ({
      ...rest,
      message: messageOf({ id: "", event, ...rest })
    }))
    const sends = yield* Effect.forEach(["s0", "s1", "s2", "s3"], (id) => outbox.find(bot, key, id))
    const before = yield* Clock.currentTimeMillis
    return {
      records,
      sends: sends.map((send) => send && { ...send, token: send.token !== "" }),
      due: [yield* it.inbox.due(bot, { before, limit: 5 }), yield* outbox.due(bot, { before, limit: 5 })],
      counts: [yield* it.inbox.counts(bot), yield* outbox.counts(bot)]
    }
  })
}

const reportOf = (tag: Report["_tag"], due: number): Report =>
  tag === "confirmed"
    ? { _tag: tag, receipt: { ref: 1 } }
    : tag === "later"
      ? { _tag: tag, due, detail: "x" }
      : { _tag: tag, detail: "x" }

export const model = (test: Test<Durability>, sequences: number): void => {
  let bots = 0
  test(`D3 any sequence of acts and hours ends as the reference says (${sequences} sequences)`, () =>
    Effect.gen(function* () {
      const tested = yield* Durability
      const run = Effect.fnUntraced(function* (draws: ReadonlyArray<Draw>) {
        const bot = `d3/model${bots++}`
        const sides = [new Side(fromDriver(DurabilityMemory.make()), bot), new Side(tested, bot)] as const
        let fence = 1
        for (const drawn of draws) {
          const now = yield* Clock.currentTimeMillis
          const given = Math.max(1, fence + pick(fences, drawn.fence))
          fence = Math.max(fence, given)
          if (pick(acts, drawn.act) === "pass") yield* TestClock.adjust(pick(hours, drawn.more))
          const [expected, found] = [yield* sides[0].act(drawn, given, now), yield* sides[1].act(drawn, given, now)]
          expect([drawn, found]).toEqual([drawn, expected])
        }
        expect(yield* sides[1].view()).toEqual(yield* sides[0].view())
      })
      const result = yield* Arbitrary.checkEffect(
        Arbitrary.array(Arbitrary.schema(Draw), { minLength: 5, maxLength: 40 }),
        (draws) => Effect.as(run(draws), true),
        { runs: sequences, size: 120, seed: "durability" }
      )
      expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
    }))
}
