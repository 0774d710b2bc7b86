/** Lets a question's deadline pass, then begins anew. */
import type { Customer } from "./Customer.ts"
import { patience } from "./Customer.ts"

/** ms: the deadline of the question, and some more. */
const silence = 2_500

export class Silent implements Customer {
  readonly chat: string
  private at = Number.NEGATIVE_INFINITY
  private limit = 0

  constructor(chat: string) {
    this.chat = chat
  }
  eager(): boolean {
    return false
  }
  next(now: number): ((n: number) => string) | undefined {
    return now - this.at < this.limit ? undefined : (n) => `wait #${n}`
  }
  wrote(_n: number, now: number): void {
    this.at = now
    this.limit = patience
  }
  placed(): void {}
  heard(text: string, now: number): undefined {
    if (text.startsWith("late")) this.limit = 0
    else {
      this.at = now
      this.limit = silence
    }
    return undefined
  }
}
