/** What tests against a real Postgres share. */
import { postgresPrograms, postgresUrl, whyNoPostgres } from "@botmesh/test-services"
import { Effect, Exit, Scope } from "effect"
import { afterAll, describe } from "vitest"

const why = await Effect.runPromise(whyNoPostgres)

/** A group of tests that need Postgres: without one they are skipped, and say so. */
export const describePostgres: (title: string, tests: () => void) => void =
  why === undefined ? describe : (title, tests) => describe.skip(`${title} (${why})`, tests)

/** The url of one server for the whole file, ended after its tests. Call it inside a group. */
export const serverUrl = (): Effect.Effect<string> => {
  const scope = Scope.makeUnsafe()
  const url = Effect.runPromise(Scope.provide(postgresUrl, scope))
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.promise(() => url)
}

let schemas = 0
/** A schema of its own: a server of DATABASE_URL may hold rows of an earlier run. */
export const schema = (): string => `suite_${process.pid}_${schemas++}`

const whyNoServers = await Effect.runPromise(
  Effect.match(postgresPrograms, { onSuccess: () => undefined, onFailure: (error) => error.message })
)

/** The same for tests that start and stop servers of their own: DATABASE_URL is not enough. */
export const describeServers: (title: string, tests: () => void) => void =
  whyNoServers === undefined ? describe : (title, tests) => describe.skip(`${title} (${whyNoServers})`, tests)
