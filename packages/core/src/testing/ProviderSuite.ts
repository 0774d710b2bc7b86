/**
 * One conformance suite for any transport: what the bot relies on, whatever is on the other side.
 *
 * @example
 * ProviderSuite.suite("my transport", Effect.gen(function*() {
 *   const double = yield* MyDouble.make()
 *   return { provider, chatId: "1", say: double.say, shown: double.shown("1"), calls: double.count, faults, file, longText }
 * }))
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Result, Scope, Stream } from "effect"
import { type Content, type ContentTag, contentTags } from "../model/Content.ts"
import type { InboundEvent, InboundMedia, Ref } from "../model/Event.ts"
import type { Connection, ProviderHost, ProviderShape, SendError, SendReason } from "../spi/Provider.ts"
import { type RecordingHost, recordingHost } from "./RecordingHost.ts"

type CommonReason = "RateLimited" | "Unreachable" | "AuthFailed" | "InvalidContent" | "Transient" | "Ambiguous"

/** What a setup gives: a provider and its other side. */
export interface Peer {
  readonly provider: ProviderShape
  /** A chat that exists on the other side. */
  readonly chatId: string
  /**
   * Somebody writes these texts in the chat, one message each, in this order. Whatever is not taken is offered again, as
   * the real other side does; returns without waiting for that.
   */
  readonly say: (texts: ReadonlyArray<string>) => Effect.Effect<void>
  /** The texts the provider sent to the chat, in the order they arrived there. */
  readonly shown: Effect.Effect<ReadonlyArray<string>>
  /** How many calls have arrived on the other side. */
  readonly calls: Effect.Effect<number>
  /** By reason: makes the next send fail so. Those that every network has are due. */
  readonly faults: { readonly [R in CommonReason]: Effect.Effect<void> } & {
    readonly [R in Exclude<SendReason["_tag"], CommonReason>]?: Effect.Effect<void>
  }
  /** A file somebody sent, and its bytes. */
  readonly file: { readonly media: InboundMedia; readonly bytes: Uint8Array }
  /** A text that takes more than one message. */
  readonly longText: string
}

/** Tests that a transport cannot pass by its nature, and why. They run, and must fail: a deviation that healed is news. */
export interface Deviation {
  readonly reason: string
  readonly tests: ReadonlyArray<string>
}

const bodies = (events: ReadonlyArray<InboundEvent>): ReadonlyArray<string> =>
  events.flatMap((event) => (event._tag === "message" ? [event.body] : []))

const heard = (it: RecordingHost, texts: ReadonlyArray<string>): Effect.Effect<void> =>
  it.until(texts.join(", "), (events) => texts.every((text) => bodies(events).includes(text)))

const first = (provider: ProviderShape): Effect.Effect<Connection | undefined> =>
  Effect.map(Stream.runHead(provider.connection), Option.getOrUndefined)

/** Starts in a scope of its own, so that the test says when it stops. */
const started = Effect.fnUntraced(function* (provider: ProviderShape, by: ProviderHost) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (it) => Scope.close(it, Exit.void))
  yield* Scope.provide(provider.start(by), scope)
  return { stop: Scope.close(scope, Exit.void) }
})

const sample = (tag: ContentTag, target: Ref): Content => {
  switch (tag) {
    case "text":
      return { _tag: "text", text: "hola 👋" }
    case "media":
      return {
        _tag: "media",
        kind: "document",
        source: { _tag: "bytes", bytes: new TextEncoder().encode("un recibo") },
        filename: "recibo.txt",
        mimetype: "text/plain",
        caption: "tu recibo"
      }
    case "choices": {
      const options = [
        { key: "plan:pro", label: "Pro" },
        { key: "plan:max", label: "Max" }
      ]
      return { _tag: "choices", text: "¿Plan?", options }
    }
    case "poll":
      return { _tag: "poll", question: "¿Cuándo?", options: ["lunes", "martes"] }
    case "location":
      return { _tag: "location", location: { latitude: 4.711, longitude: -74.0721 } }
    case "contact":
      return { _tag: "contact", contact: { name: "Luz", phones: ["+573007776655"] } }
    case "reaction":
      return { _tag: "reaction", target, emoji: "👍" }
    case "edit":
      return { _tag: "edit", target, text: "corregido" }
    case "delete":
      return { _tag: "delete", target }
  }
}

const nowhere: Ref = { id: "1", chatId: "1" }

const failure = <A>(send: Effect.Effect<A, SendError>): Effect.Effect<SendError> =>
  Effect.map(Effect.result(send), (result) => {
    if (Result.isFailure(result)) return result.failure
    throw new Error("the send was taken, a refusal was due")
  })

const retried: ReadonlyArray<SendReason["_tag"]> = ["RateLimited", "Transient", "Ambiguous", "MovedChat"]

type Case = readonly [title: string, run: (peer: Peer) => Effect.Effect<void, unknown, Scope.Scope>]

const receiving: ReadonlyArray<Case> = [
  [
    "hands over what is written, in its order",
    Effect.fnUntraced(function* (peer) {
      const by = recordingHost()
      yield* started(peer.provider, by)
      const texts = Array.from({ length: 25 }, (_, index) => `n${index}`)
      yield* peer.say(texts)
      yield* heard(by, texts)
      expect(bodies(by.events)).toEqual(texts)
      for (const event of by.events) expect(event).toMatchObject({ from: peer.chatId, isGroup: false })
    })
  ],
  [
    "loses nothing that the bot did not take",
    Effect.fnUntraced(function* (peer) {
      const by = recordingHost()
      yield* started(peer.provider, by)
      by.refuse(2)
      yield* peer.say(["uno", "dos", "tres"])
      yield* heard(by, ["uno", "dos", "tres"])
      expect(by.offers.length).toBeGreaterThan(2)
    })
  ],
  [
    "stops for good within 5 s, and starts again",
    Effect.fnUntraced(function* (peer) {
      const before = recordingHost()
      const after = recordingHost()
      const run = yield* started(peer.provider, before)
      yield* peer.say(["antes"])
      yield* heard(before, ["antes"])
      yield* Effect.timeoutOrElse(run.stop, {
        duration: "5 seconds",
        orElse: () => Effect.die(new Error("did not stop within 5 s"))
      })
      const seen = before.events.length
      yield* peer.say(["mientras"])
      yield* started(peer.provider, after)
      yield* peer.say(["después"])
      yield* heard(after, ["mientras", "después"])
      expect(before.events.length).toBe(seen)
    })
  ],
  [
    "tells its connection from the current state on",
    Effect.fnUntraced(function* (peer) {
      expect((yield* first(peer.provider))?.state).not.toBe("ready")
      const run = yield* started(peer.provider, recordingHost())
      expect((yield* first(peer.provider))?.state).toBe("ready")
      const told = yield* Effect.forkChild(
        Stream.runHead(Stream.filter(peer.provider.connection, ({ state }) => state === "closed")),
        { startImmediately: true }
      )
      yield* run.stop
      expect(Option.isSome(yield* Fiber.join(told))).toBe(true)
      expect((yield* first(peer.provider))?.state).toBe("closed")
    })
  ]
]

const sending: ReadonlyArray<Case> = [
  [
    "gives a receipt of its chat for every content it claims",
    Effect.fnUntraced(function* ({ provider, chatId }) {
      yield* started(provider, recordingHost())
      const { ref } = yield* provider.send({ chatId, content: sample("text", nowhere) })
      for (const tag of contentTags.filter((each) => provider.capabilities.contents.has(each))) {
        const receipt = yield* provider.send({ chatId, content: sample(tag, ref) })
        expect(receipt.ref.id, tag).not.toBe("")
        expect(receipt.ref.chatId, tag).toBe(chatId)
      }
    })
  ],
  [
    "refuses what it does not claim before any call",
    Effect.fnUntraced(function* ({ calls, chatId, provider }) {
      yield* started(provider, recordingHost())
      const before = yield* calls
      for (const tag of contentTags.filter((each) => !provider.capabilities.contents.has(each))) {
        const error = yield* failure(provider.send({ chatId, content: sample(tag, nowhere) }))
        expect(error.reason._tag, tag).toBe("Unsupported")
      }
      if (!provider.capabilities.markRead) {
        const error = yield* failure(provider.presence(chatId, { _tag: "read", ref: nowhere }))
        expect(error.reason._tag, "read").toBe("Unsupported")
      }
      expect(yield* calls).toBe(before)
    })
  ],
  [
    "says why a send failed, and what a later one does is not changed by it",
    Effect.fnUntraced(function* ({ chatId, faults, provider }) {
      yield* started(provider, recordingHost())
      for (const [reason, arrange] of Object.entries(faults)) {
        yield* arrange
        const error = yield* failure(provider.send({ chatId, content: { _tag: "text", text: "hola" } }))
        expect(error).toMatchObject({ _tag: "SendError", chatId, reason: { _tag: reason } })
        expect(error.isRetryable, reason).toBe(retried.some((each) => each === reason))
        if (error.reason._tag === "RateLimited") expect(error.reason.retryAfter).toBeGreaterThan(0)
        yield* provider.send({ chatId, content: { _tag: "text", text: "hola" } })
      }
    })
  ],
  [
    "splits what is too long, in order, each part in the receipt",
    Effect.fnUntraced(function* ({ chatId, longText, provider, shown }) {
      yield* started(provider, recordingHost())
      const receipt = yield* provider.send({ chatId, content: { _tag: "text", text: longText } })
      const parts = yield* shown
      expect(parts.length).toBeGreaterThan(1)
      expect(parts.join("")).toBe(longText)
      expect(receipt.parts?.length).toBe(parts.length)
      expect(new Set(receipt.parts?.map(({ id }) => id)).size).toBe(parts.length)
    })
  ],
  [
    "keeps the order of sends that wait for each other",
    Effect.fnUntraced(function* ({ chatId, provider, shown }) {
      yield* started(provider, recordingHost())
      const texts = Array.from({ length: 10 }, (_, index) => `m${index}`)
      for (const text of texts) yield* provider.send({ chatId, content: { _tag: "text", text } })
      expect(yield* shown).toEqual(texts)
    })
  ],
  [
    "shows that it is typing where it claims to, and makes no call where not",
    Effect.fnUntraced(function* ({ calls, chatId, provider }) {
      yield* started(provider, recordingHost())
      const before = yield* calls
      const shown = yield* Effect.isSuccess(provider.presence(chatId, { _tag: "typing" }))
      expect(shown).toBe(provider.capabilities.typing)
      expect((yield* calls) > before).toBe(provider.capabilities.typing)
    })
  ],
  [
    "gives the bytes of a file somebody sent",
    Effect.fnUntraced(function* ({ file, provider }) {
      yield* started(provider, recordingHost())
      expect(yield* provider.download(file.media)).toEqual(file.bytes)
    })
  ]
]

/**
 * Registers the suite's tests under `name`.
 *
 * @param name the transport's name
 * @param setup builds a fresh provider and its other side for each test; its scope ends with the test
 * @param options deviations: tests that this transport cannot pass by its nature; they run all the same, and must fail
 *
 * Source: G
 */
export const suite = <E>(
  name: string,
  setup: Effect.Effect<Peer, E, Scope.Scope>,
  options?: { readonly deviations?: ReadonlyArray<Deviation> }
): void => {
  const deviations = options?.deviations ?? []
  const cases = [...receiving, ...sending]
  for (const title of deviations.flatMap(({ tests }) => tests)) {
    if (!cases.some(([known]) => known === title)) throw new Error(`No test of the provider suite is called "${title}"`)
  }
  const reasonOf = (title: string) => deviations.find(({ tests }) => tests.includes(title))?.reason
  describe(`provider contract: ${name}`, () => {
    for (const [title, run] of cases) {
      const body = () => Effect.scoped(Effect.flatMap(setup, run))
      const reason = reasonOf(title)
      if (reason === undefined) it.live(title, body)
      else it.live.fails(`${title} (deviates: ${reason})`, body)
    }
  })
}
