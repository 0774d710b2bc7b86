/** Locks that end with their time, not with a replica (C15). */
import { Effect, Random } from "effect"
import type { CoordinatorShape } from "../Coordinator.ts"
import type { CoordinatorDriverError } from "../CoordinatorDriver.ts"
import { CoordinationUnavailableError, LockLostError, LockTakenError } from "../Errors.ts"
import type { Replica } from "./Replica.ts"

type Locks = Pick<CoordinatorShape, "acquireLockFenced" | "renewLock" | "releaseLock">

export const makeLocks = (replica: Replica): Locks => {
  const { driver, incarnation } = replica.options
  const told =
    (key: string) =>
    (error: CoordinatorDriverError): CoordinationUnavailableError =>
      new CoordinationUnavailableError({ key, detail: error.message })
  return {
    acquireLockFenced: Effect.fnUntraced(function* (key, ttl) {
      const nonce = yield* Random.nextIntBetween(0, 0xffffffff)
      const token = `${incarnation}/${replica.next()}/${nonce.toString(36)}`
      const row = { incarnation, key, token, ttl, floor: replica.floor }
      const fence = yield* Effect.mapError(driver.lock(driver.partitionOf(key), row), told(key))
      if (fence === undefined) return yield* new LockTakenError({ key })
      replica.floor = Math.max(replica.floor, fence)
      return { key, token, fence }
    }),
    renewLock: Effect.fnUntraced(function* ({ key, token }, ttl) {
      const ours = yield* Effect.mapError(
        driver.renewLock(driver.partitionOf(key), { incarnation, key, token, ttl }),
        told(key)
      )
      if (!ours) return yield* new LockLostError({ key })
    }),
    releaseLock: ({ key, token }) =>
      Effect.mapError(driver.unlock(driver.partitionOf(key), { incarnation, key, token }), told(key))
  }
}
