/**
 * People who sign up, over and over, while the world breaks. What they see decides: the phone's record and the bank's,
 * never what the bot says of itself.
 */
import { Bot, Flow } from "@botmesh/core"
import { Context, Effect, Schema } from "effect"
import type { Violation } from "../History.ts"
import { makeNemesis, type Verb } from "../Nemesis.ts"
import { makeBotWorld } from "../world/BotWorld.ts"
import { type Chance, makeChance } from "../world/Chance.ts"
import type { Phone } from "../world/Phone.ts"
import { type Ending, Universe } from "../world/Universe.ts"

/** Keeps what was charged, outside the bot. */
class Bank extends Context.Service<Bank, { readonly charge: (id: string) => Effect.Effect<string> }>()(
  "@botmesh/simulation/Bank"
) {}

const Name = Schema.String.check(Schema.isPattern(/^n-/u))
const Age = Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 99 }))

const signUp = Flow.make("registrar").pipe(
  Flow.ask("name", "¿Nombre?", { answer: Name, invalid: "¿Nombre?" }),
  Flow.ask("age", "¿Edad?", { answer: Age, invalid: "¿Edad?" }),
  Flow.choose("plan", "¿Plan?", { pro: "Pro", max: "Max" }, { invalid: "¿Plan?" }),
  Flow.run("charge", (_, op) => Bank.use((bank) => bank.charge(op.id))),
  Flow.say(({ age, name, plan }) => `Listo ${name} ${age} ${plan}`),
  Flow.persistent
)
const definition = Bot.make(
  "sim",
  [Bot.flow(signUp, { trigger: "registrar" }), Bot.onMessage((chat) => chat.reply("¿Cómo?"))],
  { apology: false, settle: "20s" }
)

const questions = ["¿Nombre?", "¿Edad?", "¿Plan?"]

export interface SignUpOptions {
  readonly replicas?: number
  readonly coordination?: "local" | "shared"
  readonly chats?: number
  readonly rounds?: number
  /** ms. */
  readonly storm?: number
  readonly lease?: number
  readonly verbs?: ReadonlyArray<Verb>
}

export interface SignUpOutcome {
  readonly seed: number
  readonly violations: ReadonlyArray<Violation>
  readonly story: ReadonlyArray<string>
  readonly steps: number
  readonly faults: ReadonlyMap<string, number>
  readonly ending: Ending | undefined
}

/** One person: answers the last question seen, and writes again when nothing comes. */
const makeCustomer = (
  chat: string,
  rounds: number,
  universe: Universe,
  phone: Phone,
  chance: Chance,
  story: Array<string>,
  violations: Array<Violation>
) => {
  const network = universe.machine(`person ${chat}`)
  let round = 1
  let reached = -1
  let ids = 0
  let epoch = 0
  let lastFinal = ""
  const name = () => `n-${chat}-${round}`
  const plan = () => (round % 2 === 0 ? "max" : "pro")
  const lines = () => [name(), String(20 + round), plan()]
  const final = () => `Listo ${name()} ${20 + round} ${plan()}`
  let line = "registrar"

  const send = (body: string): void => {
    line = body
    const id = `${chat}-${++ids}`
    story.push(`${universe.now} ${chat} > ${body} (${id})`)
    phone.write({
      _tag: "message",
      ref: { id, chatId: chat },
      from: chat,
      sender: chat,
      isGroup: false,
      type: "text",
      body
    })
    const mine = ++epoch
    const remind = (): void => {
      if (epoch === mine && round <= rounds) send(line)
    }
    universe.timer(network, 25_000, remind)
  }
  /** A person answers what they read last, once. */
  const say = (body: string): void => {
    const mine = ++epoch
    universe.timer(network, chance.between(10, 2000), () => {
      if (epoch === mine) send(body)
    })
  }
  phone.onArrived(({ at, chatId, machine, text }) => {
    if (chatId !== chat) return
    story.push(`${at} ${chat} < ${text} [${machine}]`)
    if (round > rounds) return
    const index = questions.indexOf(text)
    if (index >= 0) {
      if (index < reached) {
        violations.push({ invariant: "R2", detail: `${chat} was asked ${text} at ${at} after a later question` })
      }
      reached = Math.max(reached, index)
      return say(lines()[index] ?? "")
    }
    if (text === final()) {
      lastFinal = text
      round++
      reached = -1
      if (round <= rounds) say("registrar")
      else epoch++
      return
    }
    if (text.startsWith("Listo")) {
      if (text !== lastFinal)
        violations.push({ invariant: "I15", detail: `${chat} read "${text}" where "${final()}" is due` })
      return
    }
    if (text === "¿Cómo?") {
      if (reached > 0) violations.push({ invariant: "I14", detail: `the sign-up of ${chat} was lost at ${at}` })
      reached = -1
      return say("registrar")
    }
    violations.push({ invariant: "R2", detail: `${chat} read "${text}"` })
  })
  universe.timer(network, chance.between(0, 1000), () => send("registrar"))
  return { done: () => round > rounds, left: () => `${chat} is in round ${round} at question ${reached}` }
}

export const runSignUps = (seed: number, options: SignUpOptions = {}): SignUpOutcome => {
  const chance = makeChance(seed)
  const universe = new Universe(chance)
  const story: Array<string> = []
  const violations: Array<Violation> = []
  const faults = new Map<string, number>()
  const charges = new Map<string, number>()
  let disturbances = 0
  const lease = options.lease ?? 3000
  const stopAt = universe.now + (options.storm ?? 60_000)
  const services = Context.make(Bank, {
    charge: (id) =>
      Effect.andThen(
        Effect.sleep(300),
        Effect.sync(() => {
          charges.set(id, (charges.get(id) ?? 0) + 1)
          story.push(`${universe.now} charged ${id}`)
          return id
        })
      )
  })
  const world = makeBotWorld({
    universe,
    chance,
    seed,
    definition,
    services,
    coordination: options.coordination ?? "local",
    lease,
    onEvent: (machine, event) => {
      const about =
        event._tag === "error"
          ? event.where
          : event._tag === "conversation:ended"
            ? `${event.key} ${event.outcome}`
            : "key" in event
              ? event.key
              : ""
      story.push(`${universe.now} (${machine} ${event._tag} ${about})`)
    }
  })
  const customers = Array.from({ length: options.chats ?? 4 }, (_, i) =>
    makeCustomer(`c${i}`, options.rounds ?? 3, universe, world.phone, chance.fork(5000 + i), story, violations)
  )
  const nemesis = makeNemesis({
    universe,
    chance: chance.fork(99),
    stopAt,
    lease,
    replicas: options.replicas ?? 1,
    boot: world.boot,
    verbs: options.verbs,
    note: (entry) => {
      if (entry._tag !== "fault") return
      disturbances++
      faults.set(entry.verb, (faults.get(entry.verb) ?? 0) + 1)
      story.push(`${entry.at} !! ${entry.verb} ${entry.machine} ${entry.detail}`)
    },
    onDeath: () => {},
    shiftClock: world.shiftClock
  })
  const limit = stopAt + 300_000
  const ending = universe.runUntil(
    () => (nemesis.isCalm() && customers.every((customer) => customer.done())) || universe.now > limit
  )
  for (const customer of customers) {
    if (!customer.done())
      violations.push({ invariant: "I25", detail: `${customer.left()} long after the faults stopped` })
  }
  for (const [id, count] of charges) {
    if (count > 1 + disturbances) violations.push({ invariant: "I21", detail: `${id} was charged ${count} times` })
  }
  return { seed, violations, story, steps: universe.steps, faults, ending }
}
