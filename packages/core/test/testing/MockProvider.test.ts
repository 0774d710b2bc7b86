import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Queue, Random, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { type Content, type ContentTag, type Outgoing, text } from "../../src/model/Content.ts"
import type { InboundEvent } from "../../src/model/Event.ts"
import {
  NotAcceptingError,
  Provider,
  ProviderError,
  type ProviderHost,
  RateLimited,
  type SendError,
  type SendReason
} from "../../src/spi/Provider.ts"
import * as MockProvider from "../../src/testing/MockProvider.ts"

const say = (chatId: string, words: string): Outgoing => ({ chatId, content: text(words) })
const reasonOf = (effect: Effect.Effect<unknown, SendError>): Effect.Effect<SendReason["_tag"], unknown> =>
  Effect.map(Effect.flip(effect), (error) => error.reason._tag)

/** A bot that notes what it is given. */
const listener = () => {
  const batches: Array<ReadonlyArray<InboundEvent>> = []
  const host: ProviderHost = {
    receive: (events) => Effect.sync(() => void batches.push(events)),
    state: { get: () => Effect.undefined, set: () => Effect.void }
  }
  return { batches, host }
}
const started = Effect.fnUntraced(function* (options?: MockProvider.MockProviderOptions) {
  const mock = yield* MockProvider.make(options)
  const bot = listener()
  yield* mock.provider.start(bot.host)
  return { mock, ...bot }
})

describe("MockProvider", () => {
  it.effect("takes messages with ids that count up, and shows them", () =>
    Effect.gen(function* () {
      const { mock } = yield* started()
      yield* TestClock.setTime(5_000)
      const receipt = yield* mock.provider.send(say("ana", "hola"))
      yield* mock.provider.send(say("leo", "qué tal"))
      expect(receipt).toEqual({ ref: { id: "out-1", chatId: "ana" } })
      expect(mock.sent()).toEqual([
        { message: say("ana", "hola"), receipt, at: 5_000 },
        { message: say("leo", "qué tal"), receipt: { ref: { id: "out-2", chatId: "leo" } }, at: 5_000 }
      ])
      expect(mock.texts()).toEqual(["hola", "qué tal"])
      expect(mock.texts("leo")).toEqual(["qué tal"])
      expect((yield* mock.takeSent).length).toBe(2)
      expect(yield* mock.takeSent).toEqual([])
      const next = yield* Effect.forkChild(mock.nextSent)
      yield* mock.provider.send(say("ana", "adiós"))
      expect((yield* Fiber.join(next)).message).toEqual(say("ana", "adiós"))
    })
  )

  it.effect("B12 takes nothing before start, after stop or while not connected, and can be started again", () =>
    Effect.gen(function* () {
      const mock = yield* MockProvider.make()
      const { host } = listener()
      const send = mock.provider.send(say("ana", "hola"))
      expect(yield* reasonOf(send)).toBe("Transient")
      const scope = yield* Scope.make()
      yield* Scope.provide(mock.provider.start(host), scope)
      const twice = yield* Effect.flip(Effect.scoped(mock.provider.start(host)))
      expect(twice).toMatchObject({ _tag: "ProviderError", reason: "configuration" })
      yield* send
      yield* mock.connect({ state: "connecting" })
      expect(yield* reasonOf(send)).toBe("Transient")
      expect(yield* reasonOf(mock.provider.presence("ana", { _tag: "typing" }))).toBe("Transient")
      yield* mock.connect({ state: "ready" })
      yield* send
      yield* Scope.close(scope, Exit.void)
      expect(yield* reasonOf(send)).toBe("Transient")
      const refused = yield* Effect.flip(mock.deliver(mock.inbound.text({ chat: "ana", body: "hola" })))
      expect(refused.reason).toBe("not-running")
      expect(mock.host()).toBeUndefined()
      yield* mock.provider.start(host)
      yield* send
      expect(mock.sent()).toHaveLength(3)
      expect(mock.starts()).toBe(2)
    })
  )

  it.effect("shows the connection from the current state on", () =>
    Effect.gen(function* () {
      const { mock } = yield* started()
      const seen = yield* Queue.unbounded<string>()
      yield* Effect.forkChild(
        Stream.runForEach(mock.provider.connection, ({ state, reason }) =>
          Queue.offer(seen, reason === undefined ? state : `${state}: ${reason}`)
        )
      )
      expect(yield* Queue.take(seen)).toBe("ready")
      yield* mock.connect({ state: "closed", reason: "sessionTakenOver" })
      expect(yield* Queue.take(seen)).toBe("closed: sessionTakenOver")
    })
  )

  it.effect("refuses what its capabilities exclude, before any call", () =>
    Effect.gen(function* () {
      const { mock } = yield* started({
        capabilities: { contents: new Set<ContentTag>(["text"]), typing: false, markRead: false }
      })
      const poll: Content = { _tag: "poll", question: "¿Sí?", options: ["sí", "no"] }
      expect(yield* reasonOf(mock.provider.send({ chatId: "ana", content: poll }))).toBe("Unsupported")
      expect(yield* reasonOf(mock.provider.presence("ana", { _tag: "typing" }))).toBe("Unsupported")
      expect(yield* reasonOf(mock.provider.presence("ana", { _tag: "read", ref: { id: "1", chatId: "ana" } }))).toBe(
        "Unsupported"
      )
      expect(mock.sent()).toEqual([])
      expect(mock.presences()).toEqual([])
    })
  )

  it.effect("refuses contents that real transports refuse", () =>
    Effect.gen(function* () {
      const { mock } = yield* started()
      const mine = (yield* mock.provider.send(say("ana", "hola"))).ref
      const theirs = mock.inbound.text({ chat: "ana", body: "hola" })
      yield* mock.deliver(theirs)
      const option = (key: string, label: string) => ({ key, label })
      const bad: ReadonlyArray<Content> = [
        text(" \n"),
        { _tag: "choices", text: "¿?", options: [] },
        { _tag: "choices", text: "", options: [option("a", "A")] },
        { _tag: "choices", text: "¿?", options: [option("a", "A"), option("a", "B")] },
        { _tag: "choices", text: "¿?", options: [option("a", "")] },
        { _tag: "poll", question: "¿?", options: ["una"] },
        { _tag: "poll", question: "¿?", options: Array.from({ length: 13 }, (_, i) => `${i}`) },
        { _tag: "poll", question: "", options: ["a", "b"] },
        { _tag: "poll", question: "¿?", options: ["a", " "] },
        { _tag: "media", kind: "image", source: { _tag: "url", url: "http://example.com/a.png" } },
        { _tag: "media", kind: "image", source: { _tag: "bytes", bytes: new Uint8Array() } },
        { _tag: "edit", target: theirs.ref, text: "otra cosa" },
        { _tag: "edit", target: mine, text: "" },
        { _tag: "edit", target: { ...mine, chatId: "leo" }, text: "otra cosa" },
        { _tag: "delete", target: theirs.ref },
        { _tag: "reaction", target: { id: "nobody", chatId: "ana" }, emoji: "👍" }
      ]
      for (const content of bad) {
        expect(yield* reasonOf(mock.provider.send({ chatId: "ana", content })), JSON.stringify(content)).toBe(
          "InvalidContent"
        )
      }
      expect(yield* reasonOf(mock.provider.send({ ...say("ana", "a"), replyTo: { ...mine, chatId: "leo" } }))).toBe(
        "InvalidContent"
      )
      expect(yield* reasonOf(mock.provider.send(say("", "hola")))).toBe("Unreachable")
      expect(mock.refused()).toHaveLength(bad.length + 2)
      const good: ReadonlyArray<Content> = [
        { _tag: "choices", text: "¿Plan?", options: [option("pro", "Pro"), option("max", "Max")] },
        { _tag: "poll", question: "¿Sí?", options: ["sí", "no"] },
        { _tag: "media", kind: "image", source: { _tag: "url", url: "https://example.com/a.png" }, caption: "foto" },
        { _tag: "media", kind: "image", source: { _tag: "bytes", bytes: new Uint8Array([1]) } },
        { _tag: "location", location: { latitude: 40.4, longitude: -3.7 } },
        { _tag: "contact", contact: { name: "Ana", phones: ["+34600000000"] } },
        { _tag: "edit", target: mine, text: "otra cosa" },
        { _tag: "reaction", target: theirs.ref, emoji: "👍" },
        { _tag: "delete", target: mine }
      ]
      for (const content of good) yield* mock.provider.send({ chatId: "ana", content, replyTo: mine })
      expect(mock.texts("ana")).toEqual(["hola", "¿Plan?", "¿Sí?", "foto", "otra cosa"])
    })
  )

  it.effect("delivers to the bot, twice or in another order on request, and the bot's refusal comes back", () =>
    Effect.gen(function* () {
      const { mock, batches } = yield* started()
      const events = ["a", "b", "c", "d", "e"].map((body) => mock.inbound.text({ chat: "ana", body }))
      yield* mock.deliver(events)
      yield* mock.faults.duplicate(true)
      yield* mock.deliver(events.slice(0, 1))
      yield* mock.faults.clear
      yield* mock.faults.reorder(true)
      yield* mock.deliver(events)
      expect(batches.slice(0, 3)).toEqual([events, events.slice(0, 1), events.slice(0, 1)])
      expect(batches[3]).not.toEqual(events)
      expect(new Set(batches[3])).toEqual(new Set(events))
      expect(batches).toHaveLength(4)

      const full = yield* MockProvider.make()
      const overloaded = new NotAcceptingError({ reason: "overloaded", detail: "20,000 wait" })
      yield* full.provider.start({ ...listener().host, receive: () => Effect.fail(overloaded) })
      expect(yield* Effect.flip(full.deliver(events))).toBe(overloaded)
    }).pipe(Random.withSeed("order"))
  )

  it.effect("fails as told and so often as told, then works again", () =>
    Effect.gen(function* () {
      const { mock } = yield* started()
      const send = mock.provider.send(say("ana", "hola"))
      const reason = new RateLimited({ retryAfter: 3_000, detail: "slow down" })
      yield* mock.faults.fail(reason, 2)
      expect((yield* Effect.flip(send)).reason).toEqual(reason)
      expect(yield* reasonOf(send)).toBe("RateLimited")
      yield* send
      yield* mock.faults.block("ana")
      expect(yield* reasonOf(send)).toBe("Unreachable")
      yield* mock.provider.send(say("leo", "hola"))
      yield* mock.faults.unblock("ana")
      yield* send
      expect(mock.sent()).toHaveLength(3)
      expect(mock.refused().map(({ reason, applied }) => [reason._tag, applied])).toEqual([
        ["RateLimited", false],
        ["RateLimited", false],
        ["Unreachable", false]
      ])
    })
  )

  it.effect("R11 an ambiguous send is applied or not; with client ids a repeat under its key is applied once", () =>
    Effect.gen(function* () {
      const { mock } = yield* started({ capabilities: { clientIds: true } })
      const keyed = mock.provider.send({ ...say("ana", "hola"), key: "op-1" })
      yield* mock.faults.ambiguous()
      expect(yield* reasonOf(keyed)).toBe("Ambiguous")
      expect(mock.texts()).toEqual(["hola"])
      expect((yield* keyed).ref.id).toBe("out-1")
      expect(mock.texts()).toEqual(["hola"])
      yield* mock.faults.ambiguous({ applied: false })
      const other = mock.provider.send({ ...say("ana", "adiós"), key: "op-2" })
      expect(yield* reasonOf(other)).toBe("Ambiguous")
      expect(mock.texts()).toEqual(["hola"])
      yield* other
      expect(mock.texts()).toEqual(["hola", "adiós"])
      expect(mock.refused().map(({ applied }) => applied)).toEqual([true, false])

      const { mock: plain } = yield* started()
      const repeated = plain.provider.send({ ...say("ana", "hola"), key: "op-1" })
      yield* repeated
      yield* repeated
      expect(plain.texts()).toEqual(["hola", "hola"])
    })
  )

  it.effect("delays sends; one that is cut or outlives the connection is not applied", () =>
    Effect.gen(function* () {
      const { mock } = yield* started()
      yield* mock.faults.delay(Duration.seconds(5))
      const slow = yield* Effect.forkChild(mock.provider.send(say("ana", "a")))
      yield* TestClock.adjust(4_999)
      expect(mock.sent()).toEqual([])
      yield* TestClock.adjust(1)
      yield* Fiber.join(slow)
      const cut = yield* Effect.forkChild(mock.provider.send(say("ana", "b")))
      yield* TestClock.adjust(1_000)
      yield* Fiber.interrupt(cut)
      const late = yield* Effect.forkChild(Effect.flip(mock.provider.send(say("ana", "c"))))
      yield* TestClock.adjust(1_000)
      yield* mock.connect({ state: "closed" })
      yield* TestClock.adjust(10_000)
      expect((yield* Fiber.join(late)).reason._tag).toBe("Transient")
      expect(mock.texts()).toEqual(["a"])
    })
  )

  it.effect("a start may fail once", () =>
    Effect.gen(function* () {
      const mock = yield* MockProvider.make({ id: "flaky" })
      const error = new ProviderError({ provider: "flaky", reason: "auth", detail: "wrong token" })
      yield* mock.faults.failStart(error)
      expect(yield* Effect.flip(mock.provider.start(listener().host))).toBe(error)
      yield* mock.provider.start(listener().host)
      yield* mock.provider.send(say("ana", "hola"))
      expect(mock.provider.id).toBe("flaky")
    })
  )

  it.effect("I23 its logs are bounded and can be emptied", () =>
    Effect.gen(function* () {
      const { mock } = yield* started({ maxLog: 3 })
      for (let i = 0; i < 20; i++) yield* mock.provider.send(say("ana", `${i}`))
      expect(mock.texts()).toEqual(["17", "18", "19"])
      expect(yield* mock.takeSent).toHaveLength(3)
      const old: Content = { _tag: "edit", target: { id: "out-1", chatId: "ana" }, text: "x" }
      expect(yield* reasonOf(mock.provider.send({ chatId: "ana", content: old }))).toBe("InvalidContent")
      yield* mock.provider.presence("ana", { _tag: "typing" })
      yield* mock.clear
      expect([mock.sent(), mock.refused(), mock.presences()]).toEqual([[], [], []])
    })
  )

  it.effect("keeps presence apart from what was sent, and gives back the bytes of a file", () =>
    Effect.gen(function* () {
      const { mock } = yield* started()
      yield* mock.provider.presence("ana", { _tag: "typing", topic: "7" })
      expect(mock.presences()).toEqual([{ chatId: "ana", signal: { _tag: "typing", topic: "7" }, at: 0 }])
      const bytes = new Uint8Array([1, 2, 3])
      const photo = mock.inbound.media({ chat: "ana", kind: "image", bytes, caption: "mira" })
      expect(photo).toMatchObject({ type: "image", body: "mira", media: { kind: "image", bytes: 3 } })
      if (photo.media !== undefined) expect(yield* mock.provider.download(photo.media)).toBe(bytes)
      expect(yield* reasonOf(mock.provider.download({ kind: "image", native: "gone" }))).toBe("InvalidContent")
    })
  )

  it.effect("is the Provider of its layer", () =>
    Effect.gen(function* () {
      const mock = yield* MockProvider.make()
      expect(yield* Effect.provide(Provider, mock.layer)).toBe(mock.provider)
    })
  )
})

describe("inbound builders", () => {
  it.effect("number events, and make a group of another sender than the chat", () =>
    Effect.gen(function* () {
      const { inbound } = yield* MockProvider.make()
      expect(inbound.text({ chat: "ana", body: "hola" })).toEqual({
        _tag: "message",
        ref: { id: "in-1", chatId: "ana" },
        type: "text",
        body: "hola",
        from: "ana",
        sender: "ana",
        isGroup: false
      })
      expect(inbound.text({ chat: "g", sender: "ana", body: "hola", mentionsBot: true, topic: "7" })).toMatchObject({
        ref: { id: "in-2", chatId: "g" },
        from: "g",
        sender: "ana",
        isGroup: true,
        mentionsBot: true,
        topic: "7"
      })
      expect(inbound.text({ chat: "ana", body: "hola", id: "" }).ref.id).toBe("")
      expect(inbound.button({ chat: "ana", payload: "pro", body: "Pro" })).toMatchObject({
        _tag: "interaction",
        interactionId: "in-3",
        payload: "pro",
        body: "Pro"
      })
      const target = { id: "out-1", chatId: "ana" }
      expect(inbound.reaction({ chat: "ana", emoji: "👍", target })).toMatchObject({ _tag: "reaction", target })
      expect(inbound.pollVote({ chat: "ana", pollId: "p", options: [1] })).toMatchObject({ options: [1] })
      expect(inbound.deletion({ chat: "ana", target })).toMatchObject({ _tag: "delete", target })
      expect(inbound.call({ chat: "ana", video: true })).toMatchObject({ callId: "in-4", video: true })
      const contact = { name: "Leo", phones: [] }
      expect(inbound.contact({ chat: "ana", contact })).toMatchObject({ type: "contact", contact })
      const location = { latitude: 1, longitude: 2 }
      expect(inbound.location({ chat: "ana", location })).toMatchObject({ type: "location", location })
      expect(inbound.unknown({ chat: "ana", fromMe: true })).toMatchObject({ type: "unknown", fromMe: true })
    })
  )
})
