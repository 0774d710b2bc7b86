/** Opens connections of ioredis: standalone, behind Sentinel, or to a Cluster. The one place that knows its options. */
import { Effect, Redacted, type Scope } from "effect"
import { Cluster, Redis, type RedisOptions } from "ioredis"
import { redisError, type RedisError } from "./RedisError.ts"

export type Client = Redis | Cluster

/** The declared type of this one option refuses itself under exactOptionalPropertyTypes. */
type IoOptions = Omit<RedisOptions, "replyMapping">

export interface Address {
  readonly host: string
  readonly port: number
}

/** Where Redis is, read from the options. */
export interface Target {
  readonly kind: "standalone" | "sentinel" | "cluster"
  readonly addresses: readonly [Address, ...ReadonlyArray<Address>]
  readonly username: string | undefined
  readonly password: Redacted.Redacted | undefined
  readonly db: number
  readonly tls: boolean
  readonly sentinel: { readonly name: string; readonly password: Redacted.Redacted | undefined } | undefined
  /** ms: the longest wait for a connection, and for any reply. */
  readonly timeout: number
  readonly name: string
}

/** 20 ms, 40 ms, … half a second: a Redis that is back is found soon, one that is away is not stormed. */
const backoff = (times: number): number => Math.min(20 * 2 ** Math.min(times, 6), 500)

const credentials = (target: Target): IoOptions => ({
  ...(target.username === undefined ? {} : { username: target.username }),
  ...(target.password === undefined ? {} : { password: Redacted.value(target.password) }),
  ...(target.tls ? { tls: {} } : {})
})

/**
 * What all connections share. Nothing is ever sent twice by the library (`autoResendUnfulfilledCommands`), and what is in
 * flight fails at once when its connection ends (`maxRetriesPerRequest: 0`): only we know what may be repeated.
 */
const common = (target: Target): IoOptions => ({
  ...credentials(target),
  lazyConnect: true,
  connectionName: target.name,
  connectTimeout: target.timeout,
  socketTimeout: target.timeout,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  keepAlive: 10_000,
  // A demoted primary that keeps its connections would answer READONLY for ever (COORD-15).
  reconnectOnError: (error) => (/^(?:READONLY|MASTERDOWN)/u.test(error.message) ? 1 : false)
})

const single = (target: Target, options: IoOptions, once = false): Redis => {
  const [first] = target.addresses
  if (target.sentinel === undefined) return new Redis({ ...options, host: first.host, port: first.port, db: target.db })
  const { name, password } = target.sentinel
  let stood = false
  const client = new Redis({
    ...options,
    db: target.db,
    sentinels: [...target.addresses],
    name,
    ...(password === undefined ? {} : { sentinelPassword: Redacted.value(password) }),
    ...(target.tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
    // The first time one round over the sentinels has to do. Later the library counts each failed attempt on a dead primary
    // as a sentinel asked in vain, and gives up for good after the last: it goes round again.
    sentinelRetryStrategy: (times) => (stood && !once ? backoff(times) : null)
  })
  client.once("ready", () => {
    stood = true
  })
  return client
}

const make = (target: Target): Client =>
  target.kind === "cluster"
    ? new Cluster([...target.addresses], {
        lazyConnect: true,
        clusterRetryStrategy: backoff,
        slotsRefreshTimeout: target.timeout,
        slotsRefreshInterval: 2_000,
        retryDelayOnFailover: 50,
        retryDelayOnClusterDown: 100,
        retryDelayOnTryAgain: 20,
        redisOptions: common(target)
      })
    : single(target, { ...common(target), retryStrategy: backoff, enableOfflineQueue: false })

const open = <A extends Client>(operation: string, create: () => A): Effect.Effect<A, RedisError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const client = create()
      // Without a listener the library prints. What fails is told by the commands that fail.
      let last: unknown
      client.on("error", (error: unknown) => {
        last = error
      })
      client.on("node error", (error: unknown) => {
        last = error
      })
      return Effect.tryPromise({
        try: () => client.connect(),
        catch: (cause) => redisError(operation)(last ?? cause)
      }).pipe(
        Effect.as(client),
        Effect.onError(() => Effect.sync(() => client.disconnect()))
      )
    }),
    (client) => Effect.sync(() => client.disconnect()),
    { interruptible: true }
  )

/** The connection for commands; it reconnects by itself until the scope closes. Fails when it cannot be made once. */
export const connect = (target: Target): Effect.Effect<Client, RedisError, Scope.Scope> =>
  open("connect", () => make(target))

/**
 * A connection of its own that does not reconnect, for SUBSCRIBE and blocking reads: its end is told, so that its user
 * knows what may have been missed. In a cluster it goes to the `nth` primary, counted round.
 *
 * @param blocking a read may take as long as it was told to, so nothing is taken for a dead connection
 */
export const dedicated = (
  target: Target,
  main: Client,
  nth: number,
  blocking: boolean
): Effect.Effect<Redis, RedisError, Scope.Scope> =>
  open("connect", () => {
    // Absent is off.
    const { socketTimeout, ...rest } = common(target)
    const options = { ...rest, ...(blocking ? {} : { socketTimeout: socketTimeout ?? target.timeout }) }
    if (!(main instanceof Cluster)) return single(target, { ...options, retryStrategy: null }, true)
    const nodes = main.nodes("master")
    const { host, port } = nodes[nth % Math.max(nodes.length, 1)]?.options ?? {}
    const [first] = target.addresses
    return new Redis({ ...options, host: host ?? first.host, port: port ?? first.port, retryStrategy: null })
  })

/**
 * Gathers what one turn of the event loop sends into one write: with fifty callers a system call for each command would be
 * most of the work. A cluster spreads its commands over many sockets, so it is left alone.
 */
export const gatherWrites = (client: Client): (() => void) => {
  if (client instanceof Cluster) return () => {}
  let corked = false
  return () => {
    // Without a connection the command is refused anyway.
    if (corked || client.status !== "ready") return
    const { stream } = client
    corked = true
    stream.cork()
    // After the promises of this turn: whoever they wake sends too.
    process.nextTick(() => {
      corked = false
      stream.uncork()
    })
  }
}
