/** I13 and I14 against a model: any sequence of writes, clears, raises and hours gives what twenty lines of code say. */
import { expect } from "@effect/vitest"
import { Arbitrary, Clock, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Checkpoint, Tombstone } from "../../model/Checkpoint.ts"
import { Store } from "../../spi/Store.ts"
import { fenceTtl, tombstoneTtl } from "../../spi/StoreDriver.ts"
import { checkpoint, tombstone } from "./Fixtures.ts"
import type { Test } from "../Conformance.ts"

/** One command as the positions of what it does in the tables below. A value listed more often comes more often. */
const Draw = Schema.Struct({
  act: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 })),
  run: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
  step: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })),
  fence: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })),
  time: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))
})
type Draw = typeof Draw.Type

const acts = ["put", "put", "put", "put", "put", "clear", "clear", "clear", "again", "again", "raise", "pass", "pass"]
const runs = ["a", "a", "a", "b"]
/** Counted from the revision that stands: 1 is the chain, 0 another write of the same revision. */
const steps = [1, 1, 1, 1, 1, 1, 0, 0, -1, 2]
const fences = [2, 2, 2, 2, 1, 3]
const ttls = [0, 0, 0, 1_000, fenceTtl]
const hours = [1, 1_000, fenceTtl, 24 * fenceTtl, tombstoneTtl]
const pick = <A>(table: ReadonlyArray<A>, position: number): A => table[position] ?? raiseOutside(position)
const raiseOutside = (position: number): never => {
  throw new RangeError(`no entry ${position} in the table`)
}

interface Row {
  readonly id: string
  readonly revision: number
  readonly fence: number
  readonly expires: number
  readonly live: boolean
  /** What was written, to tell a repeat. */
  readonly write: string
}

/** The store in a few lines, without a thought for speed. */
class Model {
  row: Row | undefined = undefined
  /** The last write that was accepted, to send it again. */
  last: Write | undefined = undefined

  /** What still counts at `now`: the whole row, its fence, or nothing. */
  private at(now: number): { readonly whole: Row | undefined; readonly fence: number } {
    if (this.row === undefined || this.row.expires + fenceTtl <= now) return { whole: undefined, fence: 0 }
    return { whole: this.row.expires <= now ? undefined : this.row, fence: this.row.fence }
  }

  put(next: Row, now: number): boolean {
    const { fence, whole } = this.at(now)
    if (next.fence < fence) return false
    const repeats = whole?.write === next.write && whole.fence === next.fence
    const chains = whole?.live === true && whole.id === next.id && whole.revision + 1 === next.revision
    const starts = next.live && next.revision === 1 && !(whole?.live ?? false) && whole?.id !== next.id
    if (!repeats && !chains && !starts) return false
    if (!repeats) this.row = next
    return true
  }

  raise(fence: number, now: number): void {
    const { fence: stands, whole } = this.at(now)
    const highest = Math.max(fence, stands)
    this.row =
      whole === undefined || whole.id === ""
        ? { id: "", revision: 0, fence: highest, expires: now, live: false, write: "" }
        : { ...whole, fence: highest }
  }

  view(now: number): unknown {
    const { whole } = this.at(now)
    if (whole === undefined || whole.id === "") return undefined
    return [whole.live ? "live" : "dead", whole.id, whole.revision]
  }
}

const bot = "i13/model"
type Write = { readonly put: Checkpoint } | { readonly clear: Tombstone }

const draw = (model: Model, { fence, run, step, time, ...rest }: Draw, now: number): Write => {
  const id = pick(runs, run)
  const stands = model.row?.id === id ? model.row.revision : 0
  const revision = Math.max(0, stands + pick(steps, step))
  if (pick(acts, rest.act) === "clear") return { clear: tombstone(id, revision, pick(fences, fence)) }
  const ttl = pick(ttls, time)
  return { put: checkpoint(id, revision, pick(fences, fence), ttl === 0 ? {} : { expires: now + ttl }) }
}

/** Sends one write to the model and to the store, which must agree. */
const send = Effect.fnUntraced(function* (model: Model, key: string, write: Write, now: number) {
  const store = yield* Store
  const live = "put" in write
  const { fence, id, revision } = live ? write.put : write.clear
  const expires = live ? (write.put.expires ?? Infinity) : now + tombstoneTtl
  const text = live ? ["put", id, revision, fence, expires].join("|") : ["clear", id, revision].join("|")
  const expected = model.put({ id, revision, fence, expires, live, write: text }, now)
  const accepted = live
    ? yield* store.setCheckpointIf(bot, key, write.put)
    : yield* store.clearCheckpointIf(bot, key, write.clear)
  expect(accepted).toBe(expected)
  if (accepted) model.last = write
})

const step = Effect.fnUntraced(function* (model: Model, key: string, drawn: Draw) {
  const store = yield* Store
  const now = yield* Clock.currentTimeMillis
  switch (pick(acts, drawn.act)) {
    case "pass":
      yield* TestClock.adjust(pick(hours, drawn.time))
      break
    case "raise":
      model.raise(pick(fences, drawn.fence), now)
      yield* store.raiseFence(bot, key, pick(fences, drawn.fence))
      break
    case "again":
      if (model.last !== undefined) yield* send(model, key, model.last, now)
      break
    default:
      yield* send(model, key, draw(model, drawn, now), now)
  }
  const got = yield* store.getCheckpoint(bot, key)
  const seen =
    got.checkpoint !== undefined
      ? ["live", got.checkpoint.id, got.checkpoint.revision]
      : got.tombstone && ["dead", got.tombstone.id, got.tombstone.revision]
  expect(seen).toEqual(model.view(yield* Clock.currentTimeMillis))
})

export const model = (test: Test<Store>, sequences: number): void => {
  let keys = 0
  test(`I13 any sequence of writes, clears, raises and hours ends as the model says (${sequences} sequences)`, () =>
    Effect.gen(function* () {
      const result = yield* Arbitrary.checkEffect(
        Arbitrary.array(Arbitrary.schema(Draw), { minLength: 1, maxLength: 40 }),
        (commands) => {
          // A key of its own each time: what a store kept of an earlier sequence is no part of this one.
          const key = `k${keys++}`
          const one = new Model()
          return Effect.as(
            Effect.forEach(commands, (command) => step(one, key, command), { discard: true }),
            true
          )
        },
        // Long ones from early on: it takes three steps to leave a tombstone.
        { runs: sequences, size: 120 }
      )
      expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
    }))
}
