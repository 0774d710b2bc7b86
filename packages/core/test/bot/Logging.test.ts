import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, References } from "effect"
import { Bot, Logging } from "../../src/index.ts"
import { run } from "../kit/Engine.ts"

const recorder = () => {
  const calls: Array<readonly [string, object, string | undefined]> = []
  const at = (level: string) => (context: object, message?: string) => void calls.push([level, context, message])
  return { calls, logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") } }
}
const logged = (effect: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const { calls, logger } = recorder()
    yield* effect.pipe(
      Effect.provide(Logging.layerLike(logger)),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
    return calls
  })

describe("B24 Logging.layerLike", () => {
  it.effect("B24 the context object comes first, the message second", () =>
    Effect.gen(function* () {
      expect(yield* logged(Effect.logWarning("reconnected", { chatId: "ana" }, { n: 2 }))).toEqual([
        ["warn", { chatId: "ana", n: 2 }, "reconnected"]
      ])
      expect(yield* logged(Effect.logInfo("only", "words"))).toEqual([["info", {}, "only words"]])
      expect(yield* logged(Effect.logInfo({ only: "context" }))).toEqual([["info", { only: "context" }, ""]])
    })
  )

  it.effect("B24 errors stand under `err`, given as an error or as a cause", () =>
    Effect.gen(function* () {
      const err = new Error("x")
      expect(yield* logged(Effect.logError("failed", err))).toEqual([["error", { err }, "failed"]])
      expect(yield* logged(Effect.logError("failed", { chatId: "ana" }, Cause.fail(err)))).toEqual([
        ["error", { chatId: "ana", err }, "failed"]
      ])
      expect(yield* logged(Effect.logError("failed", Cause.die("text")))).toEqual([
        ["error", { err: "text" }, "failed"]
      ])
    })
  )

  it.effect("B24 annotations are part of the context, and a level finds its method", () =>
    Effect.gen(function* () {
      const calls = yield* logged(
        Effect.annotateLogs(
          Effect.all([
            Effect.logTrace("t"),
            Effect.logDebug("d"),
            Effect.logInfo("i"),
            Effect.logWarning("w"),
            Effect.logError("e"),
            Effect.logFatal("f")
          ]),
          { bot: "shop" }
        )
      )
      expect(calls.map(([level, context, message]) => [level, context, message])).toEqual([
        ["debug", { bot: "shop" }, "t"],
        ["debug", { bot: "shop" }, "d"],
        ["info", { bot: "shop" }, "i"],
        ["warn", { bot: "shop" }, "w"],
        ["error", { bot: "shop" }, "e"],
        ["error", { bot: "shop" }, "f"]
      ])
    })
  )

  it.effect("B24 takes console, and the engine's own lines go to it: a failing handler under `err`", () =>
    Effect.gen(function* () {
      const { calls, logger } = recorder()
      const boom = new Error("boom")
      yield* Effect.provide(
        Effect.gen(function* () {
          const { says } = yield* run(Bot.make("shop", [Bot.onMessage(() => Effect.fail(boom))]))
          yield* says("ana", "x")
        }),
        Logging.layerLike(logger)
      )
      expect(calls).toContainEqual(["error", { err: boom }, "onMessage failed"])
      expect(Logging.layerLike(console)).toBeDefined()
    })
  )
})
