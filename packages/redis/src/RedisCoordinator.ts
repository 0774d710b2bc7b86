/**
 * Turns and leads shared by all replicas that use one Redis and one prefix.
 *
 * A turn nobody else wants costs two round trips, a contended one is handed over by the release itself and waits for no
 * poll. A replica keeps itself alive once a third of the lease a partition in use, however many turns it holds.
 */
import {
  ConfigValidationError,
  Coordinator,
  coordinatorFromDriver,
  type CoordinatorDriverError,
  type CoordinatorShape,
  type DurationInput,
  parseDuration
} from "@botmesh/core/spi"
import { type Config, Duration, Effect, Layer, type Scope } from "effect"
import { makeDriver } from "./coordinator/Driver.ts"
import { Redis } from "./Redis.ts"
import { readSetting, type Setting } from "./Setting.ts"

export interface RedisCoordinatorOptions {
  /** How long a replica that is gone keeps its turns. Default 15 s, at least 1 s. Source: C3. */
  readonly lease?: Setting<DurationInput>
  /** How long a message waits for its turn while no turn of its key is granted. Default 2 min. Source: C8. */
  readonly turnWait?: Setting<DurationInput>
  /** Unique among the replicas that run. A random one when absent; a nonce is added in any case. Source: C5. */
  readonly replicaId?: Setting<string>
  /** The same on all replicas of a prefix, for ever. Default 64. Source: R20. */
  readonly partitions?: Setting<number>
}

type OptionError = ConfigValidationError | Config.ConfigError

const shortestLease = 1_000

/** Fails when an option is wrong, Redis cannot be asked, or the prefix has another layout. Source: C2–C7, C14–C16, C22. */
export const make = Effect.fn("RedisCoordinator.make")(function* (
  options: RedisCoordinatorOptions = {}
): Effect.fn.Return<CoordinatorShape, CoordinatorDriverError | OptionError, Redis | Scope.Scope> {
  const redis = yield* Redis
  const millis = (setting: Setting<DurationInput>, field: string) =>
    Effect.map(
      Effect.flatMap(readSetting<DurationInput>(setting), (input) =>
        Effect.fromResult(parseDuration(input, field, { zero: "refuse" }))
      ),
      Duration.toMillis
    )
  const lease = yield* millis(options.lease ?? "15s", "coordinator.lease")
  if (lease < shortestLease)
    return yield* ConfigValidationError.of("coordinator.lease", `expected at least 1s, got ${lease} ms`)
  const turnWait = yield* millis(options.turnWait ?? "2m", "coordinator.turnWait")
  const replicaId = options.replicaId === undefined ? undefined : yield* readSetting(options.replicaId)
  const partitions = yield* readSetting(options.partitions ?? 64)
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > 1_024)
    return yield* ConfigValidationError.of("coordinator.partitions", `expected 1 to 1024, got ${partitions}`)
  const driver = yield* makeDriver(redis, { partitions, patience: lease / 3 })
  return yield* coordinatorFromDriver(driver, { lease, turnWait, replicaId })
})

/** A replica's coordinator on Redis. Its turns and leads end when the scope closes. Source: C2, C15. */
export const layer = (
  options: RedisCoordinatorOptions = {}
): Layer.Layer<Coordinator, CoordinatorDriverError | OptionError, Redis> => Layer.effect(Coordinator, make(options))
