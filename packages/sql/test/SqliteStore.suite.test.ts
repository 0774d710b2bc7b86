import { StoreSuite } from "@botmesh/core/testing"
import { SqliteStore } from "@botmesh/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

const directory = mkdtempSync(join(tmpdir(), "botmesh-sqlite-"))
afterAll(() => rmSync(directory, { recursive: true }))

// The suite lets years pass: a sweep each five minutes of them would be most of the work.
const sweepEvery = "1d"
StoreSuite.suite("SQLite in memory", SqliteStore.layer({ filename: ":memory:", sweepEvery }))
StoreSuite.suite("SQLite file", SqliteStore.layer({ filename: join(directory, "bot.db"), sweepEvery }))
