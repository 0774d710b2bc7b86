/**
 * Whoever breaks things: crashes, freezes, bad wires and clock steps, at times drawn by the seed, until the storm is over.
 * Then everything is mended, and what is owed must be done (first safety, then liveness).
 */
import { Effect } from "effect"
import type { Entry } from "./History.ts"
import type { Chance } from "./world/Chance.ts"
import { fairWeather, type Weather, type Wire } from "./world/Network.ts"
import type { Machine, Universe } from "./world/Universe.ts"

export interface Replica {
  readonly machine: Machine
  /** To each backend one. */
  readonly wires: ReadonlyArray<Wire>
  /** Stops it in order; `gone` once its program has ended. */
  readonly stop: (gone: () => void) => void
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

export const verbs = [
  "crash",
  "stop",
  "freeze",
  "slow",
  "lost-calls",
  "lost-replies",
  "doubled",
  "refusals",
  "late-releases",
  "cut",
  "clock"
] as const
export type Verb = (typeof verbs)[number]

/** What each kind of bad weather does. */
const weatherOf = (verb: Verb, chance: Chance, lease: number): Partial<Weather> | undefined => {
  switch (verb) {
    case "slow":
      return { slow: chance.between(10, 1000) }
    case "lost-calls":
      return { lostCalls: 0.3 }
    case "lost-replies":
      return { lostReplies: 0.3 }
    case "doubled":
      return { doubled: 0.5 }
    case "refusals":
      return { refusals: 0.5 }
    case "late-releases":
      return { lateReleases: lease * 2 }
    case "cut":
      return { cut: true }
    default:
      return undefined
  }
}

interface Place {
  replica: Replica
  life: number
  /** It is being stopped. */
  leaving: boolean
}

export const makeNemesis = (options: NemesisOptions) => {
  const { boot, chance, lease, note, onDeath, stopAt, universe } = options
  const own = universe.machine("nemesis")
  const places: Array<Place> = Array.from({ length: options.replicas }, (_, index) => ({
    replica: boot(index, 0),
    life: 0,
    leaving: false
  }))
  let calm = false
  let steppedAt = Number.NEGATIVE_INFINITY

  const later = (millis: number, run: () => void): void => {
    universe.timer(own, millis, run)
  }
  const fault = (machine: string, verb: Verb, until: number, detail: string): void =>
    note({ _tag: "fault", at: universe.now, machine, verb, until, detail })
  const bootAgain = (place: Place, index: number, frozen: number): void => {
    place.replica.machine.dead = true
    place.life++
    place.leaving = false
    place.replica = boot(index, place.life)
    place.replica.machine.frozenUntil = universe.now + frozen
  }
  const stop = (place: Place, index: number): void => {
    const { replica } = place
    place.leaving = true
    fault(replica.machine.name, "stop", Number.POSITIVE_INFINITY, "")
    replica.stop(() => {
      // It may have been killed meanwhile.
      if (place.replica === replica) bootAgain(place, index, chance.between(0, lease))
    })
  }
  const storm = ({ replica }: Place, verb: Verb, span: number): void => {
    const weather = weatherOf(verb, chance, lease)
    if (weather === undefined) return
    // Now one backend, now all of them.
    const wire = chance.happens(0.5) ? chance.pick(replica.wires) : undefined
    const hit = wire === undefined ? replica.wires : [wire]
    fault(replica.machine.name, verb, universe.now + span, hit.length === 1 ? "one wire" : "every wire")
    for (const one of hit) Object.assign(one.weather, weather)
    later(span, () => {
      for (const one of hit) Object.assign(one.weather, fairWeather())
    })
  }
  const strike = (verb: Verb): void => {
    const index = chance.between(0, places.length - 1)
    const place = places[index]
    if (place === undefined) return
    const { machine } = place.replica
    const span = chance.between(100, lease * 3)
    switch (verb) {
      case "crash":
        fault(machine.name, verb, Number.POSITIVE_INFINITY, "")
        machine.dead = true
        onDeath(machine)
        return bootAgain(place, index, chance.between(0, lease))
      case "stop":
        return place.leaving ? undefined : stop(place, index)
      case "freeze":
        fault(machine.name, verb, universe.now + span, `${span} ms`)
        machine.frozenUntil = universe.now + span
        return
      case "clock": {
        // Within the margin that a lease keeps for it (R3); a lease sees one step at most.
        if (universe.now - steppedAt < lease * 2) return
        steppedAt = universe.now
        const step = chance.between(-200, 200)
        fault("hub", verb, universe.now, `${step} ms`)
        return options.shiftClock(step)
      }
      default:
        return storm(place, verb, span)
    }
  }
  const next = (): void => {
    if (universe.now >= stopAt) {
      for (const { replica } of places) {
        for (const wire of replica.wires) Object.assign(wire.weather, fairWeather())
        replica.machine.frozenUntil = Math.min(replica.machine.frozenUntil, universe.now)
      }
      note({ _tag: "calm", at: universe.now, machine: "nemesis" })
      calm = true
      return
    }
    strike(chance.pick(options.verbs ?? verbs) ?? "slow")
    later(chance.between(50, lease), next)
  }
  own.run(Effect.sync(() => later(chance.between(50, lease), next)))
  return { isCalm: () => calm, replicas: () => places.map(({ replica }) => replica) }
}
