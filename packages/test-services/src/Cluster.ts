/** A Redis Cluster of three primaries with one replica each, on this machine. */
import { Effect, type Scope } from "effect"
import { freeClusterPort } from "./Ports.ts"
import { execute, redisPrograms } from "./Program.ts"
import { redis, type RedisServer } from "./Redis.ts"
import { until } from "./Until.ts"
import { ServiceError } from "./ServiceError.ts"

export interface RedisCluster {
  readonly nodes: ReadonlyArray<RedisServer>
  /** `redis://…` of each node. */
  readonly urls: ReadonlyArray<string>
  /** Kills the primary that serves a key. Its replica takes over within about 5 s. */
  readonly killPrimaryOf: (key: string) => Effect.Effect<RedisServer, ServiceError>
}

const settings = [
  ...["--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "2000"],
  ...["--repl-diskless-sync-delay", "0"]
]

/** A cluster that serves, until the scope closes. @param nodes 3 (no replicas) or 6, default 6 */
export const cluster = Effect.fn("TestServices.cluster")(function* (
  options: { readonly nodes?: 3 | 6 } = {}
): Effect.fn.Return<RedisCluster, ServiceError, Scope.Scope> {
  const count = options.nodes ?? 6
  const nodes: Array<RedisServer> = []
  for (let n = 0; n < count; n++) nodes.push(yield* redis({ port: yield* freeClusterPort, args: settings }))
  const [first] = nodes
  if (first === undefined) return yield* Effect.die(new Error("a cluster has nodes"))
  const programs = yield* redisPrograms
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  const replicas = ["--cluster-replicas", count === 6 ? "1" : "0", "--cluster-yes"]
  yield* execute(programs.cli, ["--cluster", "create", ...addresses, ...replicas])
  for (const node of nodes) {
    yield* until(
      "the cluster",
      Effect.map(
        Effect.all([node.cli("cluster", "info"), node.cli("cluster", "nodes"), node.cli("info", "replication")]),
        ([info, known, replication]) =>
          info.includes("cluster_state:ok") &&
          known.split("slave").length - 1 === count - 3 &&
          // A replica that has never been in step cannot take over.
          (replication.includes("role:master") || replication.includes("master_link_status:up"))
      )
    )
  }
  const killPrimaryOf = Effect.fnUntraced(function* (key: string) {
    const slot = Number((yield* first.cli("cluster", "keyslot", key)).trim())
    const known = (yield* first.cli("cluster", "nodes")).split("\n")
    const serves = known.find(
      (line) =>
        line.includes("master") &&
        !line.includes("fail") &&
        line
          .split(" ")
          .slice(8)
          .some((range) => {
            const [from, to] = range.split("-")
            return Number(from) <= slot && slot <= Number(to ?? from)
          })
    )
    const port = Number(/:(\d+)@/u.exec(serves ?? "")?.[1])
    const node = nodes.find((server) => server.port === port)
    if (node === undefined) return yield* Effect.fail(new ServiceError({ message: `no node serves ${key}` }))
    yield* node.stop("kill")
    return node
  })
  return { nodes, urls: nodes.map(({ url }) => url), killPrimaryOf }
})
