/** Time in conversations: what a wait does by itself once its time has come (R16, R24, C10, C23). */
import { Effect } from "effect"
import { wakeTime } from "../model/Checkpoint.ts"
import type { Turn } from "../outbound/Turn.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import type { Drive } from "./Drive.ts"
import type { Live, Settled } from "./Live.ts"
import type { Lives } from "./Lives.ts"
import type { Rest, Timed } from "./Rest.ts"
import type { Signal } from "./Waiter.ts"

/** A timer that wins no turn tries again after this, ms (R24). */
const tryAgain = 1000

/** What a wait has to say for itself at `now`; `undefined` while it is not due. */
export const signalAt = (wait: NonNullable<Live["wait"]>, now: number): Signal | undefined => {
  if (wait.kind === "ask") {
    if (wait.deadline !== undefined && now >= wait.deadline) return { _tag: "timeout" }
    return wait.idleAt !== undefined && now >= wait.idleAt ? { _tag: "idle" } : undefined
  }
  const at = wakeTime(wait)
  return at !== undefined && now >= at ? { _tag: "timeout" } : undefined
}

export const makeDue = (
  port: ConversationPort,
  lives: Lives,
  rest: Rest,
  { drive, fork, revive, underTurn }: Drive
) => {
  /** Runs what is due of the wait by `now`, under `turn`; `undefined` when nothing was. R24. */
  const runDue = (live: Live, turn: Turn, now: number): Effect.Effect<Settled | undefined> =>
    Effect.suspend(() => {
      const signal = live.wait === undefined ? undefined : signalAt(live.wait, now)
      if (signal === undefined) return Effect.undefined
      if (live.isParked) return drive(live, turn, () => live.wake(signal, fork))
      return Effect.flatMap(revive(live, turn), (settled) =>
        settled._tag === "parked" && live.isParked
          ? Effect.map(runDue(live, turn, now), (later) => later ?? settled)
          : Effect.succeed(settled)
      )
    })

  const onTime: Timed["onTime"] = (live, wait) => {
    if (live.gone || live.wait !== wait) return
    underTurn(
      live,
      (turn) => {
        // Somebody else's turn may have answered, ended or moved it meanwhile.
        if (live.gone || live.wait !== wait) return Effect.void
        return Effect.flatMap(runDue(live, turn, port.timers.now()), (settled) =>
          settled === undefined ? Effect.sync(() => rest.arm(live)) : rest.report(live, turn, settled)
        )
      },
      () => {
        live.timer = port.timers.at(port.timers.now() + tryAgain, () => onTime(live, wait))
      }
    )
  }

  /** A parked persistent conversation gives its live copy up: its checkpoint is all that is left (dormant). */
  const onStale: Timed["onStale"] = (live, wait) => {
    if (live.gone || live.wait !== wait) return
    if ((live.fiber !== undefined && live.parked === undefined) || live.dirty) return rest.arm(live)
    // Whoever holds the key's turn counts on it.
    for (const turn of port.turns.active.turns()) if (turn.key === live.key) return rest.arm(live)
    lives.drop(live)
    lives.interrupt(live, "stopping")
  }
  return { runDue, onTime, onStale }
}
