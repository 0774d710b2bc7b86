/** I13 and I14 against a model: any sequence of writes, clears, raises and hours gives what twenty lines of code say. */
import { expect } from "@effect/vitest"
import { Arbitrary, Clock, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../spi/Store.ts"
import { fenceTtl, tombstoneTtl } from "../../spi/StoreDriver.ts"
import { checkpoint, tombstone } from "./Fixtures.ts"
import type { Test } from "./Suite.ts"

const Command = Schema.Union([
  Schema.Struct({
    act: Schema.Literals(["put", "clear"]),
    run: Schema.Literals(["a", "b"]),
    /** Counted from the revision that stands: 1 is the chain, 0 a repeat. */
    step: Schema.Literals([1, 1, 1, 1, 0, 0, -1, 2]),
    fence: Schema.Literals([1, 2, 3]),
    ttl: Schema.Literals([0, 0, 1_000, fenceTtl])
  }),
  Schema.Struct({ act: Schema.Literal("raise"), fence: Schema.Literals([1, 2, 3]) }),
  Schema.Struct({ act: Schema.Literal("pass"), ms: Schema.Literals([1, 1_000, fenceTtl, tombstoneTtl]) })
])
type Command = typeof Command.Type

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

  /** What still counts at `now`: the whole row, its fence, or nothing. */
  private at(now: number): { readonly whole: Row | undefined; readonly fence: number } {
    if (this.row === undefined || this.row.expires + fenceTtl <= now) return { whole: undefined, fence: 0 }
    return { whole: this.row.expires <= now ? undefined : this.row, fence: this.row.fence }
  }

  put(next: Row, now: number): boolean {
    const { fence, whole } = this.at(now)
    if (next.fence < fence) return false
    const repeats = whole?.write === next.write && whole.fence === next.fence
    const chains = whole !== undefined && whole.live && whole.id === next.id && whole.revision + 1 === next.revision
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

const step = Effect.fnUntraced(function* (model: Model, key: string, command: Command) {
  const store = yield* Store
  const bot = "i13/model"
  const now = yield* Clock.currentTimeMillis
  switch (command.act) {
    case "pass":
      yield* TestClock.adjust(command.ms)
      break
    case "raise":
      model.raise(command.fence, now)
      yield* store.raiseFence(bot, key, command.fence)
      break
    default: {
      const { act, fence, run, ttl } = command
      const stands = model.row?.id === run ? model.row.revision : 0
      const revision = Math.max(0, stands + command.step)
      const live = act === "put"
      const expires = live ? (ttl === 0 ? Infinity : now + ttl) : now + tombstoneTtl
      const write = live ? [act, run, revision, fence, expires].join("|") : [act, run, revision].join("|")
      const expected = model.put({ id: run, revision, fence, expires, live, write }, now)
      const accepted = live
        ? yield* store.setCheckpointIf(bot, key, checkpoint(run, revision, fence, ttl === 0 ? {} : { expires }))
        : yield* store.clearCheckpointIf(bot, key, tombstone(run, revision, fence))
      expect(accepted).toBe(expected)
    }
  }
  const got = yield* store.getCheckpoint(bot, key)
  const seen =
    got.checkpoint !== undefined
      ? ["live", got.checkpoint.id, got.checkpoint.revision]
      : got.tombstone && ["dead", got.tombstone.id, got.tombstone.revision]
  expect(seen).toEqual(model.view(yield* Clock.currentTimeMillis))
})

export const model = (test: Test, runs: number): void => {
  let keys = 0
  test(`I13 any sequence of writes, clears, raises and hours ends as the model says (${runs} sequences)`, () =>
    Effect.gen(function* () {
      const result = yield* Arbitrary.checkEffect(
        Arbitrary.array(Arbitrary.schema(Command), { minLength: 1, maxLength: 40 }),
        (commands) => {
          // A key of its own each time: what a store kept of an earlier sequence is no part of this one.
          const key = `k${keys++}`
          const one = new Model()
          return Effect.as(
            Effect.forEach(commands, (command) => step(one, key, command), { discard: true }),
            true
          )
        },
        { runs }
      )
      expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
    }))
}
