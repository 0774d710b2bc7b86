/**
 * The world's own eyes on the coordinator's backend: they see each act on it, keep their own account of who lives, waits
 * and holds, and tell the history. Nothing here is asked of the engine's own memory of it.
 *
 * W1 an act and what is seen of it are one step: no other machine runs in between (`Universe.atomic`).
 */
import type { CoordinatorDriver, CoordinatorDriverError } from "@botmesh/core/spi"
import type { CoordinatorHub } from "@botmesh/core/testing"
import { Effect } from "effect"
import type { Entry, Hold } from "../History.ts"
import type { Universe } from "./Universe.ts"

interface Held {
  readonly epoch: string
  readonly ticket: string
  readonly fence: number
  readonly machine: string
}
interface Key {
  readonly name: string
  readonly partition: number
  hold: Held | undefined
  /** In the order in which they were taken. */
  tickets: Array<{ readonly epoch: string; readonly ticket: string }>
}

export interface HubWatch {
  readonly driver: CoordinatorDriver
  /** What stands at the backend as `machine` acts for `key`. */
  readonly look: (machine: string, key: string) => { readonly hold: Hold; readonly fence: number }
  readonly shiftClock: (millis: number) => void
  /** Tickets of living epochs that wait, and holds of living epochs; leads not counted. */
  readonly left: () => { readonly waiting: number; readonly held: number }
}

/** The machine an epoch belongs to: replicas are named after theirs. */
const machineOf = (epoch: string): string => epoch.slice(0, Math.max(0, epoch.indexOf("~")))

export const watchHub = (
  hub: CoordinatorHub.CoordinatorHub,
  universe: Universe,
  note: (entry: Entry) => void
): HubWatch => {
  const { driver } = hub
  const keys = new Map<string, Key>()
  const lives = new Map<string, number>()
  let shift = 0

  const isAlive = (epoch: string): boolean => universe.now + shift < (lives.get(epoch) ?? 0)
  const keyOf = (name: string): Key => {
    const known = keys.get(name)
    if (known !== undefined) return known
    const key: Key = { name, partition: driver.partitionOf(name), hold: undefined, tickets: [] }
    keys.set(name, key)
    return key
  }
  const at = (machine: string) => ({ at: universe.now, machine })

  /** Looks whether the key has changed hands. */
  const look = (key: Key): void => {
    const now = hub.holderOf(key.name)
    const before = key.hold
    if (now?.epoch === before?.epoch && now?.fence === before?.fence) return
    // The same turn under a higher fence (R19) is no change of hands.
    const raised = before !== undefined && before.epoch === now?.epoch && before.ticket === now.ticket
    if (before !== undefined && !raised) {
      const { fence, machine } = before
      note({ _tag: "freed", ...at(machine), key: key.name, fence, dead: !isAlive(before.epoch) })
    }
    key.hold = now === undefined ? undefined : { ...now, machine: machineOf(now.epoch) }
    if (now === undefined) return
    const place = key.tickets.findIndex(({ epoch, ticket }) => epoch === now.epoch && ticket === now.ticket)
    const ahead = key.tickets.slice(0, Math.max(0, place)).filter(({ epoch }) => isAlive(epoch))
    key.tickets = key.tickets.filter((_, index) => index !== place)
    note({
      _tag: "granted",
      ...at(machineOf(now.epoch)),
      key: key.name,
      ticket: `${now.epoch}/${now.ticket}`,
      fence: now.fence,
      overLiving: before !== undefined && !raised && isAlive(before.epoch) && !isFreed(before),
      overDead: before !== undefined && !raised && !isAlive(before.epoch),
      ahead: ahead.length
    })
  }
  /** What the act that is being looked at has given up: an epoch, or one of its tickets. */
  let freed: { readonly epoch: string; readonly ticket?: string } | undefined
  const isFreed = ({ epoch, ticket }: Held): boolean =>
    freed?.epoch === epoch && (freed.ticket === undefined || freed.ticket === ticket)

  /** W1. */
  const seen = <A>(
    act: Effect.Effect<A, CoordinatorDriverError>,
    after: (answer: A) => void
  ): Effect.Effect<A, CoordinatorDriverError> =>
    Effect.suspend(() => {
      universe.atomic = true
      return Effect.map(act, (answer) => {
        after(answer)
        universe.atomic = false
        return answer
      })
    })
  const lookAt = (partition: number): void => {
    for (const key of keys.values()) if (key.partition === partition) look(key)
  }
  const forget = (epoch: string): void => {
    freed = { epoch }
    lives.delete(epoch)
    for (const key of keys.values()) {
      if (key.tickets.some((waiting) => waiting.epoch === epoch))
        key.tickets = key.tickets.filter((waiting) => waiting.epoch !== epoch)
    }
  }

  const watched: CoordinatorDriver = {
    ...driver,
    begin: (partition, row) =>
      seen(driver.begin(partition, row), () => {
        if (row.old !== undefined) forget(row.old)
        lives.set(row.epoch, universe.now + shift + row.lease)
        lookAt(partition)
        freed = undefined
      }),
    renew: (partition, row) =>
      seen(driver.renew(partition, row), (rows) => {
        if (rows !== undefined && isAlive(row.epoch)) lives.set(row.epoch, universe.now + shift + row.lease)
        lookAt(partition)
      }),
    leave: (partition, row) =>
      seen(driver.leave(partition, row), () => {
        forget(row.epoch)
        lookAt(partition)
        freed = undefined
      }),
    enqueue: (partition, row) =>
      seen(driver.enqueue(partition, row), (answer) => {
        const key = keyOf(row.key)
        const { epoch, ticket } = row
        const isKnown =
          (key.hold?.epoch === epoch && key.hold.ticket === ticket) ||
          key.tickets.some((one) => one.epoch === epoch && one.ticket === ticket)
        if ((answer._tag === "granted" || answer._tag === "queued") && !isKnown) {
          key.tickets.push({ epoch, ticket })
          note({ _tag: "ticket", ...at(machineOf(epoch)), key: row.key, ticket: `${epoch}/${ticket}` })
        }
        look(key)
      }),
    release: (partition, row) =>
      seen(driver.release(partition, row), () => {
        const key = keyOf(row.key)
        const waited = key.tickets.length
        key.tickets = key.tickets.filter(({ epoch, ticket }) => epoch !== row.epoch || ticket !== row.ticket)
        if (key.tickets.length < waited) {
          const { epoch, ticket } = row
          note({ _tag: "gave-up", ...at(machineOf(epoch)), key: row.key, ticket: `${epoch}/${ticket}` })
        }
        freed = { epoch: row.epoch, ticket: row.ticket }
        look(key)
        freed = undefined
      }),
    regrant: (partition, row) => seen(driver.regrant(partition, row), () => look(keyOf(row.key))),
    ask: (partition, rows) =>
      seen(driver.ask(partition, rows), () => {
        for (const row of rows) look(keyOf(row.key))
      })
  }
  return {
    driver: watched,
    look: (machine, name) => {
      const hold = keys.get(name)?.hold
      if (hold === undefined) return { hold: "none", fence: 0 }
      if (hold.machine !== machine) return { hold: "other", fence: 0 }
      return { hold: isAlive(hold.epoch) ? "own" : "dead", fence: hold.fence }
    },
    shiftClock: (millis) => {
      shift += millis
      hub.shiftClock(millis)
    },
    left: () => {
      let waiting = 0
      let held = 0
      for (const key of keys.values()) {
        if (key.name.startsWith("lead/")) continue
        waiting += key.tickets.filter(({ epoch }) => isAlive(epoch)).length
        if (key.hold !== undefined && isAlive(key.hold.epoch)) held++
      }
      return { waiting, held }
    }
  }
}
