/** botmesh on Redis: turns and leads for many replicas, and a store, over one connection. */
export * as Redis from "./Redis.ts"
export * as RedisCoordinator from "./RedisCoordinator.ts"
export * as RedisStore from "./RedisStore.ts"
