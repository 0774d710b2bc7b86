/**
 * The coordinator's atomic acts on Redis, each one script on one partition (CD1). Every act is safe to repeat, so one that
 * got no answer is tried again for a while (R9): what it did is done, or done now.
 */
import { type CoordinatorDriver, CoordinatorDriverError, type DriverSignal } from "@botmesh/core/spi"
import { Effect, Queue, Schedule, type Scope } from "effect"
import type { RedisError } from "../client/RedisError.ts"
import {
  ask,
  begin,
  enqueue,
  holders,
  layout,
  leave,
  lock,
  regrant,
  release,
  renew,
  renewLock,
  unlock
} from "../lua/scripts.generated.ts"
import type { RedisShape } from "../Redis.ts"
import { layoutKey, layoutVersion, leftChannel, partitionKeys, partitionOf, wakeChannels } from "./Keys.ts"
import { askResults, enqueueResult, fenceOrNone, holdRows, incarnations, placeOf, wakeRow, word } from "./Replies.ts"

export interface DriverOptions {
  readonly partitions: number
  /** ms: how long an act is tried again. */
  readonly patience: number
}

/** Tickets asked about in one call: Redis does nothing else meanwhile. */
const batchSize = 500
/** Wakes kept for a replica that does not get to them; what is dropped is found by the next question. */
const signalLimit = 65_536

const reasons = {
  unreachable: "unreachable",
  timeout: "timeout",
  readonly: "moving",
  moving: "moving",
  full: "moving",
  denied: "refused",
  invalid: "refused",
  reply: "refused"
} as const satisfies Record<RedisError["reason"], CoordinatorDriverError["reason"]>

const driverError = ({ detail, operation, reason }: RedisError): CoordinatorDriverError =>
  new CoordinatorDriverError({ operation, reason: reasons[reason], detail })

/** Writes the layout of the prefix, or refuses one that is not ours (R20). */
const checkLayout = (redis: RedisShape, partitions: number): Effect.Effect<void, CoordinatorDriverError> => {
  const mine = `${layoutVersion}/${partitions}`
  return Effect.flatMap(
    Effect.mapError(redis.run(layout, { layout: layoutKey(redis.prefix) }, { mine }), driverError),
    (stands) =>
      stands === mine
        ? Effect.void
        : Effect.fail(
            new CoordinatorDriverError({
              operation: "layout",
              reason: "refused",
              detail: `prefix "${redis.prefix}" is laid out as ${String(stands)} (version/partitions), this replica wants ${mine}: give all replicas the same release and partitions, or another prefix`
            })
          )
  )
}

/** Fails when the prefix has another layout, or Redis cannot be asked. Source: C16, R20. */
export const makeDriver = Effect.fn("RedisCoordinator.driver")(function* (
  redis: RedisShape,
  { partitions, patience }: DriverOptions
): Effect.fn.Return<CoordinatorDriver, CoordinatorDriverError> {
  const keys = Array.from({ length: partitions }, (_, partition) => partitionKeys(redis.prefix, partition))
  const channel = wakeChannels(redis.prefix)
  const left = leftChannel(redis.prefix)
  let refused: CoordinatorDriverError | undefined

  const again = Schedule.spaced(Math.max(20, patience / 20)).pipe(Schedule.upTo({ duration: patience }))
  const act = <A>(run: Effect.Effect<unknown, RedisError>, read: (reply: unknown) => A) =>
    Effect.suspend((): Effect.Effect<A, CoordinatorDriverError> => {
      if (refused !== undefined) return Effect.fail(refused)
      const once = Effect.map(run, read)
      const repeated = Effect.catchIf(
        once,
        (error) => error.isRetryable,
        () => Effect.retry(once, { schedule: again, while: (error) => error.isRetryable })
      )
      return Effect.mapError(repeated, driverError)
    })
  const at = (partition: number) => {
    const found = keys[partition]
    if (found === undefined) throw new RangeError(`there is no partition ${partition}`)
    return found
  }
  const keyed = (partition: number, key: string) => {
    const { prevs, queues, state } = at(partition)
    return { state, queue: queues + key, prev: prevs + key }
  }
  /** Where there is no claim its key still has to be of the partition. */
  const claimed = (partition: number, key: string, claim: { readonly key: string } | undefined) => ({
    ...keyed(partition, key),
    claim: at(partition).claims + (claim?.key ?? "")
  })
  const nothing = (): void => {}

  yield* checkLayout(redis, partitions)

  const signals = Effect.fnUntraced(function* (
    incarnation: string
  ): Effect.fn.Return<Queue.Dequeue<DriverSignal>, CoordinatorDriverError, Scope.Scope> {
    const queue = yield* Queue.sliding<DriverSignal>(signalLimit)
    const breaks = yield* Queue.sliding<void>(1)
    let stood = false
    const listening = redis.subscribe([channel + word(incarnation), left], (signal) => {
      if (signal._tag === "subscribed") {
        if (stood) {
          Queue.offerUnsafe(queue, { _tag: "resubscribed" })
          Queue.offerUnsafe(breaks, undefined)
        }
        stood = true
      } else if (signal.channel === left) {
        Queue.offerUnsafe(queue, { _tag: "left", partition: Number(signal.message) })
      } else {
        const row = wakeRow(signal.message)
        if (row !== undefined) Queue.offerUnsafe(queue, { _tag: "wake", ...row })
      }
    })
    yield* Effect.mapError(listening, driverError)
    // A Redis that came back without its data may have been laid out by others meanwhile.
    const recheck = Effect.andThen(
      Queue.take(breaks),
      Effect.catchIf(
        checkLayout(redis, partitions),
        (error) => !error.isRetryable,
        (error) => {
          refused = error
          return Effect.logError(error.message)
        }
      ).pipe(Effect.retry({ schedule: Schedule.spaced(1_000), times: 60 }), Effect.ignore)
    )
    yield* Effect.forkScoped(Effect.forever(recheck))
    return queue
  })

  return {
    name: "redis",
    partitions,
    partitionOf: (key) => partitionOf(key, partitions),
    begin: (partition, { epoch, lease, old }) => {
      const row = { epoch: word(epoch), old: old === undefined ? "" : word(old), lease, left, partition }
      return act(redis.run(begin, { state: at(partition).state }, row), nothing)
    },
    enqueue: (partition, row) => {
      const { claim, floor, key } = row
      const owner = claim === undefined ? "" : word(claim.owner)
      const taken = { key, epoch: word(row.epoch), place: placeOf(row), floor, channel, owner, ttl: claim?.ttl ?? 0 }
      return act(redis.run(enqueue, claimed(partition, key, claim), taken), enqueueResult)
    },
    release: (partition, row) => {
      const { claim, key } = row
      const owner = claim === undefined ? "" : word(claim.owner)
      const ended = { key, place: placeOf(row), channel, owner, keep: claim?.keep === true ? 1 : 0 }
      return act(redis.run(release, claimed(partition, key, claim), ended), nothing)
    },
    regrant: (partition, row) => {
      const lifted = { key: row.key, place: placeOf(row), above: row.above }
      return act(redis.run(regrant, { state: at(partition).state }, lifted), fenceOrNone)
    },
    renew: (partition, { epoch, lease }) =>
      act(redis.run(renew, { state: at(partition).state }, { epoch: word(epoch), lease }), holdRows),
    ask: (partition, rows) => {
      const { state } = at(partition)
      const each = rows.map((row) => ({ ...keyed(partition, row.key), key: row.key, place: placeOf(row) }))
      const asked = (batch: typeof each) => act(redis.run(ask, { state }, { channel }, batch), askResults)
      if (each.length <= batchSize) return asked(each)
      const batches = Array.from({ length: Math.ceil(each.length / batchSize) }, (_, n) =>
        each.slice(n * batchSize, (n + 1) * batchSize)
      )
      return Effect.map(Effect.forEach(batches, asked), (answers) => answers.flat())
    },
    holders: (partition, { keys: asked }) => {
      const { prevs, state } = at(partition)
      const each = asked.map((key) => ({ prev: prevs + key, key }))
      return act(redis.run(holders, { state }, {}, each), incarnations)
    },
    lock: (partition, { floor, key, token, ttl }) => {
      const { locks, state } = at(partition)
      return act(redis.run(lock, { state, lock: locks + key }, { token: word(token), ttl, floor }), fenceOrNone)
    },
    renewLock: (partition, { key, token, ttl }) =>
      act(redis.run(renewLock, { lock: at(partition).locks + key }, { token: word(token), ttl }), (done) => done === 1),
    unlock: (partition, { key, token }) =>
      act(redis.run(unlock, { lock: at(partition).locks + key }, { token: word(token) }), nothing),
    leave: (partition, { epoch }) =>
      act(redis.run(leave, { state: at(partition).state }, { epoch: word(epoch), left, partition }), nothing),
    signals
  }
})
