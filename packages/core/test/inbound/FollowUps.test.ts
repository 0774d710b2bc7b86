import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Bot, type Chat, Flow, TurnLimitError } from "../../src/index.ts"
import { balance, breathe, run } from "../kit/Engine.ts"

const eco = Bot.onMessage((chat) => chat.reply(`eco ${chat.body}`))

describe("R18 what follows a handler in its turn", () => {
  for (const [how, never] of [
    ["does not stop", Effect.uninterruptible(Effect.never)],
    ["stops", Effect.never]
  ] as const) {
    for (const persistent of [false, true]) {
      it.effect(
        `R17 R16 a triggered flow whose step ${how} is cut like any other${persistent ? ", stored" : ""}: the chat goes on`,
        () =>
          Effect.gen(function* () {
            let runs = 0
            const plain = Flow.make("stuck").pipe(
              Flow.run("x", () =>
                Effect.suspend((): Effect.Effect<number> => (++runs > 1 ? Effect.succeed(1) : never))
              ),
              Flow.say("done")
            )
            const { bot, events, inbound, mock, says, texts } = yield* run(
              Bot.make(
                "shop",
                [
                  Bot.flow(persistent ? Flow.persistent(plain) : plain),
                  Bot.when("go", (chat) => chat.trigger("stuck")),
                  eco
                ],
                { settle: "1m" }
              )
            )
            yield* Effect.forkChild(mock.deliver(inbound.text({ chat: "ana", body: "go" })), { startImmediately: true })
            yield* TestClock.adjust("3 minutes")
            yield* breathe
            expect(yield* events.of("suspended")).toHaveLength(1)
            expect(texts("ana")).toEqual(["done"])
            expect(runs).toBe(2)
            expect(yield* says("ana", "hi")).toEqual(["eco hi"])
            expect(bot.conversations.list()).toEqual([])
          })
      )
    }
  }

  it.effect("R18 beyond a hundred a trigger is refused, not answered queued and dropped", () =>
    Effect.gen(function* () {
      const answers: Array<string> = []
      const { events, says } = yield* run(
        Bot.make("shop", [
          Bot.flow(Flow.make("f").pipe(Flow.say("one"))),
          Bot.when("go", (chat) =>
            Effect.gen(function* () {
              for (let i = 0; i < 150; i++) {
                const answer = yield* chat.trigger("f")
                answers.push(answer._tag === "refused" ? answer.reason : answer._tag)
              }
            })
          )
        ])
      )
      expect(yield* says("ana", "go")).toHaveLength(100)
      expect(answers.filter((answer) => answer === "queued")).toHaveLength(100)
      expect(answers.filter((answer) => answer === "overloaded")).toHaveLength(50)
      expect(yield* events.of("error")).toEqual([])
    })
  )

  it.effect("R18 a flow that triggers itself ends with TurnLimitError", () =>
    Effect.gen(function* () {
      let runs = 0
      let again: Effect.Effect<unknown> = Effect.void
      const self = Flow.make("self").pipe(Flow.run("x", () => Effect.suspend(() => Effect.as(again, ++runs))))
      const { bot, events, says } = yield* run(Bot.make("shop", [Bot.flow(self, { trigger: "go" }), eco]))
      again = Effect.orDie(bot.trigger("self", { chatId: "ana", ifActive: "replace" }))
      yield* says("ana", "go")
      expect(runs).toBe(101)
      const errors = yield* events.of("error")
      expect(errors).toHaveLength(1)
      expect(errors[0]?.error).toEqual(new TurnLimitError({ flow: "self", limit: "gotos", max: 100 }))
      expect(yield* says("ana", "hi")).toEqual(["eco hi"])
    })
  )

  it.effect("R18 I24 what was to follow a handler that is cut is told", () =>
    Effect.gen(function* () {
      const { bot, events, inbound, mock, texts } = yield* run(
        Bot.make(
          "shop",
          [
            Bot.flow(Flow.make("f").pipe(Flow.say("started"))),
            Bot.when("go", (chat: Chat) => Effect.andThen(chat.trigger("f"), Effect.never))
          ],
          { settle: "1m" }
        )
      )
      yield* Effect.forkChild(mock.deliver(inbound.text({ chat: "ana", body: "go" })), { startImmediately: true })
      yield* TestClock.adjust("2 minutes")
      yield* bot.settled
      expect(texts("ana")).toEqual([])
      const errors = yield* events.of("error")
      expect(errors.map(({ error, where }) => [where, error])).toMatchObject([
        ["trigger f", { _tag: "LeaseLostError" }]
      ])
      expect(balance(bot)).toEqual({ received: 1, accounted: 1 })
    })
  )
})
