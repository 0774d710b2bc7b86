/**
 * Replicas that do nothing but take turns: the coordinator alone, under every fault the world has. Each turn acts a few
 * times, asking its lease before each act as a send would (R10).
 */
import { type CoordinatorShape, coordinatorFromDriver as fromDriver } from "@botmesh/core/spi"
import { CoordinatorHub } from "@botmesh/core/testing"
import { Effect, Random } from "effect"
import { checkers } from "../check/all.ts"
import type { Entry } from "../History.ts"
import { makeNemesis, type Replica, type Verb } from "../Nemesis.ts"
import type { Outcome } from "../World.ts"
import { type Chance, makeChance } from "../world/Chance.ts"
import { watchHub } from "../world/HubWatch.ts"
import { makeWire } from "../world/Network.ts"
import { type Machine, Universe } from "../world/Universe.ts"
import { wiredCoordinator } from "../world/Wired.ts"

export interface TurnsOptions {
  readonly replicas?: number
  readonly keys?: number
  /** ms. */
  readonly lease?: number
  /** ms of faults. */
  readonly storm?: number
  readonly verbs?: ReadonlyArray<Verb> | undefined
}

const turnWait = 60_000
const settle = 5000

export const runTurns = (seed: number, options: TurnsOptions = {}): Outcome => {
  const lease = options.lease ?? 3000
  const chance = makeChance(seed)
  const universe = new Universe(chance)
  const start = universe.now
  const history: Array<Entry> = []
  const note = (entry: Entry): void => {
    history.push(entry)
  }
  const hub = watchHub(CoordinatorHub.make({ partitions: 2 }), universe, note)
  const keys = Array.from({ length: options.keys ?? 3 }, (_, i) => `chat-${i}`)
  let asked = 0
  const running = new Set<Machine>()
  const stopAt = start + (options.storm ?? 20_000)
  const leaving = new Set<Machine>()

  const worker = (machine: Machine, coordinator: CoordinatorShape, dice: Chance): Effect.Effect<void> =>
    Effect.suspend(() => {
      const key = dice.pick(keys) ?? "chat"
      const nth = ++asked
      const about = () => ({ at: universe.now, machine: machine.name, key })
      note({ _tag: "asked", ...about(), nth })
      const over = Effect.sync(() => note({ _tag: "over", ...about(), nth }))
      const turn = Effect.flatMap(coordinator.enqueue(key), (taken) => {
        const granted = dice.happens(0.1)
          ? Effect.onInterrupt(Effect.timeout(taken.granted, dice.between(1, 500)), () => taken.cancel)
          : taken.granted
        return Effect.flatMap(
          Effect.tapError(granted, () => taken.cancel),
          (held) => {
            const { fence } = held
            note({ _tag: "has", ...about(), nth, fence })
            const act = Effect.andThen(
              Effect.suspend(() => Effect.sleep(dice.between(0, 400))),
              Effect.sync(() => {
                // The instant between the check and the first byte: nothing can come between them in one process.
                if (held.lost() !== undefined) return
                const { hold } = hub.look(machine.name, key)
                note({ _tag: "acted", ...about(), fence, hold, thawed: machine.isThawing })
              })
            )
            return Effect.andThen(Effect.replicateEffect(act, dice.between(1, 4), { discard: true }), held.release)
          }
        )
      })
      return Effect.andThen(
        Effect.andThen(Effect.ignore(turn), over),
        Effect.suspend(() => Effect.sleep(dice.between(0, 300)))
      )
    })

  const boot = (index: number, life: number): Replica => {
    const machine = universe.machine(`r${index}.${life}`)
    const dice = chance.fork(index * 1000 + life)
    const wire = makeWire(dice.fork(1))
    running.add(machine)
    const program = Effect.scoped(
      Effect.gen(function* () {
        const coordinator = yield* Effect.retry(
          fromDriver(wiredCoordinator(hub.driver, wire, dice.fork(2)), { lease, turnWait, replicaId: machine.name }),
          { times: 5 }
        )
        const loop = Effect.whileLoop({
          while: () => universe.now < stopAt + lease * 2 && !leaving.has(machine),
          body: () => worker(machine, coordinator, dice),
          step: () => {}
        })
        yield* Effect.all([loop, loop, loop], { concurrency: "unbounded", discard: true })
      })
    ).pipe(Random.withSeed(seed * 131 + index * 7 + life))
    const fiber = machine.run(program)
    fiber.addObserver(() => {
      running.delete(machine)
    })
    return {
      machine,
      wires: [wire],
      stop: (told) => {
        leaving.add(machine)
        fiber.addObserver(told)
      }
    }
  }
  const nemesis = makeNemesis({
    universe,
    chance: chance.fork(99),
    stopAt,
    lease,
    replicas: options.replicas ?? 3,
    boot,
    verbs: options.verbs,
    note,
    onDeath: (machine) => {
      running.delete(machine)
    },
    shiftClock: hub.shiftClock
  })
  const limit = stopAt + 120_000
  const ending = universe.runUntil(() => (nemesis.isCalm() && running.size === 0) || universe.now > limit)
  const end = { at: universe.now, machine: "world" }
  for (const { name } of running) note({ _tag: "unfinished", ...end, what: `${name} still runs` })
  note({ _tag: "end", ...end, ending: ending ?? (running.size > 0 ? "endless" : "done"), ...hub.left() })
  const violations = checkers.flatMap(({ check }) => check(history, { lease, settle, turnWait }))
  return { seed, start, history, violations, steps: universe.steps, ending }
}
