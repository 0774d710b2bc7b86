/**
 * Events to any number of listeners, without ever waiting for one: a listener that is slow loses its oldest events, and
 * each loss is counted (I23, I24). Publishing is a plain call, since it happens for every message.
 */
import { type Cause, Effect, Queue, type Scope, Stream } from "effect"

export interface EventHub<E> {
  /** Gives the event to every subscriber of this moment. Never blocks, never fails; nothing after `shutdown`. */
  readonly publish: (event: E) => void
  /** Every event from now on, in order; closing the scope unsubscribes. `shutdown` ends it after what is buffered. */
  readonly subscribe: Effect.Effect<Queue.Dequeue<E, Cause.Done>, never, Scope.Scope>
  /** The same as a stream, in chunks of all there is: it subscribes when it is run, and ends at `shutdown`. */
  readonly stream: Stream.Stream<E>
  readonly subscribers: () => number
  /** How many events slow subscribers lost so far, one for each subscriber that lost one. */
  readonly lost: () => number
  /** Ends every subscription. Safe to repeat. */
  readonly shutdown: Effect.Effect<void>
}

/**
 * @param options.capacity how many events wait for one subscriber before its oldest is lost; 1,024
 * @param options.onLost told of each loss, once for all losses of one `publish`; it may publish itself
 */
export const makeEventHub = <E>(options?: {
  readonly capacity?: number
  readonly onLost?: (count: number) => void
}): EventHub<E> => {
  const capacity = options?.capacity ?? 1024
  const onLost = options?.onLost
  // Copied on change: a subscription that comes or goes during a publish does not disturb it.
  let queues: ReadonlyArray<Queue.Queue<E, Cause.Done>> = []
  let open = true
  let lost = 0
  let unreported = 0
  let reporting = false

  const countLost = (count: number): void => {
    lost += count
    if (onLost === undefined) return
    unreported += count
    // A listener of losses that publishes may lose again: that is told with the next loss, not in a loop.
    if (reporting) return
    reporting = true
    try {
      const told = unreported
      unreported = 0
      onLost(told)
    } finally {
      reporting = false
    }
  }

  const publish = (event: E): void => {
    let losses = 0
    for (const queue of queues) {
      if (queue.messages.length >= capacity) losses++
      Queue.offerUnsafe(queue, event)
    }
    if (losses > 0) countLost(losses)
  }

  const add = Effect.map(Queue.sliding<E, Cause.Done>(capacity), (queue) => {
    if (open) queues = [...queues, queue]
    else Queue.endUnsafe(queue)
    return queue
  })
  const remove = (queue: Queue.Queue<E, Cause.Done>) => {
    queues = queues.filter((other) => other !== queue)
    return Queue.shutdown(queue)
  }
  const subscribe = Effect.acquireRelease(add, remove)

  return {
    publish,
    subscribe,
    stream: Stream.unwrap(Effect.map(subscribe, Stream.fromQueue)),
    subscribers: () => queues.length,
    lost: () => lost,
    shutdown: Effect.sync(() => {
      open = false
      const ended = queues
      queues = []
      for (const queue of ended) Queue.endUnsafe(queue)
    })
  }
}
