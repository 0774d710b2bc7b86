/** What tests against a real Redis share. */
import { Redis } from "@botmesh/redis"
import { redisPrograms, type RedisServer, whyNoRedis } from "@botmesh/test-services"
import { Effect, Schedule, type Scope } from "effect"
import { describe } from "vitest"

const why = await Effect.runPromise(whyNoRedis)

/** A group of tests that need Redis: without one they are skipped, and say so. */
export const describeRedis: (title: string, tests: () => void) => void =
  why === undefined ? describe : (title, tests) => describe.skip(`${title} (${why})`, tests)

const whyNoServers = await Effect.runPromise(
  Effect.match(redisPrograms, { onSuccess: () => undefined, onFailure: (error) => error.message.split("\n")[0] })
)

/** The same for tests that start, stop or join servers of their own: REDIS_URL is not enough. */
export const describeServers: (title: string, tests: () => void) => void =
  whyNoServers === undefined ? describe : (title, tests) => describe.skip(`${title} (${whyNoServers})`, tests)

export const connect = (
  server: Pick<RedisServer, "port">,
  options: Partial<Redis.RedisOptions> = {}
): Effect.Effect<Redis.RedisShape, unknown, Scope.Scope> =>
  Redis.make({ url: `redis://127.0.0.1:${server.port}`, prefix: "test", timeout: "2s", ...options })

/** Tries each 20 ms until it holds; dies with what it waits for after 20 s. */
export const eventually = <A, E, R>(what: string, attempt: Effect.Effect<A, E, R>, holds: (value: A) => boolean) =>
  attempt.pipe(
    Effect.filterOrFail(holds, (value) => new Error(`${what}: is ${JSON.stringify(value)}`)),
    Effect.retry({ schedule: Schedule.spaced(20), times: 1000 }),
    Effect.timeoutOrElse({ duration: 20_000, orElse: () => Effect.die(new Error(`waited in vain: ${what}`)) }),
    Effect.orDie
  )
