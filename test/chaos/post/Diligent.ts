/** Answers three questions, one after the other; writes again when no answer comes, as people do. */
import { type Customer, patience } from "./Customer.ts"

const answers: Readonly<Record<string, string>> = { Q1: "a", Q2: "b", Q3: "c" }

export class Diligent implements Customer {
  readonly chat: string
  private readonly flow: string
  private say: string
  private waitsSince: number | undefined = undefined

  /** @param flow the word that starts the conversation */
  constructor(chat: string, flow: string) {
    this.chat = chat
    this.flow = flow
    this.say = flow
  }
  eager(): boolean {
    return false
  }
  next(now: number): ((n: number) => string) | undefined {
    if (this.waitsSince !== undefined && now - this.waitsSince < patience) return undefined
    const { say } = this
    return (n) => `${say} #${n}`
  }
  wrote(_n: number, now: number): void {
    this.waitsSince = now
  }
  placed(): void {}
  heard(text: string): undefined {
    this.waitsSince = undefined
    const question = /Q\d/u.exec(text)?.[0]
    this.say = (question === undefined ? undefined : answers[question]) ?? this.flow
    return undefined
  }
}
