import { StoreError } from "@botmesh/core/spi"
import { Effect, Schedule } from "effect"
import type { RedisError } from "../client/RedisError.ts"

/** What a failure of Redis is to a store, and to durability. */
export const reasons = {
  unreachable: "unavailable",
  timeout: "unavailable",
  readonly: "unavailable",
  moving: "unavailable",
  full: "busy",
  denied: "invalid",
  invalid: "invalid",
  reply: "invalid"
} as const satisfies Record<RedisError["reason"], StoreError["reason"]>

export const storeError =
  (operation: string) =>
  ({ detail, reason }: RedisError): StoreError =>
    new StoreError({ store: "redis", operation, reason: reasons[reason], detail })

/** Runs what is safe to repeat: a break or a failover is tried through for two seconds. */
export type Ask = <A>(operation: string, act: Effect.Effect<A, RedisError>) => Effect.Effect<A, StoreError>

const again = Schedule.spaced(100).pipe(Schedule.upTo({ duration: 2_000 }))

export const patiently = <A>(act: Effect.Effect<A, RedisError>): Effect.Effect<A, RedisError> =>
  Effect.catchIf(
    act,
    (error) => error.isRetryable,
    () => Effect.retry(act, { schedule: again, while: (error) => error.isRetryable })
  )

export const ask: Ask = (operation, act) => Effect.mapError(patiently(act), storeError(operation))
