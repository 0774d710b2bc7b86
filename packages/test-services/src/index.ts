/** Servers that tests talk to: each a scoped Effect on a free port and in a temporary directory. */
export { type RedisCluster, cluster } from "./Cluster.ts"
export { freePort } from "./Ports.ts"
export {
  postgres,
  postgresPrograms,
  type PostgresServer,
  type PostgresServerOptions,
  postgresUrl,
  whyNoPostgres
} from "./Postgres.ts"
export { redisPrograms } from "./Program.ts"
export { type Proxy, proxy } from "./Proxy.ts"
export { redis, redisUrl, type RedisServer, type RedisServerOptions, whyNoRedis } from "./Redis.ts"
export { type RedisSentinel, sentinel } from "./Sentinel.ts"
export { ServiceError } from "./ServiceError.ts"
