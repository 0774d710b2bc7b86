import { DurabilitySuite, ScheduleSuite } from "@botmesh/core/testing"
import { PostgresDurability, PostgresSchedule } from "@botmesh/sql"
import { Effect, Layer } from "effect"
import { describePostgres, schema, serverUrl } from "./Live.ts"

describePostgres("real Postgres", () => {
  const url = serverUrl()
  // The suite lets months pass: a sweep each five minutes of them, or a look at idle connections, would be most of the work.
  const quiet = { sweepEvery: "36500d", idleTimeout: "36500d" }
  const durability = Layer.unwrap(
    Effect.map(url, (url) => PostgresDurability.layer({ url, schema: schema(), ...quiet }))
  )
  DurabilitySuite.suite("Postgres", durability, { sequences: 20 })
  const jobs = Layer.unwrap(
    Effect.map(url, (url) => PostgresSchedule.layer({ url, schema: schema(), idleTimeout: "36500d" }))
  )
  ScheduleSuite.suite("Postgres", jobs)
})
