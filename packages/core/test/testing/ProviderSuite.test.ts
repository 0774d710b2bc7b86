/** The provider suite over a transport in memory: it passes, and each planted flaw makes the test that is due fail. */
import {
  Ambiguous,
  AuthFailed,
  type Connection,
  type ContentTag,
  type InboundMessage,
  InvalidContent,
  type Outgoing,
  type ProviderHost,
  type ProviderShape,
  RateLimited,
  type Receipt,
  type Ref,
  SendError,
  type SendReason,
  Transient,
  Unreachable,
  Unsupported
} from "@botmesh/core/spi"
import { ProviderSuite } from "@botmesh/core/testing"
import { Effect, Schedule, Stream, SubscriptionRef } from "effect"

type Flaw =
  | "reorders"
  | "loses"
  | "goes on"
  | "silent"
  | "no ref"
  | "sends all"
  | "wrong reason"
  | "one part"
  | "no file"

const file = { media: { kind: "document", native: "f" }, bytes: new Uint8Array([1, 2, 3]) } as const

const limit = 10

const contents: ReadonlySet<ContentTag> = new Set(["text", "media", "reaction", "delete"])

class Wire {
  readonly shown: Array<string> = []
  calls = 0
  next: SendReason | undefined
  waiting: Array<InboundMessage> = []
  host: ProviderHost | undefined
  readonly flaw: Flaw | undefined
  constructor(flaw: Flaw | undefined) {
    this.flaw = flaw
  }

  message(body: string, index: number): InboundMessage {
    const where = { from: "1", sender: "1", isGroup: false }
    return { _tag: "message", ref: { id: `${index}`, chatId: "1" }, ...where, type: "text", body }
  }

  /** What waits goes to whoever is started, again and again until it is taken. */
  readonly flush: Effect.Effect<void> = Effect.suspend(() => {
    const { host, waiting } = this
    if (host === undefined || waiting.length === 0) return Effect.void
    const given = this.flaw === "reorders" ? waiting.toReversed() : waiting
    this.waiting = []
    return host
      .receive(given)
      .pipe(this.flaw === "loses" ? Effect.ignore : Effect.retry(Schedule.spaced("1 millis")), Effect.orDie)
  })

  send(message: Outgoing): Effect.Effect<Receipt, SendReason> {
    return Effect.suspend(() => {
      if (!contents.has(message.content._tag) && this.flaw !== "sends all") {
        return Effect.fail(new Unsupported({ content: message.content._tag }))
      }
      const fault = this.next
      this.next = undefined
      this.calls++
      if (fault !== undefined) {
        return Effect.fail(this.flaw === "wrong reason" ? new Unreachable({ detail: "planted" }) : fault)
      }
      const text = message.content._tag === "text" ? message.content.text : ""
      const size = this.flaw === "one part" ? text.length : limit
      const parts = text.match(new RegExp(`.{1,${size || 1}}`, "gsu")) ?? [""]
      this.shown.push(...parts)
      const refs = parts.map((_, index): Ref => ({ id: `${this.calls}.${index}`, chatId: message.chatId }))
      const ref: Ref =
        this.flaw === "no ref" ? { id: "", chatId: "" } : { id: `${this.calls}.0`, chatId: message.chatId }
      return Effect.succeed(refs.length > 1 ? { ref, parts: refs } : { ref })
    })
  }
}

const make = Effect.fnUntraced(function* (flaw?: Flaw) {
  const wire = new Wire(flaw)
  const connection = yield* SubscriptionRef.make<Connection>({ state: "closed" })
  const named = (chatId: string) => (reason: SendReason) => new SendError({ provider: "wire", chatId, reason })
  const become = (state: Connection["state"]) =>
    flaw === "silent" ? Effect.void : SubscriptionRef.set(connection, { state })
  const provider: ProviderShape = {
    id: "wire",
    capabilities: { exclusiveSession: false, contents, typing: true, markRead: false, clientIds: false },
    start: (host) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          if (flaw !== "goes on" || wire.host === undefined) wire.host = host
          return Effect.andThen(become("ready"), wire.flush)
        }),
        () => {
          if (flaw !== "goes on") wire.host = undefined
          return become("closed")
        }
      ),
    send: (message) => Effect.mapError(wire.send(message), named(message.chatId)),
    presence: (chatId, { _tag }) =>
      _tag === "read"
        ? Effect.fail(named(chatId)(new Unsupported({ content: "read" })))
        : Effect.sync(() => void wire.calls++),
    download: () => Effect.succeed(flaw === "no file" ? new Uint8Array() : file.bytes),
    connection: Stream.suspend(() => SubscriptionRef.changes(connection))
  }
  const fault = (reason: SendReason) =>
    Effect.sync(() => {
      wire.next = reason
    })
  let count = 0
  return {
    provider,
    chatId: "1",
    say: (texts: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        wire.waiting.push(...texts.map((text) => wire.message(text, count++)))
        return wire.flush
      }),
    shown: Effect.sync(() => wire.shown),
    calls: Effect.sync(() => wire.calls),
    faults: {
      RateLimited: fault(new RateLimited({ retryAfter: 7000, detail: "slow" })),
      Unreachable: fault(new Unreachable({ detail: "blocked" })),
      AuthFailed: fault(new AuthFailed({ detail: "no" })),
      InvalidContent: fault(new InvalidContent({ detail: "bad" })),
      Transient: fault(new Transient({ detail: "down" })),
      Ambiguous: fault(new Ambiguous({ detail: "cut" }))
    },
    file,
    longText: "una frase larga"
  } satisfies ProviderSuite.Peer
})

ProviderSuite.suite("a wire in memory", make())

/** Each flaw and the tests that must see it; the suite runs them as deviations, which have to fail. */
const flaws: ReadonlyArray<readonly [Flaw, ReadonlyArray<string>]> = [
  ["reorders", ["hands over what is written, in its order"]],
  ["loses", ["loses nothing that the bot did not take"]],
  ["goes on", ["stops for good within 5 s, and starts again"]],
  ["silent", ["tells its connection from the current state on"]],
  ["no ref", ["gives a receipt of its chat for every content it claims"]],
  ["sends all", ["refuses what it does not claim before any call"]],
  ["wrong reason", ["says why a send failed, and what a later one does is not changed by it"]],
  ["one part", ["splits what is too long, in order, each part in the receipt"]],
  ["no file", ["gives the bytes of a file somebody sent"]]
]
for (const [flaw, tests] of flaws) {
  ProviderSuite.suite(`a wire with a flaw: ${flaw}`, make(flaw), { deviations: [{ reason: "planted", tests }] })
}
