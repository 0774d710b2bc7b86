/** A bot in a world: replicas that boot, die and boot again over one store, one coordinator and one network of phones. */
import { Bot, LocalCoordinator, layerNoDurability, InProcessScheduler, MemoryStore } from "@botmesh/core"
import { Coordinator, coordinatorFromDriver, Provider, Store, fromDriver } from "@botmesh/core/spi"
import { CoordinatorHub } from "@botmesh/core/testing"
import { Context, Effect, Layer, Random, Stream } from "effect"
import type { Chance } from "./Chance.ts"
import { makeWire } from "./Network.ts"
import { makePhone, type Phone } from "./Phone.ts"
import type { Replica } from "../Nemesis.ts"
import type { Universe } from "./Universe.ts"
import { wiredCoordinator, wiredStore } from "./Wired.ts"

export interface BotWorldOptions<Id extends string, E, R> {
  readonly universe: Universe
  readonly chance: Chance
  readonly seed: number
  readonly definition: Bot.Definition<Id, E, R>
  /** The services of the bot's handlers. */
  readonly services: Context.Context<R>
  /** One process with a coordinator of its own, or replicas that share one. */
  readonly coordination: "local" | "shared"
  /** ms. */
  readonly lease: number
  readonly onEvent?: (machine: string, event: Bot.EventsOf<E>) => void
}

export interface BotWorld {
  readonly phone: Phone
  readonly boot: (index: number, life: number) => Replica
  readonly shiftClock: (millis: number) => void
}

export const makeBotWorld = <Id extends string, E, R>(options: BotWorldOptions<Id, E, R>): BotWorld => {
  const { chance, coordination, definition, lease, seed, universe } = options
  const phone = makePhone(universe, coordination === "shared")
  const store = MemoryStore.make()
  const hub = CoordinatorHub.make({ partitions: 4 })
  const fences = { value: 0 }

  const boot = (index: number, life: number): Replica => {
    const machine = universe.machine(`r${index}.${life}`)
    const dice = chance.fork(index * 1000 + life)
    const wire = makeWire(dice.fork(1))
    const coordinator =
      coordination === "local"
        ? LocalCoordinator.layer()
        : Layer.effect(
            Coordinator,
            Effect.retry(
              coordinatorFromDriver(wiredCoordinator(hub.driver, wire, dice.fork(2)), {
                lease,
                turnWait: 120_000,
                replicaId: `r${index}`
              }),
              { times: 10 }
            )
          )
    const spi = Layer.mergeAll(
      Layer.succeed(Store, fromDriver(wiredStore(store, wire))),
      coordinator,
      layerNoDurability,
      InProcessScheduler.layer,
      Layer.succeed(Provider, phone.provider(machine, wire))
    )
    const program = Effect.scoped(
      Effect.flatMap(Layer.build(Bot.layer(definition).pipe(Layer.provide(spi))), (built) =>
        Stream.runForEach(Context.get(built, definition).events, (event) =>
          Effect.sync(() => options.onEvent?.(machine.name, event))
        )
      )
    )
    machine.run(
      Effect.provideContext(program, options.services).pipe(
        Effect.provideService(LocalCoordinator.LastFence, fences),
        Random.withSeed(seed * 131 + index * 7 + life)
      )
    )
    return { machine, wire }
  }
  return { phone, boot, shiftClock: hub.shiftClock }
}
