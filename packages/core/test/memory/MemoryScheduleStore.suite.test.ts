import { MemoryScheduleStore } from "@botmesh/core"
import { type ScheduleDriver, ScheduleStore, scheduleStoreFromDriver } from "@botmesh/core/spi"
import { ScheduleSuite } from "@botmesh/core/testing"
import { Effect, Layer } from "effect"

ScheduleSuite.suite("memory", MemoryScheduleStore.layer())

/** The suite finds what it is for: with each planted fault the tests named here fail, and no others. */
const plant = (
  fault: string,
  tests: ReadonlyArray<string>,
  change: (driver: ScheduleDriver) => Partial<ScheduleDriver>
): void =>
  ScheduleSuite.suite(
    `planted: ${fault}`,
    Layer.sync(ScheduleStore, () => {
      const memory = MemoryScheduleStore.make()
      return scheduleStoreFromDriver({ ...memory, ...change(memory) })
    }),
    { deviations: [{ reason: fault, tests }] }
  )

const taken = "SC2 of 30 that take an occurrence at once one does, and it is never taken again, D4"
const acts = "SC2 many that act on one job at once lose no act of one another"
const due = "D4 jobs are due earliest first: the next occurrence, a lost run, one that was asked for"
const removed = "D4 jobs are listed by id across pages, and removed; two bots share none, R21"

plant("a write is not compared", [taken, acts], (memory) => ({
  read: (bot, id) => Effect.andThen(Effect.yieldNow, memory.read(bot, id)),
  writeIf: Effect.fnUntraced(function* (bot, id, _, row) {
    yield* Effect.yieldNow
    const stands = yield* memory.read(bot, id)
    return yield* memory.writeIf(bot, id, stands?.revision ?? null, row)
  })
}))
plant("what is due comes in no order", [due], (memory) => ({
  due: (bot, options) => Effect.map(memory.due(bot, options), (rows) => rows.toReversed())
}))
plant("a removed job stays", [removed], (memory) => ({
  writeIf: (bot, id, expected, row) =>
    row === null
      ? Effect.map(memory.read(bot, id), (stands) => stands !== undefined)
      : memory.writeIf(bot, id, expected, row)
}))
