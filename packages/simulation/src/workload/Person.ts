/** People: they write, read, answer what they read, and write again when nothing comes. They know nothing of the bot. */
import type { InboundMessage } from "@botmesh/core/spi"
import type { Entry } from "../History.ts"
import type { Chance } from "../world/Chance.ts"
import type { Phone } from "../world/Phone.ts"
import type { Universe } from "../world/Universe.ts"

/**
 * What a person has in mind: `begin` is what they write first, `read` what they write after each message of the bot;
 * `done` when they have what they wanted, `wait` when it was not for them to answer, `again` to begin anew.
 */
export interface Errand {
  readonly begin: () => string | ReadonlyArray<string>
  readonly read: (text: string) => string | ReadonlyArray<string> | typeof done | typeof wait | typeof again
  /** What they write in its place when nothing came of it; the same when absent. */
  readonly rephrase?: (line: string) => string
  /** How often they write the same before they give it up; for ever when absent. */
  readonly tries?: number
}
export const done: unique symbol = Symbol("done")
export const wait: unique symbol = Symbol("wait")
export const again: unique symbol = Symbol("again")

export interface PersonOptions {
  readonly chat: string
  readonly universe: Universe
  readonly phone: Phone
  readonly chance: Chance
  readonly note: (entry: Entry) => void
  readonly errands: ReadonlyArray<Errand>
  /** ms a person thinks at most before they write. */
  readonly think: number
  /** ms without an answer after which they write it again. */
  readonly patience: number
}

export interface Person {
  readonly chat: string
  readonly isDone: () => boolean
  /** How many errands are left. */
  readonly left: () => number
}

export const message = (chat: string, id: string, body: string): InboundMessage => ({
  _tag: "message",
  ref: { id, chatId: chat },
  from: chat,
  sender: chat,
  isGroup: false,
  type: "text",
  body
})

/** @param options everything the person is and has in mind */
export const makePerson = (options: PersonOptions): Person => {
  const { chance, chat, errands, patience, phone, think, universe } = options
  const network = universe.machine(`person ${chat}`)
  let at = 0
  let ids = 0
  /** What is going on in their head; what they thought before counts no more. */
  let thought = 0
  let last: ReadonlyArray<string> = []
  let tries = 0

  const later = (millis: number, run: () => void): void => {
    const mine = ++thought
    universe.timer(network, millis, () => {
      if (mine === thought) run()
    })
  }
  const say = (lines: ReadonlyArray<string>): void => {
    last = lines
    for (const line of lines) phone.write(message(chat, `${chat}-${++ids}`, line))
    later(patience, () => {
      if (++tries === errands[at]?.tries) next()
      else say(last.map((line) => errands[at]?.rephrase?.(line) ?? line))
    })
  }
  const next = (): void => {
    at++
    begin()
  }
  const begin = (): void => {
    const errand = errands[at]
    tries = 0
    if (errand === undefined) {
      thought++
      return
    }
    const first = errand.begin()
    later(chance.between(10, think), () => say(typeof first === "string" ? [first] : first))
  }
  phone.onArrived(({ chatId, text }) => {
    const errand = errands[at]
    if (chatId !== chat || errand === undefined) return
    const answer = errand.read(text)
    if (answer === wait) return
    if (answer === again) return begin()
    if (answer === done) return next()
    later(chance.between(10, think), () => say(typeof answer === "string" ? [answer] : answer))
  })
  begin()
  return { chat, isDone: () => at >= errands.length, left: () => errands.length - at }
}
