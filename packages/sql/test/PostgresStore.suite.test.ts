import { StoreSuite } from "@botmesh/core/testing"
import { PostgresStore } from "@botmesh/sql"
import { Effect, Layer } from "effect"
import { describePostgres, schema, serverUrl } from "./Live.ts"

describePostgres("real Postgres", () => {
  const url = serverUrl()
  // The suite lets years pass: a sweep each five minutes of them would be most of the work.
  const store = Layer.unwrap(
    Effect.map(url, (url) => PostgresStore.layer({ url, schema: schema(), sweepEvery: "36500d" }))
  )
  StoreSuite.suite("Postgres", store, { sequences: 50 })
})
