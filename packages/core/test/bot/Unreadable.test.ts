import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Bot, Flow, MemoryStore } from "../../src/index.ts"
import { Store } from "../../src/spi/Store.ts"
import { fromDriver } from "../../src/spi/StoreDriver.ts"
import { run } from "../kit/Engine.ts"

const scope = "default/shop"
const flow = Flow.make("f").pipe(Flow.ask("a", "A?"), Flow.say("done"), Flow.persistent)
const definition = Bot.make("shop", [
  Bot.flow(flow, { trigger: "go" }),
  Bot.onMessage((chat) => chat.reply(`eco ${chat.user.get("name")}`))
])

/** A store with a conversation of ana that was damaged, in the file, while the bot was down. */
const damaged = Effect.fnUntraced(function* (data = '{"format":99}') {
  const driver = MemoryStore.make()
  const store = Layer.succeed(Store, fromDriver(driver))
  yield* Effect.scoped(
    Effect.gen(function* () {
      const { says } = yield* run(definition, { store })
      expect(yield* says("ana", "go")).toEqual(["A?"])
    })
  )
  const page = yield* driver.checkpoints(scope, { limit: 9, now: 0 })
  const [item] = page.items
  if (item === undefined) return yield* Effect.die("nothing is stored")
  const { key, row } = item
  yield* driver.putCheckpoint(scope, key, { ...row, revision: row.revision + 1, data }, 0)
  return { driver, store }
})

describe("C18 rows that cannot be read", () => {
  for (const data of ['{"format":99}', "{", "null"]) {
    it.effect(`C18 a checkpoint that cannot be read (${data}) is changed code: told, cleared, the message is new`, () =>
      Effect.gen(function* () {
        const { store } = yield* damaged(data)
        const { bot, events, says } = yield* run(definition, { store })
        expect(yield* says("ana", "hi")).toEqual(["eco undefined"])
        expect(yield* events.of("conversation:ended")).toMatchObject([{ key: "ana", outcome: "changed" }])
        expect(bot.metrics.snapshot().conversationsEnded.changed).toBe(1)
        expect(yield* says("ana", "go")).toEqual(["A?"])
        expect(yield* says("ana", "x")).toEqual(["done"])
      })
    )
  }

  it.effect("C18 abort clears it without reading it", () =>
    Effect.gen(function* () {
      const { driver, store } = yield* damaged()
      const { bot, events } = yield* run(definition, { store })
      expect(yield* bot.conversations.abort("ana")).toBe(true)
      expect(yield* events.of("conversation:ended")).toMatchObject([{ outcome: "aborted" }])
      expect((yield* driver.getCheckpoint(scope, "ana"))?.data).toBeNull()
      expect(yield* bot.conversations.abort("ana")).toBe(false)
    })
  )

  it.effect(
    "B14 I19 a handoff that cannot be read holds the chat until it is given back; a bad field is left out",
    () =>
      Effect.gen(function* () {
        const { driver, store } = yield* damaged()
        yield* driver.setHandoff(scope, "ana", "nonsense")
        yield* driver.setProfile(scope, "ana", "name", '"Ana"')
        yield* driver.setProfile(scope, "ana", "age", "{")
        const { bot, says } = yield* run(definition, { store })
        expect(yield* says("ana", "hi")).toEqual([])
        expect(yield* bot.handoff.end("ana")).toBe(true)
        yield* bot.settled
        expect(yield* says("ana", "hi")).toEqual(["eco Ana"])
        expect(yield* bot.handoff.end("ana")).toBe(false)
      })
  )
})
