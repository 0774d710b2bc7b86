/** Backends as one machine sees them: the same contract, over its wire. */
import {
  type CoordinatorDriver,
  CoordinatorDriverError,
  type DriverSignal,
  type StoreDriver,
  StoreError
} from "@botmesh/core/spi"
import { Effect, Queue } from "effect"
import type { Chance } from "./Chance.ts"
import type { Wire } from "./Network.ts"

export const wiredCoordinator = (driver: CoordinatorDriver, wire: Wire, chance: Chance): CoordinatorDriver => {
  const over = <A>(
    operation: string,
    effect: Effect.Effect<A, CoordinatorDriverError>,
    kind: "repeatable" | "release" = "repeatable"
  ) =>
    wire.carry(
      effect,
      (reason) =>
        new CoordinatorDriverError({
          operation,
          reason: reason === "timeout" ? "timeout" : "unreachable",
          detail: `simulated ${reason}`
        }),
      kind
    )
  return {
    ...driver,
    begin: (partition, row) => over("begin", driver.begin(partition, row)),
    enqueue: (partition, row) => over("enqueue", driver.enqueue(partition, row)),
    release: (partition, row) => over("release", driver.release(partition, row), "release"),
    regrant: (partition, row) => over("regrant", driver.regrant(partition, row)),
    renew: (partition, row) => over("renew", driver.renew(partition, row)),
    ask: (partition, rows) => over("ask", driver.ask(partition, rows)),
    holders: (partition, row) => over("holders", driver.holders(partition, row)),
    leave: (partition, row) => over("leave", driver.leave(partition, row), "release"),
    lock: (partition, row) => over("lock", driver.lock(partition, row)),
    renewLock: (partition, row) => over("renewLock", driver.renewLock(partition, row)),
    unlock: (partition, row) => over("unlock", driver.unlock(partition, row)),
    // A wake is told once and may get lost, late or doubled (CD4).
    signals: Effect.fnUntraced(function* (incarnation) {
      const source = yield* driver.signals(incarnation)
      const arrived = yield* Queue.sliding<DriverSignal>(10_000)
      const pass = Effect.flatMap(Queue.take(source), (signal) => {
        const { weather } = wire
        if (weather.cut || (weather.lostReplies > 0 && chance.happens(weather.lostReplies))) return Effect.void
        const told = Queue.offer(arrived, signal)
        const way = weather.slow > 0 ? Effect.andThen(Effect.sleep(chance.between(0, weather.slow)), told) : told
        return chance.happens(0.05 + weather.doubled) ? Effect.andThen(way, told) : way
      })
      yield* Effect.forkScoped(Effect.forever(pass))
      return arrived
    })
  }
}

/** @param told what the caller of a checkpoint write learnt of it */
export const wiredStore = (
  driver: StoreDriver,
  wire: Wire,
  told: (outcome: "ok" | "fail" | "unknown") => void
): StoreDriver => {
  const over = <A>(operation: string, effect: Effect.Effect<A, StoreError>) =>
    wire.carry(
      effect,
      (reason) => {
        if (operation === "putCheckpoint") told(reason === "refused" ? "fail" : "unknown")
        return new StoreError({ store: driver.name, operation, reason: "unavailable", detail: `simulated ${reason}` })
      },
      operation === "putCheckpoint" || operation === "raiseFence" ? "repeatable" : "once"
    )
  return {
    name: driver.name,
    persistent: driver.persistent,
    admit: (bot, chat, contact, message) => over("admit", driver.admit(bot, chat, contact, message)),
    saveMessage: (bot, message) => over("saveMessage", driver.saveMessage(bot, message)),
    messages: (bot, chatId, options) => over("messages", driver.messages(bot, chatId, options)),
    open: (bot, key, chatId, userId) => over("open", driver.open(bot, key, chatId, userId)),
    profile: (bot, userId) => over("profile", driver.profile(bot, userId)),
    setProfile: (bot, userId, field, json) => over("setProfile", driver.setProfile(bot, userId, field, json)),
    handoff: (bot, chatId) => over("handoff", driver.handoff(bot, chatId)),
    setHandoff: (bot, chatId, json) => over("setHandoff", driver.setHandoff(bot, chatId, json)),
    getCheckpoint: (bot, key) => over("getCheckpoint", driver.getCheckpoint(bot, key)),
    putCheckpoint: (bot, key, row, now) =>
      Effect.map(over("putCheckpoint", driver.putCheckpoint(bot, key, row, now)), (accepted) => {
        told(accepted ? "ok" : "fail")
        return accepted
      }),
    raiseFence: (bot, key, fence) => over("raiseFence", driver.raiseFence(bot, key, fence)),
    checkpoints: (bot, options) => over("checkpoints", driver.checkpoints(bot, options)),
    due: (bot, options) => over("due", driver.due(bot, options)),
    getValue: (bot, name) => over("getValue", driver.getValue(bot, name)),
    setValue: (bot, name, value, expires) => over("setValue", driver.setValue(bot, name, value, expires)),
    takeValue: (bot, name, fence, now) => over("takeValue", driver.takeValue(bot, name, fence, now)),
    putValue: (bot, name, row, now) => over("putValue", driver.putValue(bot, name, row, now))
  }
}
