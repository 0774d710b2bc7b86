/**
 * The same client as the port of `effect/persistence`: its RateLimiter, PersistedQueue, CircuitBreaker and caches run on it.
 *
 * On a Cluster the keys of one script must share a hash tag: give those modules a prefix such as `{shop:limits}`.
 */
import { Effect, Exit, Layer, Scope } from "effect"
import { Redis as Port } from "effect/persistence"
import { createHash } from "node:crypto"
import { Redis, type RedisConnection } from "./Redis.ts"

type Send = Port.Redis["Service"]["send"]

/** The port lets its callers say what a reply is; they know their commands. */
const sender =
  ({ command }: Pick<RedisConnection, "command">): Send =>
  <A>(name: string, ...args: ReadonlyArray<string>) =>
    Effect.mapBoth(command(name, ...args), {
      onSuccess: (reply) => reply as A,
      onFailure: (cause) => new Port.RedisError({ cause })
    })

const isUnknown = (error: Port.RedisError): boolean => String(error.cause).includes("NOSCRIPT")

/**
 * Scripts by their hash, sent as text where a node does not know them. The port's own way loads them on one node, which in
 * a cluster need not be the one that runs them.
 */
const evaluator = (send: Send): Port.Redis["Service"]["eval"] => {
  const hashes = new WeakMap<object, string>()
  const hashOf = (script: { readonly lua: string }): string => {
    const hash = hashes.get(script) ?? createHash("sha1").update(script.lua).digest("hex")
    hashes.set(script, hash)
    return hash
  }
  return (script) =>
    (...params) => {
      const rest = [`${script.numberOfKeys(...params)}`, ...script.params(...params).map(String)]
      return Effect.catchIf(send("EVALSHA", hashOf(script), ...rest), isUnknown, () =>
        send("EVAL", script.lua, ...rest)
      )
    }
}

const make = Effect.gen(function* () {
  const redis = yield* Redis
  const send = sender(redis)
  const port = yield* Port.make({
    send,
    subscribe: (channel, onMessage) =>
      Effect.as(
        Effect.mapError(
          redis.subscribe([channel], (signal) => {
            if (signal._tag === "message") onMessage({ channel: signal.channel, message: signal.message })
          }),
          (cause) => new Port.RedisError({ cause })
        ),
        // It stands again by itself after a break, until the scope closes.
        Effect.never
      ),
    connect: Effect.gen(function* () {
      const scope = yield* Scope.make()
      const connection = yield* Effect.mapError(
        Scope.provide(redis.connection, scope),
        (cause) => new Port.RedisError({ cause })
      )
      return { send: sender(connection), close: Scope.close(scope, Exit.void) }
    })
  })
  return Port.Redis.of({
    ...port,
    eval: evaluator(send),
    reserve: Effect.map(port.reserve, (connection) => ({ ...connection, eval: evaluator(connection.send) }))
  })
})

/** The port of `effect/persistence` on our client. Source: H Redis. */
export const layerPersistence: Layer.Layer<Port.Redis, never, Redis> = Layer.effect(Port.Redis, make)
