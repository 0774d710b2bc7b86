import { Bot, type Chat } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"

/** What code that was never type-checked may do. */
type Handler = (chat: Chat) => Effect.Effect<unknown>
const untyped = (run: () => unknown): Handler => run as Handler

const told = (run: () => unknown, reason: RegExp) =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(Bot.make("shop", [Bot.when("hola", untyped(run))]))
    const error = yield* Effect.forkChild(
      bot.events.pipe(
        Stream.filter((event) => event._tag === "error"),
        Stream.runHead
      ),
      { startImmediately: true }
    )
    expect(yield* person("ana", { lang: "es" }).says("hola")).toHaveLength(1)
    const found = yield* Fiber.join(error)
    expect(found._tag === "Some" ? found.value.error.message : "").toMatch(reason)
  })

it.effect("A19 a handler that returns nothing is told, not swallowed", () =>
  told(() => undefined, /returned nothing, not an Effect/u)
)
it.effect("A19 a handler that returns a promise is told, not swallowed", () =>
  told(() => Promise.resolve("x"), /returned a Promise, not an Effect/u)
)
