/**
 * Writes two to four messages in a row without waiting for an answer. Each is written once the one before has its ticket,
 * so their order is known although they go to different replicas.
 */
import { type Customer, numbersOf, patience } from "./Customer.ts"

export class Impatient implements Customer {
  readonly chat: string
  private readonly random: () => number
  private readonly open = new Map<number, number>()
  private left = 0
  private unplaced: { readonly n: number; readonly at: number } | undefined = undefined

  constructor(chat: string, random: () => number) {
    this.chat = chat
    this.random = random
  }
  eager(): boolean {
    return this.left > 0 && this.unplaced === undefined
  }
  next(now: number): ((n: number) => string) | undefined {
    if (this.unplaced !== undefined && now - this.unplaced.at < patience) return undefined
    for (const [n, at] of this.open) if (now - at > patience) this.open.delete(n)
    if (this.left === 0) {
      if (this.open.size > 0) return undefined
      this.left = 2 + Math.floor(this.random() * 3)
    }
    const hold = Math.floor(this.random() * 25)
    return (n) => `echo #${n} ${hold}`
  }
  wrote(n: number, now: number): void {
    this.left--
    this.open.set(n, now)
    this.unplaced = { n, at: now }
  }
  placed(n: number): void {
    if (this.unplaced?.n === n) this.unplaced = undefined
  }
  heard(text: string): undefined {
    const [n] = numbersOf(text)
    if (n === undefined || !text.startsWith("end")) return undefined
    this.open.delete(n)
    this.placed(n)
    return undefined
  }
}
