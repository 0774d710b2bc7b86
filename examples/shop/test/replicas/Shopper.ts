/**
 * A customer of the shop: signs up, orders, or asks for several things at once, and knows what the shop should say to each.
 * When no answer comes for a while it starts over with /reset, as /help says.
 *
 * For the judge each reply is told in other words, which name the message that it answers: see test/chaos/replica/bot.ts.
 */
import type { Customer } from "../../../../test/chaos/post/Customer.ts"
import { orderTexts, signUpTexts, texts } from "../../src/texts.ts"

interface Act {
  readonly say: (n: number) => string
  /** What comes back. @param n the message's number @param before the numbers of the acts before it in the scene */
  readonly expects: (n: number, before: ReadonlyArray<number>) => ReadonlyArray<Reply>
}
interface Reply {
  /** One of these. */
  readonly texts: ReadonlyArray<string>
  readonly logged: ReadonlyArray<string>
}
interface Open {
  readonly n: number
  readonly left: Array<Reply>
}

const order = orderTexts.es
const signUp = signUpTexts.es
const names = ["run", "a", "b", "c", "d"]
const step = (word: string, numbers: ReadonlyArray<number>): ReadonlyArray<string> => [
  `${word} ${numbers.map((n, at) => `${names[at]}=${n}`).join(" ")}`
]
/** The nth answer of a conversation leads to the next question, the last to its end. */
const answer = (word: string, say: Act["say"], text: (n: number, before: ReadonlyArray<number>) => string): Act => ({
  say,
  expects: (n, before) => [{ texts: [text(n, before)], logged: step(word, [...before, n]) }]
})
const signingUp: ReadonlyArray<Act> = [
  answer(
    "Q1",
    () => "registrar",
    () => signUp.name
  ),
  answer(
    "Q2",
    (n) => `Ana${n}`,
    () => signUp.age
  ),
  answer(
    "Q3",
    () => "31",
    () => signUp.plan
  ),
  answer(
    "done",
    () => "pro",
    (_, [, name]) => signUp.done(`Ana${name}`, "pro")
  )
]
const ordering: ReadonlyArray<Act> = [
  answer(
    "Q1",
    () => "pedido",
    () => order.product
  ),
  answer(
    "Q2",
    () => order.coffee,
    () => order.amount
  ),
  answer(
    "Q3",
    () => "3",
    () => order.address
  ),
  answer(
    "Q4",
    (n) => `Calle ${n}`,
    (n) => order.confirm(`3 × ${order.coffee} → Calle ${n}`)
  ),
  answer(
    "done",
    () => order.yes,
    () => order.done
  )
]
const greeting: Act = {
  say: () => "hola",
  expects: (n) => [
    { texts: [texts.es["shop.hello"]], logged: [`begin #${n}`] },
    { texts: [texts.es["shop.menu"]], logged: [`end #${n}`] }
  ]
}
const asking: Act = {
  say: (n) => `pedido ${n}`,
  expects: (n) => [
    { texts: [texts.es["shop.order.state"].replace("{number}", `${n}`)], logged: [`begin #${n}`, `end #${n}`] }
  ]
}
const resetting: Act = {
  say: () => "/reset",
  expects: (n) => [{ texts: [texts.es["shop.reset"], texts.es["shop.reset.nothing"]], logged: [`reset #${n}`] }]
}

interface Scene {
  readonly acts: ReadonlyArray<Act>
  /** The next is said as soon as the one before has its place in the queue, not only when it is answered. */
  readonly inOneGo: boolean
}
const scenes: ReadonlyArray<Scene> = [
  { acts: signingUp, inOneGo: false },
  { acts: ordering, inOneGo: false },
  { acts: [greeting, asking, greeting], inOneGo: true },
  { acts: [asking, greeting, asking, asking], inOneGo: true }
]
const over: Scene = { acts: [resetting], inOneGo: false }

export class Shopper implements Customer {
  readonly chat: string
  private readonly random: () => number
  private readonly patience: number
  private scene: Scene = { acts: [], inOneGo: false }
  private said: Array<number> = []
  private open: Array<Open> = []
  /** Given up, and perhaps answered yet. */
  private late: Array<Open> = []
  private placed_ = true
  private spokeAt = 0
  private readonly seen = new Map<string, ReadonlyArray<string>>()

  /** @param patience ms */
  constructor(chat: string, random: () => number, patience: number) {
    this.chat = chat
    this.random = random
    this.patience = patience
  }

  eager(): boolean {
    return this.scene.inOneGo && this.said.length < this.scene.acts.length && this.placed_
  }
  next(now: number): Act["say"] | undefined {
    if (this.open.length > 0 && now - this.spokeAt > this.patience) this.begin(over)
    else if (this.open.length > 0 && !this.eager()) return undefined
    else if (this.said.length >= this.scene.acts.length) this.begin(this.another())
    return this.scene.acts[this.said.length]?.say
  }
  wrote(n: number, now: number): void {
    const act = this.scene.acts[this.said.length]
    if (act === undefined) return
    this.open.push({ n, left: [...act.expects(n, this.said)] })
    this.said.push(n)
    this.placed_ = false
    this.spokeAt = now
  }
  placed(n: number): void {
    if (this.said.at(-1) === n) this.placed_ = true
  }
  heard(text: string): ReadonlyArray<string> {
    const one = [...this.open, ...this.late].find(({ left }) => left[0]?.texts.includes(text))
    const reply = one?.left.shift()
    if (one === undefined || reply === undefined) return this.seen.get(text) ?? [`wrong: ${text}`]
    if (one.left.length === 0) {
      this.open = this.open.filter((other) => other !== one)
      this.late = this.late.filter((other) => other !== one)
    }
    this.seen.set(text, reply.logged)
    return reply.logged
  }

  private another(): Scene {
    return scenes[Math.floor(this.random() * scenes.length)] ?? over
  }
  private begin(scene: Scene): void {
    this.scene = scene
    this.said = []
    this.late = [...this.late, ...this.open].slice(-20)
    this.open = []
  }
}
