/** A replica: the bot on Redis. Its one argument is what it stands on, as JSON. Ends in order on SIGTERM. */
import { Bot, InProcessScheduler, layerNoDurability, LeaseLostError } from "@botmesh/core"
import { Redis, RedisStore } from "@botmesh/redis"
import { runMain } from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Logger, References, Stream } from "effect"
import { bot } from "./bot.ts"
import type { ReplicaOptions } from "./Options.ts"
import { layerTickets } from "./Tickets.ts"
import { monotonic } from "../wire/Wire.ts"
import { layer as layerPhone, Line, numberOf } from "./Phone.ts"

/** What the bot tells of itself and the judge asks about; it outlives the bot, to hear what a stop drops. */
const report = Effect.gen(function* () {
  const line = yield* Line
  const { events } = yield* bot
  /** The last message of each chat. */
  const handled = new Map<string, number>()
  yield* Stream.runForEach(events, (event) =>
    Effect.sync(() => {
      switch (event._tag) {
        case "message":
          return void handled.set(event.chat.event.from, numberOf(event.chat.event))
        case "dropped":
          return line.say({ t: "dropped", n: numberOf(event.event), reason: event.reason })
        case "suspended":
          return line.say({ t: "told", what: "suspended", detail: `${event.key} ${event.reason}` })
        case "conversation:ended":
          return event.outcome === "done" || event.outcome === "timeout"
            ? undefined
            : line.say({ t: "told", what: `conversation ${event.outcome}`, detail: event.key })
        case "error":
          // A flow that the handler triggered is told of like this, by its chat: the message itself was handled.
          if (event.error instanceof LeaseLostError) {
            const n = handled.get(event.error.key.slice(event.error.key.lastIndexOf("/") + 1))
            if (n !== undefined) line.say({ t: "dropped", n, reason: `error in ${event.where}` })
          }
          return line.say({ t: "told", what: `error ${event.where}`, detail: String(event.error).slice(0, 300) })
        default:
          return undefined
      }
    })
  )
})

/** Looks whether time passes as it should, on this process and on the way to Redis and back. */
const watch = (lease: number) =>
  Effect.gen(function* () {
    const line = yield* Line
    const redis = yield* Redis.Redis
    const pause = 50
    const look = Effect.gen(function* () {
      const from = monotonic()
      yield* Effect.sleep(pause)
      yield* redis.command("PING")
      const to = monotonic()
      if (to - from - pause > lease / 6) line.say({ t: "stalled", from, to })
    })
    // A cut connection is a fault of the nemesis: it knows.
    return yield* Effect.forever(Effect.ignore(look))
  })

const layerReplica = (options: ReplicaOptions) => {
  const redis = Redis.layer({ ...options.redis, prefix: "chaos", timeout: "2s" })
  const running = Bot.layer(bot).pipe(
    Layer.provide(layerPhone(options.name)),
    Layer.provide([
      RedisStore.layer,
      layerTickets("chaos", { lease: options.lease, replicaId: options.name }),
      layerNoDurability,
      InProcessScheduler.layer
    ]),
    Layer.provide(redis)
  )
  const watched = Layer.effectDiscard(
    Effect.andThen(Effect.forkDetach(report), Effect.forkScoped(watch(options.lease)))
  )
  return watched.pipe(Layer.provide(running), Layer.provide(redis), Layer.provide(Line.layer(options.port)))
}

const options: ReplicaOptions = JSON.parse(process.argv[2] ?? "{}")
// What goes wrong on the way is told to the transport; what ends the process is logged by runMain.
const quiet = Effect.provideService(Layer.launch(layerReplica(options)), References.MinimumLogLevel, "Fatal")
runMain(Effect.provideService(quiet, Logger.LogToStderr, true))
