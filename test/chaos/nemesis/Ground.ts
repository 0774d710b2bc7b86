/** Starts the Redis a plan asks for, with a log of every write. */
import { cluster, proxy, redis, type RedisServer, sentinel, type ServiceError } from "@botmesh/test-services"
import { Effect, type Scope } from "effect"
import type { ReplicaOptions } from "../replica/Options.ts"
import type { Ground } from "./World.ts"

/** Never rewritten: the judge reads it from the first write on. */
const whole = ["--auto-aof-rewrite-percentage", "0"]

const logged = (servers: ReadonlyArray<RedisServer>): Effect.Effect<void, ServiceError> =>
  Effect.forEach(
    servers,
    (server) =>
      Effect.andThen(
        server.cli("config", "set", "auto-aof-rewrite-percentage", "0"),
        server.cli("config", "set", "appendonly", "yes")
      ),
    { discard: true }
  )

export const raise = Effect.fnUntraced(function* (
  kind: Ground["kind"],
  proxied: ReadonlyArray<string>
): Effect.fn.Return<Ground, ServiceError, Scope.Scope> {
  switch (kind) {
    case "standalone": {
      const server = yield* redis({ durable: true, detached: true, args: whole })
      const proxies = new Map(
        yield* Effect.forEach(proxied, (name) => Effect.map(proxy(server.port), (one) => [name, one] as const))
      )
      return { kind, server, proxies }
    }
    case "sentinel": {
      const made = yield* sentinel()
      yield* logged(made.servers)
      return { kind, sentinel: made }
    }
    case "cluster": {
      const made = yield* cluster()
      yield* logged(made.nodes)
      return { kind, cluster: made }
    }
  }
})

export const serversOf = (ground: Ground): ReadonlyArray<RedisServer> => {
  switch (ground.kind) {
    case "standalone":
      return [ground.server]
    case "sentinel":
      return ground.sentinel.servers
    case "cluster":
      return ground.cluster.nodes
  }
}

/** How a replica reaches it. */
export const addressOf = (ground: Ground, name: string): ReplicaOptions["redis"] => {
  switch (ground.kind) {
    case "standalone":
      return { url: `redis://127.0.0.1:${ground.proxies.get(name)?.port ?? ground.server.port}` }
    case "sentinel":
      return { url: ground.sentinel.sentinels.map(({ url }) => url).join(","), sentinel: ground.sentinel.name }
    case "cluster":
      return { url: ground.cluster.urls.join(","), cluster: true }
  }
}
