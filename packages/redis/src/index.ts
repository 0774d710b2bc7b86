/** botmesh on Redis: turns and leads for many replicas, and a store, over one connection. */
export { layerPersistence } from "./Persistence.ts"
export * as Redis from "./Redis.ts"
export * as RedisCoordinator from "./RedisCoordinator.ts"
export * as RedisDurability from "./RedisDurability.ts"
export * as RedisSchedule from "./RedisSchedule.ts"
export * as RedisStore from "./RedisStore.ts"
