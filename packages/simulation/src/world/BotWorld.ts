/** A bot in a world: replicas that boot, die and boot again over one store, one coordinator and one network of phones. */
import { Bot, InProcessScheduler, LocalCoordinator, layerNoDurability, MemoryStore } from "@botmesh/core"
import { Coordinator, coordinatorFromDriver, fromDriver, Provider, Store } from "@botmesh/core/spi"
import { CoordinatorHub } from "@botmesh/core/testing"
import { Context, Deferred, Effect, Exit, Layer, Random, Scope, Stream } from "effect"
import type { Entry, Hold } from "../History.ts"
import type { Replica } from "../Nemesis.ts"
import type { Chance } from "./Chance.ts"
import { type HubWatch, watchHub } from "./HubWatch.ts"
import { makeWire } from "./Network.ts"
import { makePhone, type Phone } from "./Phone.ts"
import { watchStore } from "./StoreWatch.ts"
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
  readonly turnWait: number
  readonly exclusive: boolean
  readonly redelivers: boolean
  readonly doubles: number
  readonly roams: boolean
  readonly note: (entry: Entry) => void
}

export interface BotWorld {
  readonly phone: Phone
  readonly hub: HubWatch
  readonly boot: (index: number, life: number) => Replica
  /** Each living replica tells the history what it says of itself. */
  readonly account: () => void
}

export const makeBotWorld = <Id extends string, E, R>(options: BotWorldOptions<Id, E, R>): BotWorld => {
  const { chance, definition, note, universe } = options
  const { tenant } = definition.options
  const scope = `${typeof tenant === "string" ? tenant : "default"}/${definition.id}`
  const hub = watchHub(CoordinatorHub.make({ partitions: 2 }), universe, note)
  // A process of its own is the only one there is: its turns are its own.
  const look = (machine: string, key: string): { readonly hold: Hold; readonly fence: number } =>
    options.coordination === "local" ? { hold: "own", fence: 0 } : hub.look(machine, `${scope}/${key}`)
  const store = watchStore(MemoryStore.make(), universe, note, look)
  const phone = makePhone({
    ...options,
    look: (machine, chat) => ({ key: chat, ...look(machine, chat) })
  })
  const fences = { value: 0 }
  const bots = new Map<Replica["machine"], Bot.BotShape<E>>()

  const hear = (machine: string, event: Bot.EventsOf<E>): void => {
    const at = { at: universe.now, machine }
    switch (event._tag) {
      case "message":
        return note({ _tag: "handled", ...at, chat: event.chat.from, id: event.chat.ref.id })
      case "dropped": {
        const id = "ref" in event.event ? (event.event.ref?.id ?? "") : ""
        return note({ _tag: "dropped", ...at, reason: event.reason, chat: event.event.from, id })
      }
      case "suspended":
        return note({ _tag: "suspended", ...at, key: event.key, reason: event.reason })
      case "error":
        return note({ _tag: "event", ...at, what: "error", about: `${event.where}: ${String(event.error)}` })
      case "conversation:ended":
        return note({ _tag: "event", ...at, what: `conversation ${event.outcome}`, about: event.key })
      default:
        return note({ _tag: "event", ...at, what: event._tag, about: "key" in event ? event.key : "" })
    }
  }

  const boot = (index: number, life: number): Replica => {
    const machine = universe.machine(`r${index}.${life}`)
    const dice = chance.fork(index * 1000 + life)
    const wires = {
      coordinator: makeWire(dice.fork(1)),
      store: makeWire(dice.fork(2)),
      phone: makeWire(dice.fork(3))
    }
    const told = (outcome: "ok" | "fail" | "unknown"): void =>
      note({ _tag: "told", at: universe.now, machine: machine.name, what: "write", outcome })
    const spi = Layer.mergeAll(
      Layer.succeed(Store, fromDriver(wiredStore(store.seenBy(machine.name), wires.store, told))),
      options.coordination === "local"
        ? LocalCoordinator.layer()
        : Layer.effect(
            Coordinator,
            Effect.retry(
              coordinatorFromDriver(wiredCoordinator(hub.driver, wires.coordinator, dice.fork(4)), {
                lease: options.lease,
                turnWait: options.turnWait,
                replicaId: machine.name
              }),
              { times: 10 }
            )
          ),
      layerNoDurability,
      InProcessScheduler.layer,
      Layer.succeed(Provider, phone.provider(machine, wires.phone))
    )
    const stopped = Deferred.makeUnsafe<void>()
    const program = Effect.scoped(
      Effect.gen(function* () {
        // What it says while it stops is heard too.
        const scope = yield* Scope.make()
        const built = yield* Layer.buildWithScope(Bot.layer(definition).pipe(Layer.provide(spi)), scope)
        const bot = Context.get(built, definition)
        bots.set(machine, bot)
        yield* Effect.forkScoped(Stream.runForEach(bot.events, (event) => Effect.sync(() => hear(machine.name, event))))
        yield* Effect.sleep(1)
        phone.open(machine)
        yield* Deferred.await(stopped)
        yield* Scope.close(scope, Exit.void)
        yield* Effect.sleep(1)
      })
    )
    const fiber = machine.run(
      Effect.provideContext(program, options.services).pipe(
        Effect.provideService(LocalCoordinator.LastFence, fences),
        Random.withSeed(options.seed * 131 + index * 7 + life)
      )
    )
    return {
      machine,
      wires: [wires.coordinator, wires.store, wires.phone],
      stop: (gone) => {
        Deferred.doneUnsafe(stopped, Effect.void)
        fiber.addObserver(gone)
      }
    }
  }
  const account = (): void => {
    for (const [machine, bot] of bots) {
      if (machine.dead) continue
      const { dropped, handled, received, waiting } = bot.metrics.snapshot()
      note({
        _tag: "account",
        at: universe.now,
        machine: machine.name,
        received,
        handled,
        dropped: Object.values(dropped).reduce((sum, count) => sum + count, 0),
        signals: 0,
        waiting,
        conversations: bot.conversations.list().length,
        timers: bot.conversations.timers()
      })
    }
  }
  return { phone, hub, boot, account }
}
