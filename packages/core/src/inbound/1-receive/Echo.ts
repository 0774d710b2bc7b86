/** The echo filter (A2): refs of successful sends, each taken back by the first inbound that carries it. */
import { AgedMap } from "../../model/AgedMap.ts"
import type { Outgoing, Receipt } from "../../model/Content.ts"
import type { InboundEvent } from "../../model/Event.ts"

export interface EchoOptions {
  readonly size: number
  /** ms; `undefined` keeps a ref until it is pushed out. */
  readonly ttl: number | undefined
}

const keyOf = (chatId: string, id: string): string => `${chatId}\u0000${id}`

export class EchoFilter {
  private readonly sent = new AgedMap<number>()
  private readonly options: EchoOptions
  constructor(options: EchoOptions) {
    this.options = options
  }

  /** Every message of a successful send; a long text is several. */
  remember(message: Outgoing, receipt: Receipt, now: number): void {
    // These act on a message somebody else may have written: its ref is not ours to swallow.
    if (message.content._tag === "reaction" || message.content._tag === "delete") return
    this.keep(message.chatId, receipt.ref.id, now)
    for (const part of receipt.parts ?? []) this.keep(message.chatId, part.id, now)
  }
  private keep(chatId: string, id: string, now: number): void {
    if (id === "") return
    this.sent.set(keyOf(chatId, id), now)
    const { oldest } = this.sent
    if (this.sent.size > this.options.size && oldest !== undefined) this.sent.delete(oldest.key)
  }

  /** Whether the event is one of our own sends; consumes its ref. */
  isEcho(event: InboundEvent, now: number): boolean {
    if (event._tag !== "message" || event.ref.id === "") return false
    const key = keyOf(event.from, event.ref.id)
    const at = this.sent.get(key)
    if (at === undefined) return false
    this.sent.delete(key)
    return this.options.ttl === undefined || now - at < this.options.ttl
  }
}
