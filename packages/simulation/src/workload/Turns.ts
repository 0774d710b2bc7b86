/**
 * Replicas that do nothing but take turns: the coordinator alone, under every fault the world has. Each turn acts a few
 * times, asking its lease before each act as a send would (R10).
 */
import { type CoordinatorShape, coordinatorFromDriver as fromDriver } from "@botmesh/core/spi"
import { CoordinatorHub } from "@botmesh/core/testing"
import { Effect, Random } from "effect"
import { i1, i3, i6 } from "../check/Turns.ts"
import type { Entry, Violation } from "../History.ts"
import { makeNemesis } from "../Nemesis.ts"
import { makeChance } from "../world/Chance.ts"
import { makeWire, type Wire } from "../world/Network.ts"
import { type Ending, type Machine, Universe } from "../world/Universe.ts"
import { wiredCoordinator } from "../world/Wired.ts"

export interface TurnsOptions {
  readonly replicas?: number
  readonly keys?: number
  readonly turns?: number
  /** ms. */
  readonly lease?: number
  /** ms of faults. */
  readonly storm?: number
}

export interface Outcome {
  readonly seed: number
  readonly history: ReadonlyArray<Entry>
  readonly violations: ReadonlyArray<Violation>
  readonly steps: number
  readonly ending: Ending | undefined
}

export const runTurns = (seed: number, options: TurnsOptions = {}): Outcome => {
  const lease = options.lease ?? 3000
  const storm = options.storm ?? 20_000
  const chance = makeChance(seed)
  const universe = new Universe(chance)
  const history: Array<Entry> = []
  const note = (entry: Entry): void => {
    history.push(entry)
  }
  const hub = CoordinatorHub.make({ partitions: 2 })
  const keys = Array.from({ length: options.keys ?? 3 }, (_, i) => `chat-${i}`)
  let tickets = 0
  let running = 0
  const stopAt = universe.now + storm

  const worker = (
    machine: Machine,
    coordinator: CoordinatorShape,
    dice: ReturnType<typeof makeChance>
  ): Effect.Effect<void> =>
    Effect.suspend(() => {
      const key = dice.pick(keys) ?? "chat"
      const ticket = ++tickets
      const about = { machine: machine.name, key }
      note({ _tag: "asked", at: universe.now, ...about, ticket })
      const turn = Effect.flatMap(coordinator.enqueue(key), (taken) =>
        Effect.flatMap(taken.granted, (held) => {
          const { fence } = held
          note({ _tag: "granted", at: universe.now, ...about, fence, ticket })
          const act = Effect.andThen(
            Effect.suspend(() => Effect.sleep(dice.between(0, 400))),
            Effect.suspend(() => {
              // The instant between the check and the first byte: nothing can come between them in one process.
              if (held.lost() !== undefined)
                return Effect.sync(() => note({ _tag: "lost", at: universe.now, ...about, fence }))
              note({ _tag: "acted", at: universe.now, ...about, fence })
              return Effect.void
            })
          )
          return Effect.andThen(
            Effect.replicateEffect(act, dice.between(1, 4), { discard: true }),
            Effect.andThen(
              held.release,
              Effect.sync(() => note({ _tag: "released", at: universe.now, ...about, fence }))
            )
          )
        })
      )
      return Effect.andThen(
        Effect.catch(turn, () => Effect.sync(() => note({ _tag: "gave-up", at: universe.now, ...about, ticket }))),
        Effect.suspend(() => Effect.sleep(dice.between(0, 300)))
      )
    })

  const boot = (index: number, life: number): { readonly machine: Machine; readonly wire: Wire } => {
    const machine = universe.machine(`r${index}.${life}`)
    const dice = chance.fork(index * 1000 + life)
    const wire = makeWire(dice.fork(1))
    running++
    const program = Effect.scoped(
      Effect.gen(function* () {
        const coordinator = yield* Effect.retry(
          fromDriver(wiredCoordinator(hub.driver, wire, dice.fork(2)), {
            lease,
            turnWait: 60_000,
            replicaId: `r${index}`
          }),
          { times: 5 }
        )
        const loop = Effect.whileLoop({
          while: () => universe.now < stopAt + lease,
          body: () => worker(machine, coordinator, dice),
          step: () => {}
        })
        yield* Effect.all([loop, loop, loop], { concurrency: "unbounded", discard: true })
      })
    ).pipe(Random.withSeed(seed * 131 + index * 7 + life))
    machine.run(program).addObserver(() => {
      running--
    })
    return { machine, wire }
  }
  const nemesis = makeNemesis({
    universe,
    chance: chance.fork(99),
    stopAt,
    lease,
    replicas: options.replicas ?? 3,
    boot,
    note,
    onDeath: () => {
      running--
    },
    shiftClock: hub.shiftClock
  })
  const ending = universe.runUntil(() => nemesis.isCalm() && running === 0)
  const violations = [i1, i3, i6].flatMap((check) => check(history))
  if (ending !== undefined)
    violations.push({ invariant: "I6", detail: `the world is ${ending} at ${universe.now} with ${running} running` })
  return { seed, history, violations, steps: universe.steps, ending }
}
