/** What becomes of a message that does not come to its end: it is released to be delivered again, or said to be lost (ME1 to ME3). */
import { Cause, Effect, type Exit } from "effect"
import type { Turn } from "../outbound/Turn.ts"
import type { InboundPort } from "./InboundPort.ts"
import { drop, type Passage } from "./Passage.ts"
import { settleDrive } from "./Settle.ts"

export type GivenBack = "not-running" | "store-failed" | "turn-timeout" | "turn-lost"

export const makeGiveBack = (port: InboundPort) => {
  const released = ({ key, record, turn }: Passage): Effect.Effect<void> =>
    port.durability.inbox.release(port.scope, key, record, turn === undefined ? {} : { fence: turn.lease.fence }).pipe(
      Effect.asVoid,
      Effect.catchCause((cause) =>
        port.failed({ cause, where: "the release of an inbox record", chat: undefined, engine: true })
      )
    )

  /** Frees its dedupe key; with durability its record goes back to the inbox and nothing is lost (A8). */
  const giveBack = (passage: Passage, reason: GivenBack): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (passage.record !== "") {
        port.dedupe?.release(passage.mark)
        return released(passage)
      }
      forget(passage, reason)
      return passage.turn === undefined ? Effect.void : passage.turn.lease.unclaim
    })
  /** Lost here: whoever delivered it may do so again. */
  const forget = (passage: Passage, reason: GivenBack): void => {
    // Handled already: only what it did is not stored, and the same message again would be a second effect.
    if (passage.fate !== "open") return
    port.dedupe?.release(passage.mark)
    drop(port, passage, reason)
  }

  /** The turn was suspended, or the work died: what is left is to say so (R17, R23). */
  const cut = (passage: Passage, turn: Turn, exit: Exit.Exit<void>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { drive } = passage
      passage.drive = undefined
      const live = port.conversations.lives.get(passage.key)
      // A drive that had come to rest is settled all the same; one that runs on is taken leave of.
      const abandoned =
        drive !== undefined
          ? settleDrive(port, passage, drive.live, drive.settled)
          : live === undefined
            ? Effect.void
            : port.conversations.abandon(live, turn)
      // What it asked to follow is lost with its turn, and so is the message that asked.
      const unfollowed = passage.fate === "following" && turn.suspended === "lease-lost"
      if (passage.closed && !unfollowed) return abandoned
      if (unfollowed) passage.fate = "open"
      passage.closed = true
      const died =
        exit._tag === "Failure" && !Cause.hasInterruptsOnly(exit.cause)
          ? port.failed({ cause: exit.cause, where: "the message pipeline", chat: passage.chat, quiet: true })
          : Effect.void
      // A handler that was cut at its limit has had its run: the same message again would only hang again.
      const told =
        turn.suspended === "settle" && passage.record === ""
          ? Effect.sync(() => drop(port, passage, "turn-lost"))
          : giveBack(passage, "turn-lost")
      // Neither waits for the other: a store that hangs on the conversation must not keep the message's account open.
      return Effect.all([Effect.andThen(told, died), abandoned], { concurrency: "unbounded", discard: true })
    })

  /** The turn was lost while a conversation ran under it: what it did is not stored, so the message is not handled (R23). */
  const lost = (passage: Passage): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { drive } = passage
      passage.drive = undefined
      const left = drive === undefined ? Effect.void : settleDrive(port, passage, drive.live, drive.settled)
      return Effect.andThen(left, giveBack(passage, "turn-lost"))
    })
  return { giveBack, cut, lost, abandon: (passage: Passage) => forget(passage, "turn-timeout") }
}
