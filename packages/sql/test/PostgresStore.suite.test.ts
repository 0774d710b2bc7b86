import { StoreSuite } from "@botmesh/core/testing"
import { PostgresStore } from "@botmesh/sql"
import { Effect, Layer } from "effect"
import { describePostgres, schema, serverUrl } from "./Live.ts"

describePostgres("real Postgres", () => {
  const url = serverUrl()
  // The suite lets years pass: a sweep each five minutes of them, or a look at idle connections, would be most of the work.
  const quiet = { sweepEvery: "36500d", idleTimeout: "36500d" }
  const store = Layer.unwrap(Effect.map(url, (url) => PostgresStore.layer({ url, schema: schema(), ...quiet })))
  StoreSuite.suite("Postgres", store, { sequences: 30 })
})
