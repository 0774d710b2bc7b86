/**
 * Redis as a service: one connection for commands and scripts, others on demand, all closed with the scope. Standalone,
 * behind Sentinel, or a Cluster, with the same keys.
 */
import { type ConfigValidationError, type DurationInput, parseDuration } from "@botmesh/core/spi"
import { type Config, Context, Deferred, Duration, Effect, Latch, Layer, Redacted, type Scope } from "effect"
import { type Address, type Client, connect, dedicated, gatherWrites, type Target } from "./client/Connect.ts"
import { redisError, RedisError } from "./client/RedisError.ts"
import { type Items, parameters, type Script, type Value } from "./client/Script.ts"
import { readSetting, type Setting } from "./Setting.ts"

export { RedisError } from "./client/RedisError.ts"

export interface RedisOptions {
  /**
   * `redis://user:password@host:port/db`, or `rediss://` for TLS. Several, with commas between, for a Cluster (some of its
   * nodes) or for Sentinel (the sentinels; user, password and db are those of the primary).
   */
  readonly url: Setting<string | Redacted.Redacted>
  /** Begins every key: one Redis can serve many installations. Letters, digits and `._:-`, at most 64. Default `botmesh`. */
  readonly prefix?: Setting<string>
  /** The url names nodes of a Redis Cluster. Default false. */
  readonly cluster?: Setting<boolean>
  /** What the sentinels named by the url call the primary. */
  readonly sentinel?: Setting<string>
  readonly sentinelPassword?: Setting<Redacted.Redacted>
  /** How long to wait for a connection, and for any reply: then the connection counts as dead. Default 5 s. */
  readonly timeout?: Setting<DurationInput>
}

type OptionError = ConfigValidationError | Config.ConfigError

/** A connection that nobody else uses. */
export interface RedisConnection {
  readonly command: (name: string, ...args: ReadonlyArray<Value>) => Effect.Effect<unknown, RedisError>
}

export interface RedisShape {
  readonly prefix: string
  readonly kind: Target["kind"]
  /**
   * Runs a script; loads it first where it is not known. Waits for a connection up to the timeout. It is sent at most
   * once: on `unreachable` and `timeout` nothing is known of what it did.
   */
  readonly run: <
    Keys extends string,
    Args extends string,
    EachKeys extends string = never,
    EachArgs extends string = never
  >(
    script: Script<Keys, Args, EachKeys, EachArgs>,
    keys: Readonly<Record<Keys, string>>,
    args: Readonly<Record<Args, Value>>,
    each?: Items<EachKeys, EachArgs>
  ) => Effect.Effect<unknown, RedisError>
  /** One command, and its reply in the shape of RESP2. Sent at most once. */
  readonly command: (name: string, ...args: ReadonlyArray<Value>) => Effect.Effect<unknown, RedisError>
  /** Several commands in one round trip; the first error reply fails it all. In a Cluster, of one hash tag only. */
  readonly pipeline: (
    commands: ReadonlyArray<readonly [name: string, ...args: ReadonlyArray<Value>]>
  ) => Effect.Effect<ReadonlyArray<unknown>, RedisError>
  /**
   * Listens on channels over a connection of its own, until the scope closes; returns once it does. `subscribed` at the
   * start and whenever it stands again after a break: messages in between are lost. `onSignal` runs on the socket's
   * event and may not throw.
   */
  readonly subscribe: (
    channels: ReadonlyArray<string>,
    onSignal: (signal: RedisSignal) => void
  ) => Effect.Effect<void, RedisError, Scope.Scope>
  /** A connection for blocking commands. Closing its scope ends what it waits for. */
  readonly connection: Effect.Effect<RedisConnection, RedisError, Scope.Scope>
}

export type RedisSignal =
  | { readonly _tag: "subscribed" }
  | { readonly _tag: "message"; readonly channel: string; readonly message: string }

/** The connection to Redis that store, coordinator and the modules of `effect/persistence` share. Source: H Redis. */
export class Redis extends Context.Service<Redis, RedisShape>()("@botmesh/redis/Redis") {}

const prefixForm = /^[A-Za-z0-9._:-]{1,64}$/u
const urlForm = /^rediss?:\/\//u

const invalid = (detail: string) => new RedisError({ operation: "options", reason: "invalid", detail })

const readAddress = (url: URL, port: number): Address => ({
  host: url.hostname.replace(/^\[|\]$/gu, ""),
  port: url.port === "" ? port : Number(url.port)
})

const readTarget = Effect.fnUntraced(function* (
  options: RedisOptions
): Effect.fn.Return<Target, RedisError | OptionError> {
  const given = yield* readSetting<string | Redacted.Redacted>(options.url)
  const text = typeof given === "string" ? given : Redacted.value(given)
  const urls: Array<URL> = []
  for (const part of text.split(",").map((piece) => piece.trim())) {
    if (!urlForm.test(part) || !URL.canParse(part))
      return yield* invalid("url must be redis://[user:password@]host[:port][/db], or several with commas between")
    urls.push(new URL(part))
  }
  const [first, ...rest] = urls
  if (first === undefined) return yield* invalid("url is empty")
  const cluster = yield* readSetting(options.cluster ?? false)
  const sentinel = options.sentinel === undefined ? undefined : yield* readSetting(options.sentinel)
  if (cluster && sentinel !== undefined) return yield* invalid("cluster and sentinel exclude each other")
  if (rest.length > 0 && !cluster && sentinel === undefined)
    return yield* invalid("several urls need cluster or sentinel")
  const db = first.pathname === "" || first.pathname === "/" ? 0 : Number(first.pathname.slice(1))
  if (!Number.isInteger(db) || db < 0) return yield* invalid(`the db in the url must be a number`)
  if (cluster && db !== 0) return yield* invalid("a Cluster has no numbered databases")
  const sentinelPassword =
    options.sentinelPassword === undefined ? undefined : yield* readSetting(options.sentinelPassword)
  const timeout = yield* Effect.fromResult(
    parseDuration(yield* readSetting<DurationInput>(options.timeout ?? "5s"), "redis.timeout", { zero: "refuse" })
  )
  const port = sentinel === undefined ? 6379 : 26379
  return {
    kind: cluster ? "cluster" : sentinel === undefined ? "standalone" : "sentinel",
    addresses: [readAddress(first, port), ...rest.map((url) => readAddress(url, port))],
    username: first.username === "" ? undefined : decodeURIComponent(first.username),
    password: first.password === "" ? undefined : Redacted.make(decodeURIComponent(first.password)),
    db,
    tls: first.protocol === "rediss:",
    sentinel: sentinel === undefined ? undefined : { name: sentinel, password: sentinelPassword },
    timeout: Duration.toMillis(timeout),
    name: "botmesh"
  }
})

/** Follows whether commands can be sent, and lets wait for it. */
const makeGate = (client: Client, timeout: number) => {
  const latch = Latch.makeUnsafe(client.status === "ready")
  client.on("ready", () => latch.openUnsafe())
  client.on("close", () => latch.closeUnsafe())
  const wait = (operation: string) =>
    Effect.timeoutOrElse(latch.await, {
      duration: timeout,
      orElse: () =>
        Effect.fail(new RedisError({ operation, reason: "unreachable", detail: `no connection for ${timeout} ms` }))
    })
  return { isOpen: () => client.status === "ready", shut: () => latch.closeUnsafe(), wait }
}

/** The socket had ended and the client had not heard of it yet: surely not sent, so it can be sent later. */
const isUnsent = (error: RedisError): boolean => error.detail.startsWith("Stream isn't writeable")

const fromPromise = <A>(operation: string, send: () => Promise<A>): Effect.Effect<A, RedisError> =>
  Effect.callback((resume) => {
    send().then(
      (reply) => resume(Effect.succeed(reply)),
      (cause: unknown) => resume(Effect.fail(redisError(operation)(cause)))
    )
  })

const isUnknownScript = (cause: unknown): boolean => cause instanceof Error && cause.message.startsWith("NOSCRIPT")

/** Opens the connections. Fails when Redis cannot be reached, refuses us, or an option is wrong. */
export const make = Effect.fn("Redis.make")(function* (
  options: RedisOptions
): Effect.fn.Return<RedisShape, RedisError | OptionError, Scope.Scope> {
  const target = yield* readTarget(options)
  const prefix = yield* readSetting(options.prefix ?? "botmesh")
  if (!prefixForm.test(prefix)) return yield* invalid(`prefix must match ${prefixForm.source}, got "${prefix}"`)
  const client = yield* Effect.timeoutOrElse(connect(target), {
    duration: target.timeout * 2,
    orElse: () =>
      Effect.fail(new RedisError({ operation: "connect", reason: "unreachable", detail: "no connection in time" }))
  })
  const gate = makeGate(client, target.timeout)
  const gather = gatherWrites(client)
  let opened = 0

  const sent = <A>(operation: string, act: () => Promise<A>): Effect.Effect<A, RedisError> =>
    fromPromise(operation, () => {
      gather()
      return act()
    })
  const send = <A>(operation: string, act: () => Promise<A>): Effect.Effect<A, RedisError> =>
    Effect.suspend(() => {
      if (!gate.isOpen()) return Effect.andThen(gate.wait(operation), sent(operation, act))
      return Effect.catchIf(sent(operation, act), isUnsent, () => {
        gate.shut()
        return Effect.andThen(gate.wait(operation), sent(operation, act))
      })
    })
  const run: RedisShape["run"] = (script, keys, args, each) =>
    send(script.name, () => {
      const all = parameters(script, keys, args, each ?? [])
      return client.evalsha(script.sha, ...all).catch((cause: unknown) => {
        if (isUnknownScript(cause)) return client.eval(script.lua, ...all)
        throw cause
      })
    })
  /** One life of a subscription: stands, and ends with its connection. */
  const subscription = Effect.fnUntraced(function* (
    channels: ReadonlyArray<string>,
    onSignal: (signal: RedisSignal) => void,
    stands: Effect.Effect<unknown>
  ) {
    const connection = yield* dedicated(target, client, opened++, false)
    const ended = yield* Deferred.make<void>()
    connection.once("end", () => Deferred.doneUnsafe(ended, Effect.void))
    connection.on("message", (channel: string, message: string) => onSignal({ _tag: "message", channel, message }))
    yield* fromPromise("subscribe", () => connection.subscribe(...channels))
    onSignal({ _tag: "subscribed" })
    yield* stands
    // A ping that gets no answer in time ends the connection: else a dead one looks like a quiet one.
    const ping = Effect.andThen(
      Effect.sleep(target.timeout),
      fromPromise("ping", () => connection.ping())
    )
    yield* Effect.raceFirst(Effect.forever(ping), Deferred.await(ended))
  }, Effect.scoped)
  const subscribe: RedisShape["subscribe"] = Effect.fnUntraced(function* (channels, onSignal) {
    const first = yield* Deferred.make<void, RedisError>()
    const stands = Deferred.succeed(first, undefined)
    yield* subscription(channels, onSignal, stands).pipe(
      // The first failure is the caller's; later ones are a break, told by the next `subscribed`.
      Effect.catch((error) =>
        Effect.andThen(Deferred.fail(first, error), Effect.logDebug("a subscription to Redis ended", error))
      ),
      Effect.andThen(Effect.sleep(100)),
      Effect.forever,
      Effect.forkScoped
    )
    yield* Deferred.await(first)
  })
  return {
    prefix,
    kind: target.kind,
    run,
    command: (name, ...args) => send(name, () => client.call(name, ...args)),
    pipeline: (commands) =>
      Effect.flatMap(
        send("pipeline", () => {
          const batch = client.pipeline()
          for (const [name, ...args] of commands) batch.call(name, ...args)
          return batch.exec()
        }),
        (replies) => {
          const failed = replies?.find(([error]) => error !== null)?.[0]
          return failed === undefined || failed === null
            ? Effect.succeed((replies ?? []).map(([, reply]) => reply))
            : Effect.fail(redisError("pipeline")(failed))
        }
      ),
    subscribe,
    connection: Effect.map(
      Effect.suspend(() => dedicated(target, client, opened++, true)),
      (connection): RedisConnection => ({
        command: (name, ...args) => fromPromise(name, () => connection.call(name, ...args))
      })
    )
  }
})

/**
 * The client, connected. Fails with `RedisError` when Redis cannot be reached or an option is wrong; later breaks are
 * waited out, and told by what fails meanwhile. Source: H Redis, C16, C22.
 */
export const layer = (options: RedisOptions): Layer.Layer<Redis, RedisError | OptionError> =>
  Layer.effect(Redis, make(options))
