import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { InboundEvent } from "../../src/model/Event.ts"
import { Bot } from "../../src/index.ts"
import { Provider, type ProviderHost } from "../../src/spi/Provider.ts"
import { MockProvider } from "../../src/testing.ts"
import { balance, run } from "../kit/Engine.ts"

describe("A22 broken events", () => {
  it.effect("A22 each is dropped as invalid, whatever its shape; the rest of its batch goes on", () =>
    Effect.gen(function* () {
      const made = yield* MockProvider.make()
      let receive: ProviderHost["receive"] = () => Effect.void
      const layer = Layer.effect(
        Provider,
        Effect.map(Layer.build(made.layer), (built) => {
          const provider = Context.get(built, Provider)
          const start: (typeof provider)["start"] = (host) => {
            receive = host.receive
            return provider.start(host)
          }
          return { ...provider, start }
        })
      )
      const { bot, dropped, events, inbound, texts } = yield* run(
        Bot.make("shop", [Bot.onMessage((chat) => chat.reply(`eco ${chat.body}`))]),
        { mock: { ...made, layer } }
      )
      const good = inbound.text({ chat: "ana", body: "x" })
      const throwing = {
        get _tag(): never {
          throw new Error("a getter")
        }
      }
      const broken: ReadonlyArray<unknown> = [
        null,
        undefined,
        5,
        Object.create(null),
        throwing,
        ...["location", "contact", "quoted", "media"].flatMap((field) => [
          { ...good, [field]: null },
          { ...good, [field]: 5 }
        ])
      ]
      for (const [nth, event] of broken.entries()) {
        // What a transport written in JavaScript may give.
        yield* receive([event as InboundEvent, inbound.text({ chat: `c${nth}`, body: "after" })])
        yield* bot.settled
        expect(texts(`c${nth}`)).toEqual(["eco after"])
      }
      expect(texts("ana")).toEqual([])
      expect(dropped("invalid")).toBe(broken.length)
      expect(yield* events.of("error")).toHaveLength(broken.length)
      expect(balance(bot)).toEqual({ received: 2 * broken.length, accounted: 2 * broken.length })
    })
  )
})
