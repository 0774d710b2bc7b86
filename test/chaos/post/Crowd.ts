/** Customers who write at a steady rate, all together. */
import type { Customer } from "./Customer.ts"
import type { Post } from "./Post.ts"
import { monotonic } from "../wire/Wire.ts"

/** ms between two looks. */
const tick = 5

export class Crowd {
  private readonly customers: ReadonlyArray<Customer>
  private readonly byChat: ReadonlyMap<string, Customer>
  private readonly eager = new Set<Customer>()
  private readonly post: Post
  private readonly rate: number
  private turn = 0
  private owed = 0
  private last = 0
  private timer: NodeJS.Timeout | undefined = undefined

  /** @param rate messages a second */
  constructor(post: Post, customers: ReadonlyArray<Customer>, rate: number) {
    this.post = post
    this.customers = customers
    this.byChat = new Map(customers.map((customer) => [customer.chat, customer]))
    this.rate = rate
  }
  start(): void {
    this.last = monotonic()
    this.timer = setInterval(() => this.look(), tick)
  }
  /** Nobody writes any more. */
  stop(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }
  /** @returns what the log is to say of it */
  heard(chat: string, text: string): ReadonlyArray<string> {
    return this.byChat.get(chat)?.heard(text, monotonic()) ?? [text]
  }
  placed(chat: string, n: number): void {
    const customer = this.byChat.get(chat)
    customer?.placed(n, monotonic())
    if (customer?.eager() === true) this.eager.add(customer)
  }

  private look(): void {
    const now = monotonic()
    // What could not be written because everybody waits is not made up for in a burst.
    this.owed = Math.min(this.owed + ((now - this.last) * this.rate) / 1000, this.rate / 5)
    this.last = now
    for (const customer of [...this.eager]) {
      this.eager.delete(customer)
      if (this.owed >= 1) this.write(customer, now)
    }
    for (let tried = 0; this.owed >= 1 && tried < this.customers.length; tried++) {
      const customer = this.customers[this.turn++ % this.customers.length]
      if (customer !== undefined) this.write(customer, now)
    }
  }
  private write(customer: Customer, now: number): void {
    const body = customer.next(now)
    if (body === undefined) return
    this.owed--
    customer.wrote(this.post.write(customer.chat, body), now)
  }
}
