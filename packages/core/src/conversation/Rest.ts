/**
 * Where a drive comes to rest: what is stored, and what happens next by itself.
 *
 * The order of design.md 5: the checkpoint first; the caller acks and releases after it. When the store refuses or fails,
 * the live copy is gone (R-2 of Runtime.ts).
 */
import { Cause, Effect } from "effect"
import type { ConversationOutcome } from "../events/BotEvent.ts"
import { wakeTime } from "../model/Checkpoint.ts"
import type { SuspendReason } from "../model/DropReason.ts"
import type { Turn } from "../outbound/Turn.ts"
import type { LeaseLostError } from "../spi/Errors.ts"
import { SendError } from "../spi/Provider.ts"
import { StoreError } from "../spi/Store.ts"
import type { Checkpoints } from "./Checkpoints.ts"
import { LogFull, type NotStorable } from "./Conversation.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import { CutTooOftenError } from "./Execute.ts"
import { Live, type Settled } from "./Live.ts"
import type { Lives } from "./Lives.ts"
import { paused } from "./Pause.ts"

export type SettleError = StoreError | LeaseLostError | NotStorable

/** What a timer of a conversation does; it takes the key's turn itself. */
export interface Timed {
  /** The wait's own time has come. */
  readonly onTime: (live: Live, wait: Live["wait"]) => void
  /** It has been parked for long: it gives its live copy up. */
  readonly onStale: (live: Live, wait: Live["wait"]) => void
}

export const makeRest = (port: ConversationPort, lives: Lives, checkpoints: Checkpoints, timed: () => Timed) => {
  /** a write that failed, was refused or was cut short drops the live copy. */
  const written = <E>(live: Live, write: Effect.Effect<void, E>): Effect.Effect<void, E> =>
    Effect.onExit(write, (exit) => {
      if (exit._tag === "Failure") lives.leave(live, exit.cause)
      return Effect.void
    })

  const finish = (
    live: Live,
    turn: Turn,
    outcome: ConversationOutcome
  ): Effect.Effect<void, StoreError | LeaseLostError> =>
    Effect.suspend(() => {
      // It must not go dormant while its end is on the way to the store.
      live.clearTimer()
      return live.revision === 0
        ? Effect.sync(() => lives.ended(live, outcome))
        : Effect.map(written(live, checkpoints.clear(live, turn)), () => lives.ended(live, outcome))
    })

  const onStale = (live: Live): void => timed().onStale(live, live.armed)
  const onTime = (live: Live): void => timed().onTime(live, live.armed)
  /** Waits for the wait's own time, or to give its live copy up, whichever comes first. R-3. */
  const arm = (live: Live): void => {
    live.clearTimer()
    if (live.gone) return
    const { wait } = live
    live.armed = wait
    const wake = wakeTime(wait)
    const stale =
      live.program.options.persistent && (live.rests || live.fiber !== undefined)
        ? port.timers.now() + port.limits.dormantAfter
        : undefined
    if (stale !== undefined && (wake === undefined || stale < wake)) {
      live.timer = port.timers.atFor(stale, onStale, live)
    } else if (wake !== undefined) {
      live.timer = port.timers.atFor(wake, onTime, live)
    }
  }

  const rest = (live: Live, turn: Turn): Effect.Effect<void, SettleError> => {
    if (live.wait !== undefined && port.handedOff(live)) live.wait = paused(live.wait, port.timers.now())
    arm(live)
    const { persistent } = live.program.options
    if (!live.dirty || !(live.isKept || port.handover.forward)) return Effect.void
    if (!persistent && !port.handover.forward) return withdraw(live, turn)
    return Effect.catchTag(
      Effect.onExit(checkpoints.save(live, turn), (exit) => {
        // What cannot be stored is the program's mistake: it ends with its checkpoint, not behind its back.
        if (exit._tag === "Failure" && !isNotStorable(exit.cause)) lives.leave(live, exit.cause)
        return Effect.void
      }),
      "NotStorable",
      (error) => Effect.andThen(finish(live, turn, "failed"), Effect.fail(error))
    )
  }

  /** Brought here by a replica that forwards to one that does not: it lives on in memory, like any other here (C18). */
  const withdraw = (live: Live, turn: Turn): Effect.Effect<void, SettleError> =>
    Effect.map(written(live, checkpoints.clear(live, turn)), () => {
      live.revision = 0
      live.expires = undefined
    })

  /** A step cut short: it resumes by itself after a back-off, or fails when it was cut too often (R16). */
  const cut = (live: Live, turn: Turn, reason: SuspendReason): Effect.Effect<void, SettleError> => {
    if (reason === "aborted" || reason === "replaced") return finish(live, turn, reason)
    if (reason === "lease-lost") return Effect.sync(() => lives.leave(live))
    if (live.forgetful) return fail(live, turn, new LogFull({ ops: live.log.ops.length, bytes: 0 }))
    // A stop is no fault of the step: only its own slowness counts against it.
    if (reason === "settle") live.cuts++
    if (live.cuts >= port.limits.cuts) {
      return fail(live, turn, new CutTooOftenError({ flow: live.registered.id, step: live.stepId, cuts: live.cuts }))
    }
    return again(live, turn)
  }
  /** Goes on at the open op after a back-off. */
  const again = (live: Live, turn: Turn): Effect.Effect<void, SettleError> => {
    live.wait = {
      kind: "resume",
      op: live.log.pendingOp?.name ?? "",
      at: port.timers.now() + backOff(live.cuts),
      cuts: live.cuts
    }
    live.dirty = true
    return rest(live, turn)
  }
  /** Whether the step is tried again: nothing was wrong with it, what it stands on could not answer just now (R16). */
  const willRetry = (live: Live, settled: Settled): boolean =>
    settled._tag === "failed" && !live.forgetful && live.cuts + 1 < port.limits.cuts && isRetryable(settled.cause)
  const failed = (live: Live, turn: Turn, settled: Settled): Effect.Effect<void, SettleError> => {
    if (!willRetry(live, settled)) return finish(live, turn, "failed")
    live.cuts++
    live.log.forgive()
    return again(live, turn)
  }
  const fail = (live: Live, turn: Turn, error: CutTooOftenError | LogFull): Effect.Effect<void, SettleError> =>
    Effect.andThen(port.onError(live, Cause.fail(error)), finish(live, turn, "failed"))

  const settle = (live: Live, turn: Turn, settled: Settled): Effect.Effect<void, SettleError> =>
    Effect.suspend(() => {
      if (live.gone) return Effect.void
      switch (settled._tag) {
        case "parked":
          return rest(live, turn)
        case "ended":
          return finish(live, turn, settled.outcome)
        case "failed":
          return failed(live, turn, settled)
        case "cut":
          return cut(live, turn, settled.reason)
        case "lost":
          lives.leave(live, settled.cause)
          return Effect.failCause(settled.cause)
      }
    })
  /** The same outside a message: there a failure of the conversation is reported here. */
  const report = (live: Live, turn: Turn, settled: Settled): Effect.Effect<void, SettleError> =>
    settled._tag === "failed"
      ? Effect.andThen(port.onError(live, settled.cause, willRetry(live, settled)), settle(live, turn, settled))
      : settle(live, turn, settled)

  /**
   * A turn ends and the conversation it drives does not come to rest: its code will not stop. It runs on without effect
   * (R17); a copy from its log takes its place and is cut like any other, unless the lease is lost and with it the right
   * to store.
   */
  const abandon = (live: Live, turn: Turn): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (live.gone || live.driver !== turn) return Effect.void
      const reason = turn.suspended ?? "lease-lost"
      if (reason === "lease-lost" || turn.lease.lost() !== undefined) return Effect.sync(() => lives.leave(live))
      const heir = heirOf(live)
      live.clearTimer()
      live.gone = true
      lives.all.set(live.key, heir)
      lives.interrupt(live, reason)
      return Effect.catchCause(cut(heir, turn, reason), (cause) => port.onError(heir, cause))
    })

  return { finish, arm, rest, settle, report, abandon, willRetry }
}
export type Rest = ReturnType<typeof makeRest>

/** The same conversation where it stands, without the fiber. */
const heirOf = (live: Live): Live => {
  const heir = new Live(live.key, live.id, live.registered, live.origin, live.state, live.at, {
    visit: live.visit,
    ops: live.log.ops,
    pending: live.pending,
    trail: live.trail,
    cuts: live.cuts,
    applied: live.applied,
    revision: live.revision,
    ...(live.expires === undefined ? {} : { expires: live.expires }),
    ...(live.initial === undefined ? {} : { initial: live.initial })
  })
  heir.reminder = live.reminder
  heir.forgetful = live.forgetful
  heir.stepsSinceWait = live.stepsSinceWait
  heir.gotosSinceWait = live.gotosSinceWait
  return heir
}

const isNotStorable = (cause: Cause.Cause<SettleError>): boolean => {
  const error = Cause.findErrorOption(cause)
  return error._tag === "Some" && error.value._tag === "NotStorable"
}

/** An error of the transport, the store or the coordinator that says of itself that a later try may succeed. */
const isRetryable = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.findErrorOption(cause)
  return (
    error._tag === "Some" &&
    (error.value instanceof SendError || error.value instanceof StoreError) &&
    error.value.isRetryable
  )
}

/** ms: one second, doubled with each cut, at most a minute (R16). */
const backOff = (cuts: number): number => Math.min(60_000, 1000 * 2 ** Math.max(0, cuts - 1))
