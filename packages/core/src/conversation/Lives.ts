/** The conversations alive in this process, one a key, and how one stops being so (R-1, R-4 of Runtime.ts). */
import { Cause, Context } from "effect"
import type { ConversationOutcome } from "../events/BotEvent.ts"
import type { SuspendReason } from "../model/DropReason.ts"
import { SuspendedBy } from "../outbound/Turn.ts"
import { LeaseLostError } from "../spi/Errors.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import type { Live } from "./Live.ts"

export class Lives {
  readonly all = new Map<string, Live>()
  private readonly port: ConversationPort

  constructor(port: ConversationPort) {
    this.port = port
  }

  /** Takes a live out of the map: from now on nothing it does has an effect. Safe to repeat. */
  drop(live: Live): void {
    live.clearTimer()
    live.gone = true
    live.holder.turn = undefined
    if (this.all.get(live.key) === live) this.all.delete(live.key)
    if (live.revision > 0) this.port.onDormant(live)
  }
  /** Safe to repeat. */
  ended(live: Live, outcome: ConversationOutcome): void {
    if (live.gone) return
    this.drop(live)
    this.port.onEnded(live, outcome)
    const { pending } = live
    if (pending.length === 0 || takenBack.has(outcome)) return
    live.pending = []
    this.port.onKept(live.key, pending)
  }
  /** Stops its code, which reads the reason in its finalizers; the permit to send and store goes first (R17). */
  interrupt(live: Live, reason: SuspendReason): void {
    live.suspending = reason
    live.holder.turn = undefined
    live.fiber?.interruptUnsafe(undefined, Context.make(SuspendedBy, reason))
    // One that waits where it cannot be interrupted would wait for ever: it goes on, and every act of its code fails.
    live.parked?.refuse(new LeaseLostError({ key: live.key, reason: "revoked" }))
  }
  /** Its live copy goes: what is stored of it goes on at the next message (R6), what is not is lost and said so. */
  leave(live: Live, cause?: Cause.Cause<unknown>): void {
    const error = cause === undefined ? undefined : Cause.findErrorOption(cause)
    const superseded = error?._tag === "Some" && isSuperseded(error.value)
    // Whoever wrote knows neither that it stands nor that it does not.
    if (error !== undefined && !(error._tag === "Some" && error.value instanceof LeaseLostError)) {
      this.port.onUnanswered(live.key)
    }
    if (live.isKept && live.revision > 0 && !superseded) this.drop(live)
    else this.ended(live, "lost")
    this.interrupt(live, "lease-lost")
  }
}

/** Ended by somebody, with all that was said to it; or another copy goes on with it. */
const takenBack: ReadonlySet<ConversationOutcome> = new Set(["aborted", "replaced", "lost"])

const isSuperseded = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "reason" in error && error.reason === "superseded"
