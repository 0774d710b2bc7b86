import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { keyOf, keyOfChat, participantsOf } from "../../src/inbound/Key.ts"
import { Bot, Flow } from "../../src/index.ts"
import { run } from "../kit/Engine.ts"

/** Few pieces, so that what looks alike comes often. */
const Id = Schema.Array(Schema.Literals(["a", ":", "%", "3A", "25"])).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(3)
)
const group = (from: string, sender: string): string => keyOf({ from, sender, isGroup: true }, true)

describe("R21 conversation keys", () => {
  it("R21 ids without special characters are their own key", () => {
    expect(keyOf({ from: "ana", sender: "ana", isGroup: false }, true)).toBe("ana")
    expect(group("g1", "ana")).toBe("g1:ana")
    expect(keyOf({ from: "g1", sender: "ana", isGroup: true }, false)).toBe("g1")
  })

  it.prop("R21 no two chats, nor two participants, share a key", [Id, Id, Id, Id], (parts) => {
    const [a = "", b = "", c = "", d = ""] = parts.map((id) => id.join(""))
    expect(group(a, b) === group(c, d)).toBe(a === c && b === d)
    expect(keyOfChat(a) === keyOfChat(c)).toBe(a === c)
    expect(keyOfChat(a)).not.toBe(group(c, d))
    expect(group(a, b).startsWith(participantsOf(c))).toBe(a === c)
  })

  it.effect(
    "R21 a group a with participant b:u and a group a:b with participant u have conversations of their own",
    () =>
      Effect.gen(function* () {
        const flow = Flow.make("f").pipe(
          Flow.ask("secret", "secret?"),
          Flow.say(({ secret }) => `secret ${secret}`)
        )
        const { bot, gets, inbound, texts } = yield* run(Bot.make("shop", [Bot.flow(flow, { trigger: "go" })]))
        const says = (chat: string, sender: string, body: string) =>
          gets(inbound.text({ chat, sender, group: true, body }))
        yield* says("a", "b:u", "go")
        yield* says("a:b", "u", "not mine")
        expect(bot.conversations.list().map(({ key }) => key)).toEqual(["a:b%3Au"])
        expect(texts("a:b")).toEqual([])
        yield* says("a", "b:u", "mine")
        expect(texts("a")).toEqual(["secret?", "secret mine"])
      })
  )

  it.effect("B14 R21 a handoff of a chat with a colon in its id is seen at once, and ends", () =>
    Effect.gen(function* () {
      const { bot, says } = yield* run(Bot.make("shop", [Bot.onMessage((chat) => chat.reply(`eco ${chat.body}`))]))
      expect(yield* says("x:1", "one")).toEqual(["eco one"])
      yield* bot.handoff.start("x:1")
      expect(yield* says("x:1", "two")).toEqual([])
      yield* bot.handoff.end("x:1")
      expect(yield* says("x:1", "three")).toEqual(["eco three"])
    })
  )
})
