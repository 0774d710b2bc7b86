/** One replica of the shop: what a real deployment runs, but for the transport, which is a crowd in the parent process. */
import { Bot, Coordinator, InProcessScheduler, layerNoDurability } from "@botmesh/core"
import { Redis, RedisStore } from "@botmesh/redis"
import { layer as layerNode } from "@effect/platform-node/NodeServices"
import { runMain } from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Logger, References, Stream } from "effect"
import { layer as layerPhone, Line, numberOf } from "../../../../test/chaos/replica/Phone.ts"
import { layerTickets } from "../../../../test/chaos/replica/Tickets.ts"
import { Payments } from "../../src/payments.ts"
import { shop } from "../../src/shop.ts"

export interface ShopReplica {
  readonly name: string
  /** The transport's. */
  readonly port: number
  readonly redis: { readonly url: string; readonly prefix: string }
  /** ms. */
  readonly lease: number
  /** The log of charges, one for all replicas. */
  readonly charges: string
}

/** What only one of all replicas does at a time: here nothing, but it tells who it is. */
const leads = Effect.gen(function* () {
  const line = yield* Line
  const coordinator = yield* Coordinator
  const tell = (what: string) => Effect.sync(() => line.say({ t: "told", what, detail: "" }))
  return yield* Effect.scoped(
    Effect.flatMap(coordinator.lead("reports"), (lease) =>
      Effect.andThen(tell("leads"), Effect.andThen(lease.whenLost, tell("led")))
    )
  ).pipe(Effect.ignore, Effect.forever)
})

const drops = Effect.gen(function* () {
  const line = yield* Line
  const { events } = yield* shop
  yield* Stream.runForEach(events, (event) =>
    Effect.sync(() => {
      if (event._tag === "dropped") line.say({ t: "dropped", n: numberOf(event.event), reason: event.reason })
    })
  )
})

const layerReplica = ({ charges, lease, name, port, redis }: ShopReplica) => {
  const running = Bot.layer(shop).pipe(
    Layer.provide(layerPhone(name)),
    Layer.provide([RedisStore.layer, layerNoDurability, InProcessScheduler.layer, Payments.layerLog(charges)])
  )
  return Layer.effectDiscard(Effect.andThen(Effect.forkDetach(drops), Effect.forkScoped(leads))).pipe(
    Layer.provide(running),
    Layer.provide(layerTickets("shop", { lease, replicaId: name })),
    Layer.provide(Redis.layer(redis)),
    Layer.provide([Line.layer(port), layerNode])
  )
}

const options: ShopReplica = JSON.parse(process.argv[2] ?? "{}")
const quiet = Effect.provideService(Layer.launch(layerReplica(options)), References.MinimumLogLevel, "Fatal")
runMain(Effect.provideService(quiet, Logger.LogToStderr, true))
