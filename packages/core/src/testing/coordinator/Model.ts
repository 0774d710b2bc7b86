/** A coordinator against a list per key, over random acts one after another. */
import { expect } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { CoordinatorShape, Lease, Ticket } from "../../spi/Coordinator.ts"
import type { Time } from "./SuiteTime.ts"

/** Which ticket, counted round. */
const Which = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))
const Act = Schema.Union([
  Schema.Struct({ act: Schema.tag("enqueue"), key: Schema.Literals(["a", "b"]) }),
  Schema.Struct({ act: Schema.tag("cancel"), which: Which }),
  Schema.Struct({ act: Schema.tag("release"), which: Which })
])
export const Acts = Schema.Array(Act).check(Schema.isMinLength(10), Schema.isMaxLength(60))

/** The contract as a list per key: whoever is first holds it. */
class Model {
  readonly grants: Array<number> = []
  private readonly queues = new Map<string, Array<number>>()
  enqueue(key: string, id: number): void {
    const queue = this.queues.get(key) ?? []
    this.queues.set(key, [...queue, id])
    if (queue.length === 0) this.grants.push(id)
  }
  holds(id: number): boolean {
    return [...this.queues.values()].some((queue) => queue[0] === id)
  }
  leave(id: number): void {
    for (const [key, queue] of this.queues) {
      const rest = queue.filter((other) => other !== id)
      this.queues.set(key, rest)
      if (queue[0] === id && rest[0] !== undefined) this.grants.push(rest[0])
    }
  }
}

export const followModel = Effect.fnUntraced(function* (
  time: Time,
  coordinator: CoordinatorShape,
  base: string,
  acts: typeof Acts.Type
) {
  const model = new Model()
  const grants: Array<number> = []
  const tickets: Array<Ticket> = []
  const leases = new Map<number, Lease>()
  for (const act of acts) {
    if (act.act === "enqueue") {
      const id = tickets.length
      const ticket = yield* coordinator.enqueue(`${base}/${act.key}`)
      tickets.push(ticket)
      model.enqueue(act.key, id)
      const watch = Effect.map(ticket.granted, (lease) => {
        grants.push(id)
        leases.set(id, lease)
      })
      yield* Effect.forkChild(Effect.ignore(watch), { startImmediately: true })
    } else {
      const id = tickets.length === 0 ? 0 : act.which % tickets.length
      if (act.act === "cancel") yield* tickets[id]?.cancel ?? Effect.void
      else yield* leases.get(id)?.release ?? Effect.void
      if (act.act === "cancel" || model.holds(id)) model.leave(id)
    }
    yield* time.until(() => grants.length >= model.grants.length)
    expect(grants).toEqual(model.grants)
    for (const [id, lease] of leases) expect(lease.lost() === undefined).toBe(model.holds(id))
  }
  for (const key of ["a", "b"]) {
    const fences = [...leases.values()].filter((lease) => lease.key === `${base}/${key}`).map((lease) => lease.fence)
    expect(fences).toEqual([...new Set(fences)].sort((one, other) => one - other))
  }
})
