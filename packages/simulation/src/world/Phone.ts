/**
 * The world outside the bots: people's phones. It records what reached it, by itself and not by what a bot says, and
 * carries what people write to whichever replica answers, again until one has taken it (a webhook's retries).
 */
import {
  type InboundEvent,
  type NotAcceptingError,
  type Outgoing,
  type ProviderHost,
  type ProviderShape,
  SendError,
  Transient
} from "@botmesh/core/spi"
import { Effect, Stream } from "effect"
import type { Wire } from "./Network.ts"
import type { Machine, Universe } from "./Universe.ts"

/** A message that arrived at a person's phone. */
export interface Arrived {
  readonly at: number
  readonly machine: string
  readonly chatId: string
  readonly text: string
  readonly key: string | undefined
}

export interface Phone {
  readonly provider: (machine: Machine, wire: Wire) => ProviderShape
  /** Writes to the bots; delivered again until a replica has admitted it. */
  readonly write: (event: InboundEvent) => void
  readonly arrived: ReadonlyArray<Arrived>
  readonly onArrived: (listener: (message: Arrived) => void) => void
  /** Events no replica has admitted yet. */
  readonly undelivered: () => number
}

/** ms a transport waits for the webhook's answer before it delivers again. */
const patience = 3000

const textOf = ({ content }: Outgoing): string => ("text" in content ? content.text : content._tag)

/**
 * @param redelivers whether an event that was not acknowledged comes again: only a bot that shares its dedupe over lives
 *   can be asked to bear that (A4)
 */
export const makePhone = (universe: Universe, redelivers: boolean): Phone => {
  const network = universe.machine("phones")
  const arrived: Array<Arrived> = []
  const listeners: Array<(message: Arrived) => void> = []
  const hosts = new Map<Machine, ProviderHost>()
  let ids = 0
  let undelivered = 0

  const provider = (machine: Machine, wire: Wire): ProviderShape => ({
    id: "phone",
    capabilities: {
      exclusiveSession: false,
      contents: new Set(["text", "choices"]),
      typing: false,
      markRead: false,
      clientIds: false
    },
    start: (host) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => hosts.set(machine, host)),
          () => Effect.sync(() => hosts.delete(machine))
        )
      ),
    send: (message) =>
      wire.carry(
        Effect.sync(() => {
          const entry: Arrived = {
            at: universe.now,
            machine: machine.name,
            chatId: message.chatId,
            text: textOf(message),
            key: message.key
          }
          arrived.push(entry)
          for (const listener of listeners) listener(entry)
          return { ref: { id: `out-${++ids}`, chatId: message.chatId } }
        }),
        (reason) =>
          new SendError({
            provider: "phone",
            chatId: message.chatId,
            reason: new Transient({ detail: `simulated ${reason}` })
          })
      ),
    presence: () => Effect.void,
    download: () => Effect.succeed(new Uint8Array()),
    connection: Stream.make({ state: "ready" })
  })

  /** One try at one replica; `taken` only when it answered that it has it. */
  const attempt = (event: InboundEvent, taken: () => void, failed: () => void): void => {
    const alive = [...hosts].filter(([machine]) => !machine.dead)
    const chosen = universe.chance.pick(alive)
    let answered = false
    const once = (then: () => void) => (): void => {
      if (answered) return
      answered = true
      then()
    }
    universe.timer(network, patience, once(failed))
    if (chosen === undefined) return
    const [machine, host] = chosen
    const received: Effect.Effect<void, NotAcceptingError> = host.receive([event])
    universe.ready(machine, () => {
      machine.run(received).addObserver((exit) => {
        if (exit._tag === "Success") once(taken)()
        else universe.timer(network, 500, once(failed))
      })
    })
  }
  const write = (event: InboundEvent): void => {
    undelivered++
    const taken = (): void => {
      undelivered--
    }
    const again = (): void => attempt(event, taken, redelivers ? again : taken)
    again()
  }
  return {
    provider,
    write,
    arrived,
    onArrived: (listener) => {
      listeners.push(listener)
    },
    undelivered: () => undelivered
  }
}
