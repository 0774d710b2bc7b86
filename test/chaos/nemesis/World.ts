/** What the nemesis can lay hands on. */
import type { Proxy, RedisCluster, RedisSentinel, RedisServer, ServiceError } from "@botmesh/test-services"
import type { Effect } from "effect"
import type { Fleet } from "../Fleet.ts"
import type { Fault } from "../wire/Entry.ts"

export interface World {
  readonly fleet: Fleet
  readonly random: () => number
  /** ms. */
  readonly lease: number
  readonly record: (fault: Fault) => void
  readonly ground: Ground
}

/** The Redis that the replicas stand on. */
export type Ground =
  /** Where connections are to be cut each replica reaches it by a proxy of its own. */
  | { readonly kind: "standalone"; readonly server: RedisServer; readonly proxies: ReadonlyMap<string, Proxy> }
  | { readonly kind: "sentinel"; readonly sentinel: RedisSentinel }
  | { readonly kind: "cluster"; readonly cluster: RedisCluster }

/** One fault from its beginning until what was broken works again. */
export type Verb = (world: World) => Effect.Effect<void, ServiceError>

export const anyOf = <A>(all: ReadonlyArray<A>, random: () => number): A | undefined =>
  all[Math.floor(random() * all.length)]
