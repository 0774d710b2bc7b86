import { Coordinator, Durability, Scheduler, Store } from "@botmesh/core"
import { Local } from "@botmesh/local"
import { describe, expect, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect } from "effect"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "botmesh-local-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const names = Effect.gen(function* () {
  const { persistent } = yield* Store
  const { shared } = yield* Coordinator
  const { durable } = yield* Durability
  const { every } = yield* Scheduler
  return { persistent, shared, durable, schedules: typeof every === "function" }
})

describe("Local", () => {
  it.effect("C1 the layer holds all that a bot needs, in memory, each build its own", () =>
    Effect.gen(function* () {
      expect(yield* names.pipe(Effect.provide(Local.layer))).toEqual({
        persistent: false,
        shared: false,
        durable: false,
        schedules: true
      })
      const value = Effect.flatMap(Store, (store) =>
        Effect.andThen(store.getValue("t/b", "a"), (found) => Effect.as(store.setValue("t/b", "a", "1"), found))
      )
      expect([
        yield* value.pipe(Effect.provide(Local.layer, { local: true })),
        yield* value.pipe(Effect.provide(Local.layer, { local: true }))
      ]).toEqual([undefined, undefined])
    })
  )

  it.effect("H the file layer finds again what another process stored; its path may be a Config", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "bot.db")
      yield* Effect.flatMap(Store, (store) => store.setProfile("t/b", "u", "name", "Ana")).pipe(
        Effect.provide(Local.layerFile(path, { synchronous: "full" }))
      )
      const env = ConfigProvider.layer(ConfigProvider.fromUnknown({ BOT_DB: path }))
      const again = Local.layerFile(Config.String("BOT_DB"))
      const found = yield* Effect.gen(function* () {
        return [yield* names, yield* (yield* Store).profile("t/b", "u")] as const
      }).pipe(Effect.provide(again), Effect.provide(env))
      expect(found).toEqual([{ persistent: true, shared: false, durable: false, schedules: true }, { name: "Ana" }])
      expect(statSync(path).mode & 0o777).toBe(0o600)
    })
  )

  it.effect("H a path that cannot be used fails the layer in words", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "no", "bot.db")
      const error = yield* Effect.flip(names.pipe(Effect.provide(Local.layerFile(path))))
      expect(error.message).toMatch(/the directory .*no does not exist: create it/u)
    })
  )
})
