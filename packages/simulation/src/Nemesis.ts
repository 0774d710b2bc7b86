/**
 * Whoever breaks things: crashes, freezes, bad wires and clock steps, at times drawn by the seed, until the storm is over.
 * Then everything is mended, and what is owed must be done (first safety, then liveness).
 */
import { Effect } from "effect"
import type { Entry } from "./History.ts"
import type { Chance } from "./world/Chance.ts"
import { fairWeather, type Wire } from "./world/Network.ts"
import type { Machine, Universe } from "./world/Universe.ts"

export interface Replica {
  readonly machine: Machine
  readonly wire: Wire
}

export interface NemesisOptions {
  readonly universe: Universe
  readonly chance: Chance
  /** ms since the epoch: when the storm is over. */
  readonly stopAt: number
  /** ms. */
  readonly lease: number
  readonly replicas: number
  readonly boot: (index: number, life: number) => Replica
  readonly note: (entry: Entry) => void
  /** A machine died with its program running. */
  readonly onDeath: (machine: Machine) => void
  readonly shiftClock: (millis: number) => void
  /** What it may do; everything when absent. */
  readonly verbs?: ReadonlyArray<Verb> | undefined
}

export const verbs = ["crash", "freeze", "slow", "lost-calls", "lost-replies", "refusals", "cut", "clock"] as const
export type Verb = (typeof verbs)[number]

export const makeNemesis = (options: NemesisOptions) => {
  const { boot, chance, lease, note, onDeath, stopAt, universe } = options
  const own = universe.machine("nemesis")
  const replicas: Array<Replica> = []
  const lives: Array<number> = []
  for (let index = 0; index < options.replicas; index++) {
    replicas.push(boot(index, 0))
    lives.push(0)
  }
  let calm = false

  const later = (millis: number, run: () => void): void => {
    universe.timer(own, millis, run)
  }
  const strike = (verb: Verb): void => {
    const index = chance.between(0, replicas.length - 1)
    const replica = replicas[index]
    if (replica === undefined) return
    const { machine, wire } = replica
    const span = chance.between(100, lease * 4)
    const fault = (detail: string) => note({ _tag: "fault", at: universe.now, machine: machine.name, verb, detail })
    const during = (change: () => void): void => {
      change()
      later(span, () => Object.assign(wire.weather, fairWeather()))
    }
    switch (verb) {
      case "crash": {
        fault("")
        machine.dead = true
        onDeath(machine)
        const life = (lives[index] ?? 0) + 1
        lives[index] = life
        const back = boot(index, life)
        back.machine.frozenUntil = universe.now + chance.between(0, lease)
        replicas[index] = back
        return
      }
      case "freeze":
        fault(`${span} ms`)
        machine.frozenUntil = universe.now + span
        return
      case "slow":
        fault(`${span} ms`)
        return during(() => {
          wire.weather.slow = chance.between(10, 1000)
        })
      case "lost-calls":
        fault(`${span} ms`)
        return during(() => {
          wire.weather.lostCalls = 0.3
        })
      case "lost-replies":
        fault(`${span} ms`)
        return during(() => {
          wire.weather.lostReplies = 0.3
        })
      case "refusals":
        fault(`${span} ms`)
        return during(() => {
          wire.weather.refusals = 0.5
        })
      case "cut":
        fault(`${span} ms`)
        return during(() => {
          wire.weather.cut = true
        })
      case "clock": {
        const step = chance.between(-200, 200)
        fault(`${step} ms`)
        options.shiftClock(step)
      }
    }
  }
  const next = (): void => {
    if (universe.now >= stopAt) {
      for (const { machine, wire } of replicas) {
        Object.assign(wire.weather, fairWeather())
        machine.frozenUntil = Math.min(machine.frozenUntil, universe.now)
      }
      note({ _tag: "calm", at: universe.now })
      calm = true
      return
    }
    strike(chance.pick(options.verbs ?? verbs) ?? "slow")
    later(chance.between(50, lease), next)
  }
  own.run(Effect.sync(() => later(chance.between(50, lease), next)))
  return { isCalm: () => calm }
}
