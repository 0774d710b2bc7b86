/**
 * Lets a conversation run under a turn until it rests (C3): its fiber, and the turn it takes when its program goes on by
 * itself.
 */
import { Context, Effect, Exit } from "effect"
import type { SuspendReason } from "../model/DropReason.ts"
import { CurrentTurn, type Turn } from "../outbound/Turn.ts"
import { LeaseLostError } from "../spi/Errors.ts"
import type { Checkpoints } from "./Checkpoints.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import { converse } from "./Execute.ts"
import { type Live, type Outcome, type Resting, resting, type Settled } from "./Live.ts"
import type { Lives } from "./Lives.ts"
import { Ops } from "./Ops.ts"
import type { Recording } from "./Recorder.ts"
import type { Rest, SettleError } from "./Rest.ts"

export const makeDrive = (
  port: ConversationPort,
  context: Context.Context<never>,
  lives: Lives,
  checkpoints: Checkpoints,
  rest: Rest
) => {
  const interrupt = (live: Live, reason: SuspendReason): void => lives.interrupt(live, reason)

  const over = (live: Live, exit: Exit.Exit<Outcome | Resting, unknown>): void => {
    live.rests = Exit.isSuccess(exit) && exit.value === resting
    const settled = settledOf(live, exit)
    if (live.settled !== undefined) return live.settle(settled)
    // Its program ended by itself, outside any turn: it gets one to be settled under.
    if (!live.gone && live.suspending === undefined) underTurn(live, (turn) => rest.report(live, turn, settled))
  }
  /** Starts or replays the step; the wait it was resumed from is kept for the op it belongs to. */
  const fork = (live: Live): void => {
    live.suspending = undefined
    live.failure = undefined
    live.rests = false
    live.recalled = live.wait
    live.wait = undefined
    live.log.rewind()
    live.interrupt = interrupt
    const ops = new Ops(live, recording)
    const fiber = Effect.runForkWith(Context.add(context, CurrentTurn, live.holder))(
      Effect.suspend(() => converse(ops, port))
    )
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return over(live, exit)
    live.fiber = fiber
    fiber.addObserver((later) => {
      if (live.fiber === fiber) live.fiber = undefined
      over(live, later)
    })
  }

  /** Lets it run under `turn` from `begin` on; ends when it rests. */
  const drive = (live: Live, turn: Turn, begin: (live: Live) => void): Effect.Effect<Settled> =>
    Effect.suspend(() => {
      live.clearTimer()
      live.holder.turn = turn
      live.driver = turn
      turn.driven = live
      let came: Settled | undefined
      live.settled = (settled) => {
        came = settled
      }
      begin(live)
      // Mostly it has come to rest at once.
      return came === undefined
        ? Effect.callback<Settled>((resume) => {
            // Other fibers may have run before this one begins to wait.
            if (came !== undefined) return resume(Effect.succeed(came))
            live.settled = (settled) => resume(Effect.succeed(settled))
          })
        : Effect.succeed(came)
    })
  /** Brings a live without a fiber back to where it was: replays its step up to the op that waits. */
  const revive = (live: Live, turn: Turn): Effect.Effect<Settled> => drive(live, turn, fork)

  /** Its program left a wait by itself and goes on: it gets a turn of its own, closed when it rests again. */
  const takeTurn = (live: Live): Effect.Effect<void, LeaseLostError> =>
    Effect.callback<void, LeaseLostError>((resume) => {
      let given = false
      const refuse = (reason: LeaseLostError["reason"]) =>
        resume(Effect.fail(new LeaseLostError({ key: live.key, reason })))
      underTurn(
        live,
        (turn) => {
          if (given) return Effect.void
          if (live.gone || live.suspending !== undefined) return Effect.sync(() => refuse("revoked"))
          return Effect.flatMap(
            drive(live, turn, () => resume(Effect.void)),
            (settled) => rest.report(live, turn, settled)
          )
        },
        () => refuse("unavailable")
      )
      // The program gave up the act it wanted the turn for.
      return Effect.sync(() => {
        given = true
      })
    })

  /**
   * Runs `body` under the key's turn, outside any message; a failure is reported like one of a handler.
   *
   * @param unavailable no turn could be had, or it was lost before the conversation was driven under it
   */
  const underTurn = (
    live: Live,
    body: (turn: Turn) => Effect.Effect<void, SettleError>,
    unavailable: () => void = () => lives.leave(live)
  ): void =>
    port.turns.submit({
      holder: { key: live.key, turn: undefined },
      run: (turn) => Effect.catchCause(body(turn), (cause) => port.onError(live, cause)),
      cut: (turn) =>
        Effect.suspend(() => {
          if (live.gone || live.driver === turn || turn.suspended !== "lease-lost") return rest.abandon(live, turn)
          unavailable()
          return Effect.void
        }),
      unavailable: () => Effect.sync(unavailable),
      over: () => {}
    })

  const recording: Recording = { port, checkpoints, lives, takeTurn }
  return { fork, drive, revive, underTurn }
}
export type Drive = ReturnType<typeof makeDrive>

const parked: Settled = { _tag: "parked" }
const settledOf = (live: Live, exit: Exit.Exit<Outcome | Resting, unknown>): Settled => {
  if (live.failure !== undefined) return { _tag: "lost", cause: live.failure }
  if (Exit.isSuccess(exit)) return exit.value === resting ? parked : { _tag: "ended", outcome: exit.value }
  return live.suspending === undefined
    ? { _tag: "failed", cause: exit.cause }
    : { _tag: "cut", reason: live.suspending }
}
