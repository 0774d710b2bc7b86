/**
 * Takes the tickets of one key in the order they were asked for (TR1), also where taking one is a call to a backend: the
 * next waits until the one before it is taken. Where tickets are taken at once, nothing is kept here.
 */
export interface TicketTaker {
  readonly key: string
  /** Its ticket is taken, or it has none to take any more. */
  readonly taken: boolean
  /** Asks for the ticket; `TicketLanes.taken` is told when it is. */
  readonly start: () => void
}

interface Lane {
  readonly waiting: Array<TicketTaker>
  current: TicketTaker
  draining: boolean
}

export class TicketLanes {
  private readonly lanes = new Map<string, Lane>()

  submit(taker: TicketTaker): void {
    const lane = this.lanes.size === 0 ? undefined : this.lanes.get(taker.key)
    if (lane !== undefined) {
      lane.waiting.push(taker)
      return
    }
    taker.start()
    if (!taker.taken) this.lanes.set(taker.key, { waiting: [], current: taker, draining: false })
  }

  taken(key: string): void {
    const lane = this.lanes.size === 0 ? undefined : this.lanes.get(key)
    if (lane === undefined || lane.draining) return
    lane.draining = true
    while (lane.current.taken) {
      const next = lane.waiting.shift()
      if (next === undefined) {
        this.lanes.delete(key)
        return
      }
      lane.current = next
      next.start()
    }
    lane.draining = false
  }
}
