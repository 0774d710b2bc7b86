/** What a mock provider remembers, and the calls that change it. `MockProvider.make` shows it to tests. */
import { Duration, Effect, Queue, Random, type Scope, SubscriptionRef } from "effect"
import { contentTags, type Outgoing, type Receipt } from "../../model/Content.ts"
import type { InboundEvent, Ref } from "../../model/Event.ts"
import {
  type Capabilities,
  type Connection,
  InvalidContent,
  NotAcceptingError,
  ProviderError,
  type ProviderHost,
  type ProviderShape,
  SendError,
  type SendReason,
  Transient,
  Unreachable,
  Unsupported
} from "../../spi/Provider.ts"
import type { Inbound } from "../Inbound.ts"
import { BoundedLog } from "../BoundedLog.ts"
import { FaultPlan } from "./Faults.ts"
import { refusal } from "./Strict.ts"

/** One message the transport took. */
export interface Sent {
  readonly message: Outgoing
  readonly receipt: Receipt
  /** ms since the epoch */
  readonly at: number
}

/** One send that failed; `applied` tells whether the message is in `sent` all the same. */
export interface Refused {
  readonly message: Outgoing
  readonly reason: SendReason
  readonly applied: boolean
}

export interface Presence {
  readonly chatId: string
  readonly signal: Parameters<ProviderShape["presence"]>[1]
  readonly at: number
}

export interface MockProviderOptions {
  /** Builders shared by the transports of several replicas, so that no two messages of a chat have the same id. */
  readonly inbound?: Inbound
  /** "mock" */
  readonly id?: string
  /** What it can; all of it unless told otherwise, and no exclusive session. */
  readonly capabilities?: Partial<Capabilities>
  /** How many entries each log keeps. 10,000 */
  readonly maxLog?: number
}

/** Everything a mock remembers, and the calls that change it. */
export class Mock {
  readonly id: string
  readonly capabilities: Capabilities
  readonly plan = new FaultPlan()
  readonly sent: BoundedLog<Sent>
  readonly refused: BoundedLog<Refused>
  readonly presences: BoundedLog<Presence>
  readonly unread: Queue.Queue<Sent>
  readonly connection: SubscriptionRef.SubscriptionRef<Connection>
  host: ProviderHost | undefined = undefined
  starts = 0
  private ids = 0
  /** Messages of either side that can be quoted, edited or deleted: id to "is its own", the newest `maxLog`. */
  private readonly known = new Map<string, boolean>()
  private readonly byKey = new Map<string, Receipt>()
  private readonly maxLog: number

  constructor(
    options: MockProviderOptions,
    maxLog: number,
    unread: Queue.Queue<Sent>,
    connection: SubscriptionRef.SubscriptionRef<Connection>
  ) {
    this.id = options.id ?? "mock"
    this.maxLog = maxLog
    this.unread = unread
    this.connection = connection
    this.sent = new BoundedLog(maxLog)
    this.refused = new BoundedLog(maxLog)
    this.presences = new BoundedLog(maxLog)
    this.capabilities = {
      exclusiveSession: false,
      contents: new Set(contentTags),
      typing: true,
      markRead: true,
      clientIds: false,
      ...options.capabilities
    }
  }

  readonly seen = (ref: Ref): boolean => this.known.has(ref.id)
  readonly own = (ref: Ref): boolean => this.known.get(ref.id) === true

  remember(id: string, own: boolean): void {
    this.known.set(id, own)
    dropOldest(this.known, this.maxLog)
  }

  unconnected(): SendReason | undefined {
    const { state } = SubscriptionRef.getUnsafe(this.connection)
    return state === "ready" ? undefined : new Transient({ detail: `not connected (${state})` })
  }

  fail(message: Outgoing, reason: SendReason, applied: boolean): Effect.Effect<never, SendError> {
    this.refused.add({ message, reason, applied })
    return Effect.fail(new SendError({ provider: this.id, chatId: message.chatId, reason }))
  }

  readonly send = (message: Outgoing): Effect.Effect<Receipt, SendError> =>
    Effect.suspend(() => {
      const reason =
        refusal(message, this) ??
        this.unconnected() ??
        (this.plan.blocked.has(message.chatId) ? new Unreachable({ detail: "the bot is blocked" }) : undefined)
      if (reason !== undefined) return this.fail(message, reason, false)
      const apply = Effect.clockWith((clock) => this.apply(message, clock.currentTimeMillisUnsafe()))
      return this.plan.delay === 0 ? apply : Effect.andThen(Effect.sleep(Duration.millis(this.plan.delay)), apply)
    })

  private apply(message: Outgoing, now: number): Effect.Effect<Receipt, SendError> {
    const lost = this.unconnected()
    if (lost !== undefined) return this.fail(message, lost, false)
    const fault = this.plan.take()
    if (fault !== undefined && !fault.applied) return this.fail(message, fault.reason, false)
    const receipt = this.take(message, now)
    return fault === undefined ? Effect.succeed(receipt) : this.fail(message, fault.reason, true)
  }

  private take(message: Outgoing, now: number): Receipt {
    const key = this.capabilities.clientIds ? message.key : undefined
    const before = key === undefined ? undefined : this.byKey.get(key)
    if (before !== undefined) return before
    const receipt: Receipt = { ref: { id: `out-${++this.ids}`, chatId: message.chatId } }
    if (key !== undefined) {
      this.byKey.set(key, receipt)
      dropOldest(this.byKey, this.maxLog)
    }
    this.remember(receipt.ref.id, true)
    const sent: Sent = { message, receipt, at: now }
    this.sent.add(sent)
    Queue.offerUnsafe(this.unread, sent)
    return receipt
  }

  readonly start = (host: ProviderHost): Effect.Effect<void, ProviderError, Scope.Scope> =>
    Effect.suspend(() => {
      const error = this.plan.startError
      this.plan.startError = undefined
      if (error !== undefined) return Effect.fail(error)
      if (this.host !== undefined) {
        return Effect.fail(
          new ProviderError({ provider: this.id, reason: "configuration", detail: "it is started already" })
        )
      }
      this.host = host
      this.starts++
      const stop = Effect.suspend(() => {
        this.host = undefined
        return SubscriptionRef.set(this.connection, { state: "closed", reason: "stopped" })
      })
      return Effect.andThen(
        Effect.addFinalizer(() => stop),
        SubscriptionRef.set(this.connection, { state: "ready" })
      )
    })

  readonly presence: ProviderShape["presence"] = (chatId, signal) =>
    Effect.clockWith((clock) => {
      const can = signal._tag === "typing" ? this.capabilities.typing : this.capabilities.markRead
      const reason = can ? this.unconnected() : new Unsupported({ content: signal._tag })
      if (reason !== undefined) return Effect.fail(new SendError({ provider: this.id, chatId, reason }))
      this.presences.add({ chatId, signal, at: clock.currentTimeMillisUnsafe() })
      return Effect.void
    })

  readonly download: ProviderShape["download"] = (media) =>
    Effect.suspend(() => {
      if (media.native instanceof Uint8Array) return Effect.succeed(media.native)
      const reason = new InvalidContent({ detail: "a file the transport does not have" })
      return Effect.fail(new SendError({ provider: this.id, chatId: "", reason }))
    })

  readonly deliver = (given: InboundEvent | ReadonlyArray<InboundEvent>): Effect.Effect<void, NotAcceptingError> =>
    Effect.suspend(() => {
      const host = this.host
      if (host === undefined) {
        return Effect.fail(new NotAcceptingError({ reason: "not-running", detail: "the mock provider is not started" }))
      }
      const events = "_tag" in given ? [given] : given
      for (const event of events) if (event._tag === "message") this.remember(event.ref.id, event.fromMe === true)
      const once = this.plan.reorder ? Effect.flatMap(Random.shuffle(events), host.receive) : host.receive(events)
      return this.plan.duplicate ? Effect.andThen(once, once) : once
    })
}

const dropOldest = <V>(map: Map<string, V>, capacity: number): void => {
  if (map.size <= capacity) return
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
