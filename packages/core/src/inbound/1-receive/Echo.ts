/** The echo filter (A2): refs of successful sends, each taken back by the first inbound that carries it. */
import type { InboundEvent } from "../../model/Event.ts"

export interface EchoOptions {
  readonly size: number
  /** ms; `undefined` keeps a ref until it is pushed out. */
  readonly ttl: number | undefined
}

export class EchoFilter {
  private readonly sent = new Map<string, number>()
  private readonly options: EchoOptions
  constructor(options: EchoOptions) {
    this.options = options
  }
  remember(chatId: string, id: string, now: number): void {
    if (id === "") return
    this.sent.set(`${chatId}\u0000${id}`, now)
    if (this.sent.size <= this.options.size) return
    for (const oldest of this.sent.keys()) {
      this.sent.delete(oldest)
      return
    }
  }
  /** Whether the event is one of our own sends; consumes its ref. */
  isEcho(event: InboundEvent, now: number): boolean {
    if (event._tag !== "message" || event.ref.id === "") return false
    const key = `${event.from}\u0000${event.ref.id}`
    const at = this.sent.get(key)
    if (at === undefined) return false
    this.sent.delete(key)
    return this.options.ttl === undefined || now - at < this.options.ttl
  }
}
