/** Faults of Redis and of the way to it. */
import { type RedisServer, ServiceError } from "@botmesh/test-services"
import { Effect } from "effect"
import { monotonic } from "../wire/Wire.ts"
import { anyOf, type Verb } from "./World.ts"

/** ms. */
const limit = 30_000

/** Asks again each 50 ms until it is so. A server that is not up yet refuses the question: that is a no. */
const until = (what: string, isSo: Effect.Effect<boolean, ServiceError>): Effect.Effect<void, ServiceError> =>
  Effect.orElseSucceed(isSo, () => false).pipe(
    Effect.flatMap((yes) => (yes ? Effect.void : Effect.andThen(Effect.sleep(50), Effect.fail("not yet")))),
    Effect.eventually,
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.fail(new ServiceError({ message: `waited in vain for ${what}` }))
    })
  )

/** A replica's connections to Redis are cut, or pass nothing for up to two leases. */
export const cut: Verb = Effect.fnUntraced(function* ({ fleet, ground, lease, random, record }) {
  if (ground.kind !== "standalone") return
  const member = anyOf(fleet.up(), random)
  const proxy = member === undefined ? undefined : ground.proxies.get(member.name)
  if (member === undefined || proxy === undefined) return
  const from = monotonic()
  if (random() < 0.5) {
    yield* Effect.ensuring(Effect.andThen(proxy.hold, Effect.sleep(lease * (0.2 + 1.8 * random()))), proxy.flow)
  }
  yield* proxy.cut
  record({ verb: "cut", pid: member.pid, from, to: monotonic() })
})

/** Redis is killed and started again on its append-only file. */
export const restart: Verb = Effect.fnUntraced(function* ({ ground, record }) {
  if (ground.kind !== "standalone") return
  const from = monotonic()
  yield* ground.server.stop("kill")
  yield* ground.server.start
  record({ verb: "restart", pid: undefined, from, to: monotonic() })
})

const follows = (server: RedisServer) =>
  Effect.map(server.cli("info", "replication"), (text) => text.includes("master_link_status:up"))

/** Another primary: the sentinels are asked for it, or the primary is killed under them. */
const failSentinel: Verb = Effect.fnUntraced(function* ({ ground, random, record }) {
  if (ground.kind !== "sentinel") return
  const { sentinel } = ground
  const before = yield* sentinel.primary
  const from = monotonic()
  if (random() < 0.5) yield* sentinel.failover
  else {
    yield* before.stop("kill")
    yield* until(
      "another primary",
      Effect.map(sentinel.primary, ({ port }) => port !== before.port)
    )
  }
  record({ verb: "failover", pid: undefined, from, to: monotonic() })
  yield* before.start
  yield* until("the former primary to follow", follows(before))
})

/** A primary of the Cluster is killed; its replica takes over. */
const failCluster: Verb = Effect.fnUntraced(function* ({ ground, random, record }) {
  if (ground.kind !== "cluster") return
  const { cluster } = ground
  const from = monotonic()
  const killed = yield* cluster.killPrimaryOf(`key${Math.floor(random() * 1e6)}`)
  const others = cluster.nodes.filter(({ port }) => port !== killed.port)
  yield* until(
    "the cluster to serve again",
    Effect.map(
      Effect.forEach(others, (node) => node.cli("cluster", "nodes")),
      (all) =>
        all.every((text) =>
          text
            .split("\n")
            .every((line) => !line.includes(`:${killed.port}@`) || (/\bfail\b/u.test(line) && !/\d-\d+$/u.test(line)))
        )
    )
  )
  yield* until(
    "the cluster to be whole",
    Effect.map(
      Effect.forEach(others, (node) => node.cli("cluster", "info")),
      (all) => all.every((text) => text.includes("cluster_state:ok"))
    )
  )
  record({ verb: "failover", pid: undefined, from, to: monotonic() })
  yield* killed.start
  yield* until("the killed node to follow", follows(killed))
})

export const failover: Verb = (world) => (world.ground.kind === "sentinel" ? failSentinel(world) : failCluster(world))
