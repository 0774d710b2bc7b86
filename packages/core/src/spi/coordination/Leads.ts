/** Leads: turns of a name that is no conversation, held for as long as a scope (C15, R13). */
import { Effect, Option } from "effect"
import type { CoordinatorShape, Lease, Ticket } from "../Coordinator.ts"
import type { Replica } from "./Replica.ts"
import type { makeTickets } from "./Tickets.ts"

type Leads = Pick<CoordinatorShape, "lead" | "tryLead">

export const makeLeads = (replica: Replica, tickets: ReturnType<typeof makeTickets>): Leads => {
  const follow = (name: string, reason: string) =>
    Effect.sync(() => replica.tell({ _tag: "coordination:follower", name, reason }))
  /** A place that is given up with the scope; stepping down is told. */
  const stand = (name: string) =>
    Effect.gen(function* () {
      const place: { held: Lease | undefined } = { held: undefined }
      // Whoever asks gives up by itself when it is interrupted, also while the backend cannot be reached.
      const ticket = yield* Effect.acquireRelease(
        tickets.forLead(name),
        (taken: Ticket) =>
          Effect.suspend(() => {
            const leads = place.held !== undefined && place.held.lost() === undefined
            return Effect.andThen(taken.cancel, leads ? follow(name, "stepped down") : Effect.void)
          }),
        { interruptible: true }
      )
      const led = Effect.fnUntraced(function* (held: Lease) {
        place.held = held
        replica.tell({ _tag: "coordination:leader", name, fence: held.fence })
        yield* Effect.forkScoped(Effect.flatMap(held.whenLost, (error) => follow(name, error.reason)))
        return held
      })
      return { ticket, led }
    })
  const atOnce = (ticket: Ticket) => Effect.timeoutOption(ticket.granted, 0)
  return {
    lead: Effect.fnUntraced(function* (name: string) {
      const { led, ticket } = yield* stand(name)
      const now = yield* atOnce(ticket)
      if (Option.isSome(now)) return yield* led(now.value)
      yield* follow(name, "led by another")
      return yield* Effect.flatMap(ticket.granted, led)
    }),
    tryLead: Effect.fnUntraced(function* (name: string) {
      const { led, ticket } = yield* stand(name)
      const now = yield* atOnce(ticket)
      if (Option.isSome(now)) return Option.some(yield* led(now.value))
      yield* ticket.cancel
      return Option.none<Lease>()
    })
  }
}
