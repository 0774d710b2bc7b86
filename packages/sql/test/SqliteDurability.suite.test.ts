import { DurabilitySuite, ScheduleSuite } from "@botmesh/core/testing"
import { SqliteDurability, SqliteSchedule } from "@botmesh/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

const directory = mkdtempSync(join(tmpdir(), "botmesh-sqlite-"))
afterAll(() => rmSync(directory, { recursive: true }))

// The suite lets months pass: a sweep each five minutes of them would be most of the work.
const sweepEvery = "36500d"
DurabilitySuite.suite("SQLite in memory", SqliteDurability.layer({ filename: ":memory:", sweepEvery }))
DurabilitySuite.suite("SQLite file", SqliteDurability.layer({ filename: join(directory, "bot.db"), sweepEvery }), {
  sequences: 50
})
ScheduleSuite.suite("SQLite file", SqliteSchedule.layer({ filename: join(directory, "jobs.db") }))
