/** Replicas of one bot over a memory hub and a store they share, each with a wire to the hub that a test can cut. */
import { Effect, Layer, Option } from "effect"
import { type Bot, MemoryStore } from "@botmesh/core"
import {
  type Claim,
  Coordinator,
  type CoordinatorDriver,
  CoordinatorDriverError,
  coordinatorFromDriver,
  fromDriver,
  Store,
  type StoreDriver,
  type StoreShape,
  type Ticket
} from "@botmesh/core/spi"
import { makeInbound } from "@botmesh/core/testing"
import * as CoordinatorHub from "../../src/memory/CoordinatorHub.ts"
import { run } from "./Engine.ts"

export interface Wire {
  /** Nothing reaches the hub. */
  cut: boolean
  /** ms that pass between a grant and the moment this replica sees it: it was frozen. */
  late: number
}

const overWire = (driver: CoordinatorDriver, wire: Wire): CoordinatorDriver => {
  const over =
    <In extends ReadonlyArray<unknown>, A>(
      operation: string,
      act: (...input: In) => Effect.Effect<A, CoordinatorDriverError>
    ) =>
    (...input: In): Effect.Effect<A, CoordinatorDriverError> =>
      Effect.suspend(() =>
        wire.cut
          ? Effect.fail(new CoordinatorDriverError({ operation, reason: "unreachable", detail: "the wire is cut" }))
          : act(...input)
      )
  return {
    ...driver,
    begin: over("begin", driver.begin),
    enqueue: over("enqueue", driver.enqueue),
    release: over("release", driver.release),
    renew: over("renew", driver.renew),
    ask: over("ask", driver.ask),
    leave: over("leave", driver.leave)
  }
}

const late = (wire: Wire, { cancel, granted }: Ticket): Ticket => ({
  cancel,
  granted: Effect.suspend(() => (wire.late === 0 ? granted : Effect.tap(granted, () => Effect.sleep(wire.late))))
})

export interface WorldOptions {
  /** ms; default 3,000. */
  readonly lease?: number
  /** ms; default 120,000. */
  readonly turnWait?: number
  readonly driver?: StoreDriver
}

/** A store and a hub, and replicas over them. */
export const world = (options: WorldOptions = {}) => {
  const driver = options.driver ?? MemoryStore.make()
  const store = fromDriver(driver)
  const hub = CoordinatorHub.make()
  const inbound = makeInbound()
  const replica = <Id extends string, E>(
    definition: Bot.Definition<Id, E, never>,
    name: string,
    change: (store: StoreShape) => Partial<StoreShape> = () => ({})
  ) => {
    const wire: Wire = { cut: false, late: 0 }
    const coordinator = Layer.effect(
      Coordinator,
      Effect.map(
        coordinatorFromDriver(overWire(hub.driver, wire), {
          lease: options.lease ?? 3000,
          turnWait: options.turnWait ?? 120_000,
          replicaId: name
        }),
        (shape) => ({
          ...shape,
          enqueue: (key: string, turnWait?: number) =>
            Effect.map(shape.enqueue(key, turnWait), (ticket) => late(wire, ticket)),
          enqueueOnce: (key: string, claim: Claim, turnWait?: number) =>
            Effect.map(
              shape.enqueueOnce(key, claim, turnWait),
              Option.map((ticket) => late(wire, ticket))
            )
        })
      )
    )
    return Effect.map(
      run(definition, {
        inbound,
        store: Layer.sync(Store, () => ({ ...store, ...change(store) })),
        coordinator: Layer.orDie(coordinator)
      }),
      (running) => ({ ...running, wire })
    )
  }
  return { store, hub, replica }
}
