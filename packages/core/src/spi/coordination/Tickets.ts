/**
 * Places in the turn queue: taking one, waiting for its grant within `turnWait`, giving it up (R23).
 *
 * TK1 whoever gives up, or gets no answer, leaves neither a place nor a claim behind.
 * TK2 a ticket is had once the backend has said so: until then nobody of its key is placed behind it (I5).
 */
import { Effect, Option, Schedule } from "effect"
import type { Claim, Lease, Ticket } from "../Coordinator.ts"
import type { ClaimRow } from "../CoordinatorDriver.ts"
import { CoordinationUnavailableError } from "../Errors.ts"
import type { Held, Life, Waiter } from "./Life.ts"
import { notPlaced, type Replica } from "./Replica.ts"

/** Whether it waits for a lead, and the claim it comes with. */
interface Asked {
  readonly lead: boolean
  readonly claim: ClaimRow | undefined
  /** ms. */
  readonly turnWait: number
}

class Place implements Ticket, Waiter {
  ticket = ""
  ticketOf = ""
  placedIn = ""
  askedAt: number
  movedAt: number
  behind = 0
  over = false
  refused = false
  readonly key: string
  readonly order: number
  readonly claim: ClaimRow | undefined
  readonly lead: boolean
  private held: Held | undefined = undefined
  /** Told of the grant, or of the refusal. */
  private told: (() => void) | undefined = undefined
  private readonly turnWait: number
  private readonly replica: Replica
  private readonly life: Life

  constructor(replica: Replica, life: Life, key: string, { claim, lead, turnWait }: Asked) {
    this.turnWait = turnWait
    this.replica = replica
    this.life = life
    this.key = key
    this.order = Number(replica.next())
    this.claim = claim
    this.lead = lead
    this.askedAt = replica.options.monotonic()
    this.movedAt = this.askedAt
  }
  grant(lease: Held): void {
    this.held = lease
    this.told?.()
  }
  refuse(): void {
    this.over = true
    this.refused = true
    this.told?.()
  }
  get isPlaced(): boolean {
    return this.held !== undefined || this.over || (this.placedIn !== "" && this.placedIn === this.life.epoch)
  }
  /** TK1. */
  get cancel(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.over) return Effect.void
      this.over = true
      const { held, life, ticket } = this
      if (held !== undefined) {
        // Nobody looked at what was before this turn: the next one is to.
        life.doubt(this.key)
        return held.giveUp
      }
      life.waiting.delete(ticket)
      return ticket === "" ? Effect.void : this.replica.leave(life, this, ticket, life.epoch)
    })
  }
  private get settled(): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const told = (): void => resume(Effect.void)
      if (this.held !== undefined || this.refused) return told()
      this.told = told
      return Effect.sync(() => {
        this.told = undefined
      })
    })
  }
  private unavailable(detail: string): Effect.Effect<never, CoordinationUnavailableError> {
    return Effect.fail(new CoordinationUnavailableError({ key: this.key, detail }))
  }
  get granted(): Effect.Effect<Lease, CoordinationUnavailableError> {
    return this.held === undefined ? Effect.suspend(() => this.wait()) : Effect.succeed(this.held)
  }
  private wait(): Effect.Effect<Lease, CoordinationUnavailableError> {
    if (this.held !== undefined) return Effect.succeed(this.held)
    // Its claim had ended with an epoch of ours, and another replica has the redelivered message (R23).
    if (this.refused) return this.unavailable("another replica has the message by now")
    // A stand-by waits for as long as there is a leader.
    if (this.lead) return Effect.flatMap(this.settled, () => this.wait())
    const { turnWait } = this
    const rest = this.movedAt + turnWait - this.replica.options.monotonic()
    if (rest <= 0) return Effect.andThen(this.cancel, this.unavailable(`no grant for ${turnWait} ms`))
    return Effect.flatMap(Effect.timeoutOption(this.settled, rest), () => this.wait())
  }
}

export const makeTickets = (replica: Replica) => {
  const { incarnation, lease } = replica.options
  const retrying = Schedule.exponential(50).pipe(
    Schedule.modifyDelay(({ duration }) => Effect.succeed(duration)),
    Schedule.upTo({ duration: Math.max(lease, 1000) })
  )
  const take = (key: string, asked: Asked): Effect.Effect<Place, CoordinationUnavailableError> =>
    Effect.suspend(() => {
      const life = replica.lifeOf(key)
      const place = new Place(replica, life, key, asked)
      const once = replica.alive(life).pipe(
        Effect.andThen(
          Effect.suspend(() => {
            if (place.isPlaced) return Effect.void
            return replica.isReady(life) ? replica.place(life, place) : Effect.fail(notPlaced)
          })
        ),
        // Where the backend knew the epoch no more, the next one takes it along.
        Effect.andThen(Effect.suspend(() => (place.isPlaced ? Effect.void : replica.alive(life)))),
        Effect.andThen(Effect.suspend(() => (place.isPlaced ? Effect.void : Effect.fail(notPlaced))))
      )
      const taken = Effect.retry(once, { schedule: retrying, while: (error) => error.isRetryable })
      const answered = Effect.matchEffect(replica.inLane(key, taken), {
        onSuccess: () => Effect.succeed(place),
        onFailure: (error) =>
          Effect.andThen(place.cancel, Effect.fail(new CoordinationUnavailableError({ key, detail: error.message })))
      })
      // Whoever gives up before the answer has no ticket to give back.
      return Effect.onInterrupt(answered, () => place.cancel)
    })
  const own = replica.options.turnWait
  return {
    enqueue: (key: string, turnWait = own): Effect.Effect<Ticket, CoordinationUnavailableError> =>
      take(key, { lead: false, claim: undefined, turnWait }),
    enqueueOnce: (
      key: string,
      claim: Claim,
      turnWait = own
    ): Effect.Effect<Option.Option<Ticket>, CoordinationUnavailableError> =>
      Effect.map(
        Effect.suspend(() =>
          take(key, { lead: false, claim: { ...claim, owner: `${incarnation}/${replica.next()}` }, turnWait })
        ),
        (place) => (place.refused ? Option.none() : Option.some(place))
      ),
    forLead: (name: string): Effect.Effect<Ticket, CoordinationUnavailableError> =>
      take(`lead/${name}`, { lead: true, claim: undefined, turnWait: own })
  }
}
