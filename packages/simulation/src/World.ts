/**
 * Runs one world: replicas of a bot, one store, one coordinator, people and a nemesis, all from one seed. First the storm,
 * then calm: what is owed must be done. Its history is judged by the checkers.
 */
import type { Bot } from "@botmesh/core"
import type { Context } from "effect"
import { checkers } from "./check/all.ts"
import type { Entry, Violation } from "./History.ts"
import { makeNemesis, type Verb } from "./Nemesis.ts"
import { makeNoise } from "./workload/Noise.ts"
import { type Errand, makePerson } from "./workload/Person.ts"
import { makeBotWorld } from "./world/BotWorld.ts"
import { type Chance, makeChance } from "./world/Chance.ts"
import { type Ending, Universe } from "./world/Universe.ts"

export interface WorldOptions<Id extends string, E, R> {
  readonly definition: Bot.Definition<Id, E, R>
  /** The services of the bot's handlers. */
  readonly services: Context.Context<R>
  /** What each person wants, by chat. */
  readonly people: (chat: string, chance: Chance) => ReadonlyArray<Errand>
  readonly chats: number
  readonly replicas: number
  /** ms. */
  readonly lease: number
  /** ms: the bot's own option, which the checkers judge by. */
  readonly settle: number
  /** ms a message waits for a turn that does not move. */
  readonly turnWait: number
  /** ms of faults. */
  readonly storm: number
  readonly verbs?: ReadonlyArray<Verb> | undefined
  /** One process with a coordinator of its own, or replicas that share one; shared when absent. */
  readonly coordination?: "local" | "shared"
  /** One replica at a time has the transport's session. */
  readonly exclusive?: boolean
  readonly redelivers?: boolean
  readonly doubles?: number
  /** The chat moves at every wait. */
  readonly roams?: boolean
  readonly noise?: boolean
}

export interface Outcome {
  readonly seed: number
  /** ms since the epoch: when the world began. */
  readonly start: number
  readonly history: ReadonlyArray<Entry>
  readonly violations: ReadonlyArray<Violation>
  readonly steps: number
  readonly ending: Ending | undefined
}

/** ms after the storm within which all that is pending must be done: the highest back-off, and 5 s (I25). */
const mending = 65_000
/** ms that people take for what they still have in mind. */
const errandsTime = 120_000

/** What handlers, and whoever stands in for the world around the bot, may see and tell. */
export interface Eyes {
  readonly universe: Universe
  readonly chance: Chance
  readonly note: (entry: Entry) => void
}

export const runWorld = <Id extends string, E, R>(
  seed: number,
  make: (eyes: Eyes) => WorldOptions<Id, E, R>
): Outcome => {
  const chance = makeChance(seed)
  const universe = new Universe(chance)
  const start = universe.now
  const history: Array<Entry> = []
  const note = (entry: Entry): void => {
    history.push(entry)
  }
  const options = make({ universe, chance: chance.fork(7), note })
  const { lease, settle, turnWait } = options
  const stopAt = start + options.storm
  const world = makeBotWorld({
    universe,
    chance,
    seed,
    definition: options.definition,
    services: options.services,
    coordination: options.coordination ?? "shared",
    lease,
    turnWait,
    exclusive: options.exclusive ?? false,
    redelivers: options.redelivers ?? false,
    doubles: options.doubles ?? 0.05,
    roams: options.roams ?? false,
    note
  })
  const chats = Array.from({ length: options.chats }, (_, index) => `c${index}`)
  const people = chats.map((chat, index) => {
    const dice = chance.fork(5000 + index)
    return makePerson({
      chat,
      universe,
      phone: world.phone,
      chance: dice,
      note,
      errands: options.people(chat, dice),
      think: 600,
      patience: 9000
    })
  })
  if (options.noise === true) makeNoise(universe, world.phone, chance.fork(77), chats, stopAt)
  const nemesis = makeNemesis({
    universe,
    chance: chance.fork(99),
    stopAt,
    lease,
    replicas: options.replicas,
    boot: world.boot,
    verbs: options.verbs,
    note,
    onDeath: () => {},
    shiftClock: world.hub.shiftClock
  })
  const limit = stopAt + mending + errandsTime
  let quietSince = Number.POSITIVE_INFINITY
  const isQuiet = (): boolean => {
    if (!nemesis.isCalm() || world.phone.undelivered() > 0 || !people.every((person) => person.isDone())) return false
    const { held, waiting } = world.hub.left()
    return held === 0 && waiting === 0
  }
  let lookedAt = 0
  const ending = universe.runUntil(() => {
    if (universe.now === lookedAt) return false
    lookedAt = universe.now
    if (universe.now > limit) return true
    if (!isQuiet()) {
      quietSince = Number.POSITIVE_INFINITY
      return false
    }
    quietSince = Math.min(quietSince, universe.now)
    // Long enough for what was said last to be told, and for a timer that outlived its conversation to act.
    return universe.now - quietSince > settle + 2000
  })
  const end = { at: universe.now, machine: "world" }
  for (const person of people) {
    if (!person.isDone()) note({ _tag: "unfinished", ...end, what: `${person.chat} has ${person.left()} errands left` })
  }
  world.account()
  note({ _tag: "end", ...end, ending: ending ?? "done", ...world.hub.left() })
  const violations = checkers.flatMap(({ check }) => check(history, { lease, settle, turnWait }))
  return { seed, start, history, violations, steps: universe.steps, ending }
}
