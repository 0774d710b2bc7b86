import { makeInbound } from "@botmesh/core/testing"
import { Bot, type Flow } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { Effect, Logger } from "effect"

export const answerRoots: ReadonlySet<string> = new Set(["$body", "$from", "$sender", "$isGroup", "$state", "$answer"])

/** A moment as the engine gives it to the functions of a step: a real chat is asked once, then told what to say. */
const chat = await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const seen: Array<Flow.Moment["chat"]> = []
      const bot = yield* TestBot.make(
        Bot.make("moment", [Bot.onMessage((chat) => Effect.sync(() => void seen.push(chat)))])
      )
      yield* bot.person("ana").does(makeInbound().text({ chat: "ana", body: "hola" }))
      const [first] = seen
      if (first === undefined) return yield* Effect.die(new Error("nothing was handled"))
      return first
    })
  ).pipe(Effect.provide(Logger.layer([])))
)

export const momentOf = (message: { readonly body: string; readonly payload?: string }): Flow.Moment => {
  const { body, payload } = message
  return {
    chat: Object.create(chat.with({ body }), {
      payload: { value: payload },
      from: { value: "ana" },
      sender: { value: "ana" }
    })
  }
}
