import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Bot } from "../../src/index.ts"
import type { Json } from "../../src/model/Json.ts"
import { run } from "../kit/Engine.ts"

describe("ST7 chat.user.set", () => {
  it.effect("ST7 keeps a copy: what the handler does to its own object afterwards changes nothing", () =>
    Effect.gen(function* () {
      const { says } = yield* run(
        Bot.make("shop", [
          Bot.when("set", (chat) => {
            const cart = ["a"]
            return Effect.map(chat.user.set("cart", cart), () => void cart.push("b"))
          }),
          Bot.when("get", (chat) => chat.reply(JSON.stringify(chat.user.get("cart"))))
        ])
      )
      yield* says("ana", "set")
      expect(yield* says("ana", "get")).toEqual(['["a"]'])
    })
  )

  it.effect("ST7 a value that is not JSON fails with StoreError invalid; the field keeps what it had", () =>
    Effect.gen(function* () {
      const cycle: { self?: Json } = {}
      Object.assign(cycle, { self: cycle })
      const typed: ReadonlyArray<Json> = [cycle]
      const untyped: ReadonlyArray<unknown> = [1n, { deep: [1n] }, () => 1, Symbol("s")]
      const reasons: Array<string> = []
      const { bot, says } = yield* run(
        Bot.make("shop", [
          Bot.when("set", (chat) =>
            Effect.gen(function* () {
              yield* chat.user.set("x", 1)
              for (const value of [...typed, ...untyped]) {
                // From JavaScript anything can come.
                const error = yield* Effect.flip(chat.user.set("x", value as Json))
                reasons.push(error.reason)
              }
              yield* chat.reply(JSON.stringify(chat.user.get("x")))
            })
          )
        ])
      )
      expect(yield* says("ana", "set")).toEqual(["1"])
      expect(reasons).toEqual(["invalid", "invalid", "invalid", "invalid", "invalid"])
      expect(bot.metrics.snapshot().errors).toBe(0)
    })
  )
})
