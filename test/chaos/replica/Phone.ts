/** The bot's side of the transport: a provider over one TCP connection. Losing it ends the process. */
import { connect as dial, type Socket } from "node:net"
import {
  type Capabilities,
  type InboundEvent,
  Provider,
  type ProviderHost,
  type ProviderShape,
  type Receipt
} from "@botmesh/core/spi"
import { Context, Effect, Layer, Stream } from "effect"
import { monotonic, onLines, type ToPost, type ToReplica, write } from "../wire/Wire.ts"

/** The line to the transport: what the parts of a replica report over. */
export class Line extends Context.Service<Line, { readonly say: (message: ToPost) => void; readonly socket: Socket }>()(
  "chaos/Line"
) {
  /** Open until everything that reports over it has ended. */
  static readonly layer = (port: number): Layer.Layer<Line> =>
    Layer.effect(
      Line,
      Effect.map(
        Effect.acquireRelease(dialled(port), (socket) =>
          Effect.callback<void>((resume) => void socket.end(() => resume(Effect.void)))
        ),
        (socket) => ({ socket, say: (message) => write(socket, message) })
      )
    )
}

const dialled = (port: number): Effect.Effect<Socket> =>
  Effect.callback((resume) => {
    const socket = dial(port, "127.0.0.1", () => {
      socket.setNoDelay(true)
      resume(Effect.succeed(socket))
    })
    // A replica without its transport is of no use to anybody.
    socket.on("error", () => process.exit(3))
  })

const capabilities: Capabilities = {
  exclusiveSession: false,
  contents: new Set(["text", "choices"]),
  typing: false,
  markRead: false,
  clientIds: false
}

export const eventOf = (message: Extract<ToReplica, { readonly t: "deliver" }>): InboundEvent => ({
  _tag: "message",
  ref: { id: `m${message.n}`, chatId: message.chat },
  from: message.chat,
  sender: message.chat,
  isGroup: false,
  type: "text",
  body: message.body
})

/** The number of the message that an event stands for. */
export const numberOf = (event: InboundEvent): number =>
  event._tag === "message" ? Number(event.ref.id.slice(1)) : Number.NaN

const wordsOf = (content: { readonly _tag: string; readonly text?: unknown }): string =>
  typeof content.text === "string" ? content.text : content._tag

const start = (
  line: Context.Service.Shape<typeof Line>,
  name: string,
  sent: Map<number, () => void>,
  host: ProviderHost
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    onLines<ToReplica>(line.socket, (message) => {
      if (message.t === "sent") return sent.get(message.seq)?.()
      const { n } = message
      run(
        Effect.match(host.receive([eventOf(message)]), {
          onSuccess: () => line.say({ t: "admitted", n }),
          onFailure: (error) => line.say({ t: "refused", n, reason: error.reason })
        })
      )
    })
    line.say({ t: "hello", replica: name, pid: process.pid })
  })

const makeProvider = (line: Context.Service.Shape<typeof Line>, name: string): ProviderShape => {
  const sent = new Map<number, () => void>()
  let seq = 0
  return {
    id: "phone",
    capabilities,
    start: (host) => start(line, name, sent, host),
    send: (message) =>
      Effect.callback<Receipt>((resume) => {
        const mine = ++seq
        sent.set(mine, () => {
          sent.delete(mine)
          resume(Effect.succeed({ ref: { id: `r${process.pid}-${mine}`, chatId: message.chatId } }))
        })
        const text = wordsOf(message.content)
        line.say({ t: "send", seq: mine, at: monotonic(), chat: message.chatId, text })
        return Effect.sync(() => sent.delete(mine))
      }),
    presence: () => Effect.void,
    download: () => Effect.succeed(new Uint8Array()),
    connection: Stream.make({ state: "ready" })
  }
}

export const layer = (name: string): Layer.Layer<Provider, never, Line> =>
  Layer.effect(
    Provider,
    Effect.map(Line, (line) => makeProvider(line, name))
  )
