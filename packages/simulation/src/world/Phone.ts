/**
 * The world outside the bots: people's phones and the transport. It records what reached it, by itself and not by what a
 * bot says, and carries what people write to whichever replica answers, again until one has taken it (a webhook's retries).
 */
import {
  type InboundEvent,
  type Outgoing,
  type ProviderHost,
  type ProviderShape,
  SendError,
  Transient
} from "@botmesh/core/spi"
import { Effect, Stream } from "effect"
import type { Entry, Hold } from "../History.ts"
import type { Wire } from "./Network.ts"
import type { Machine, Universe } from "./Universe.ts"

/** A message that arrived at a person's phone. */
export interface Arrived {
  readonly at: number
  readonly chatId: string
  readonly text: string
}

export interface PhoneOptions {
  readonly universe: Universe
  readonly note: (entry: Entry) => void
  /** What stands at the coordinator as a machine acts for a chat. */
  readonly look: (
    machine: string,
    chat: string
  ) => { readonly key: string; readonly hold: Hold; readonly fence: number }
  /** One replica at a time has the session (C13). */
  readonly exclusive: boolean
  /** An event that nobody answered for is given to another replica: only replicas that share their dedupe bear that (R15). */
  readonly redelivers: boolean
  /** From 0 to 1: how often an event that was taken comes again. */
  readonly doubles: number
  /** Every event of a chat goes to another replica than the one before (`always handover`). */
  readonly roams: boolean
}

export interface Phone {
  readonly provider: (machine: Machine, wire: Wire) => ProviderShape
  /** From now on events may be given to it. */
  readonly open: (machine: Machine) => void
  /** Writes to the bots; given again until a replica has admitted it. */
  readonly write: (event: InboundEvent) => void
  /** Gives an event once, whatever becomes of it. */
  readonly toss: (event: InboundEvent) => void
  readonly onArrived: (listener: (message: Arrived) => void) => void
  /** Events no replica has admitted yet. */
  readonly undelivered: () => number
}

/** ms a transport waits for the webhook's answer before it gives the event again. */
const patience = 3000

const textOf = ({ content }: Outgoing): string => ("text" in content ? content.text : content._tag)
const idOf = (event: InboundEvent): string => ("ref" in event && event.ref !== undefined ? event.ref.id : "")

export const makePhone = (options: PhoneOptions): Phone => {
  const { look, note, universe } = options
  const network = universe.machine("phones")
  const listeners: Array<(message: Arrived) => void> = []
  const hosts = new Map<Machine, ProviderHost>()
  const open = new Set<Machine>()
  const lastOf = new Map<string, Machine>()
  let ids = 0
  let sends = 0
  let gifts = 0
  let undelivered = 0

  const deliver = (machine: Machine, message: Outgoing, nth: number, begun: number) =>
    Effect.sync(() => {
      const { chatId } = message
      const text = textOf(message)
      const stale = machine.frozenUntil > begun
      note({ _tag: "arrived", at: universe.now, machine: machine.name, nth, chat: chatId, text, stale })
      for (const listener of listeners) listener({ at: universe.now, chatId, text })
      return { ref: { id: `out-${++ids}`, chatId } }
    })
  const send = (machine: Machine, wire: Wire, message: Outgoing) =>
    Effect.suspend(() => {
      const nth = ++sends
      const { chatId, key: op } = message
      const seen = look(machine.name, chatId)
      const about = { chat: chatId, text: textOf(message), op: op ?? "", thawed: machine.isThawing }
      note({ _tag: "send", at: universe.now, machine: machine.name, nth, ...about, ...seen })
      const told = (outcome: "ok" | "fail" | "unknown"): void =>
        note({ _tag: "told", at: universe.now, machine: machine.name, what: "send", outcome })
      return Effect.map(
        wire.carry(deliver(machine, message, nth, universe.now), (reason) => {
          told(reason === "refused" ? "fail" : "unknown")
          return new SendError({
            provider: "phone",
            chatId,
            reason: new Transient({ detail: `simulated ${reason}` })
          })
        }),
        (receipt) => {
          told("ok")
          return receipt
        }
      )
    })

  const provider = (machine: Machine, wire: Wire): ProviderShape => ({
    id: "phone",
    capabilities: {
      exclusiveSession: options.exclusive,
      contents: new Set(["text", "choices"]),
      typing: false,
      markRead: false,
      clientIds: false
    },
    start: (host) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => {
            hosts.set(machine, host)
            note({ _tag: "session", at: universe.now, machine: machine.name, open: true })
          }),
          () =>
            Effect.sync(() => {
              hosts.delete(machine)
              note({ _tag: "session", at: universe.now, machine: machine.name, open: false })
            })
        )
      ),
    send: (message) => send(machine, wire, message),
    presence: () => Effect.void,
    download: () => Effect.succeed(new Uint8Array()),
    connection: Stream.make({ state: "ready" })
  })

  const choose = (chat: string): readonly [Machine, ProviderHost] | undefined => {
    const alive = [...hosts].filter(([machine]) => !machine.dead && open.has(machine))
    const others = options.roams ? alive.filter(([machine]) => machine !== lastOf.get(chat)) : alive
    const chosen = universe.chance.pick(others.length === 0 ? alive : others)
    if (chosen !== undefined) lastOf.set(chat, chosen[0])
    return chosen
  }
  /** One try at one replica; `taken` only when it answered that it has it. */
  const give = (
    event: InboundEvent,
    [machine, host]: readonly [Machine, ProviderHost],
    again: boolean,
    answered: (taken: boolean) => void
  ): void => {
    const nth = ++gifts
    const id = idOf(event)
    universe.ready(machine, () => {
      note({ _tag: "given", at: universe.now, machine: machine.name, nth, chat: event.from, id, again })
      machine.run(host.receive([event])).addObserver((exit) => {
        const taken = exit._tag === "Success"
        note({ _tag: "answered", at: universe.now, machine: machine.name, nth, id, taken })
        answered(taken)
      })
    })
  }
  const attempt = (event: InboundEvent, again: boolean, taken: () => void): void => {
    const chosen = choose(event.from)
    let isOver = false
    const once = (then: () => void) => (): void => {
      if (isOver) return
      isOver = true
      then()
    }
    const retry = (): void => attempt(event, true, taken)
    if (chosen === undefined) {
      universe.timer(network, 500, retry)
      return
    }
    // Nobody answers: whether it was taken is not known.
    universe.timer(network, patience, once(options.redelivers ? retry : taken))
    // Sometimes a transport sends the same twice at once; either answer counts.
    if (universe.chance.happens(options.doubles)) give(event, chosen, true, (isTaken) => isTaken && once(taken)())
    give(event, chosen, again, (isTaken) => {
      if (!isTaken) return once(() => universe.timer(network, 300, retry))()
      once(taken)()
      if (universe.chance.happens(options.doubles)) double(event, chosen)
    })
  }
  /** A transport that did not hear the answer gives it once more: to the same replica, or where dedupe is shared to any. */
  const double = (event: InboundEvent, last: readonly [Machine, ProviderHost]): void => {
    universe.timer(network, universe.chance.between(0, 1500), () => {
      const chosen = options.redelivers ? choose(event.from) : hosts.has(last[0]) && !last[0].dead ? last : undefined
      if (chosen !== undefined) give(event, chosen, true, () => {})
    })
  }
  return {
    provider,
    open: (machine) => {
      open.add(machine)
    },
    write: (event) => {
      const text = "body" in event ? event.body : event._tag
      note({ _tag: "wrote", at: universe.now, machine: "phones", chat: event.from, id: idOf(event), text })
      undelivered++
      attempt(event, false, () => {
        undelivered--
      })
    },
    toss: (event) => {
      const chosen = choose("")
      if (chosen !== undefined) give(event, chosen, false, () => {})
    },
    onArrived: (listener) => {
      listeners.push(listener)
    },
    undelivered: () => undelivered
  }
}
