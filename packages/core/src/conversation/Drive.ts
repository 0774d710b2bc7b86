/**
 * Lets a conversation run under a turn until it rests (C3): its fiber, and the turn it takes when its program goes on by
 * itself.
 */
import { Context, Effect, Exit, type Fiber } from "effect"
import type { SuspendReason } from "../model/DropReason.ts"
import { CurrentTurn, type Turn } from "../outbound/Turn.ts"
import { LeaseLostError } from "../spi/Errors.ts"
import type { Checkpoints } from "./Checkpoints.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import { converse, leave, mayLeave } from "./Execute.ts"
import { type Live, type Outcome, type Resting, resting, type Settled } from "./Live.ts"
import type { Lives } from "./Lives.ts"
import { Ops } from "./Ops.ts"
import type { Recording } from "./Recorder.ts"
import type { Rest, SettleError } from "./Rest.ts"

/** What a fiber of a conversation ends with; `undefined` where its program goes on. */
type Ran = Outcome | Resting | undefined
type Ended = Exit.Exit<Outcome | Resting, unknown>
interface Following {
  readonly program: Effect.Effect<Ran, unknown>
  readonly leaving: boolean
}

export const makeDrive = (
  port: ConversationPort,
  context: Context.Context<never>,
  lives: Lives,
  checkpoints: Checkpoints,
  rest: Rest
) => {
  const interrupt = (live: Live, reason: SuspendReason): void => lives.interrupt(live, reason)

  const over = (live: Live, exit: Ended): void => {
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
    run(
      ops,
      Effect.suspend(() => converse(ops, port)),
      false
    )
  }
  /**
   * Runs its program; when that fails, what the failure leads to. A fiber each, for what begins at once after a failure needs
   * no place on the stack of one that waits.
   */
  const run = (ops: Ops, program: Effect.Effect<Ran, unknown>, leaving: boolean): void => {
    const { live } = ops
    const fork = Effect.runForkWith(Context.add(context, CurrentTurn, live.holder))
    for (let next: Following = { program, leaving }; ; ) {
      const fiber = fork(next.program)
      const exit = fiber.pollUnsafe()
      if (exit === undefined) return observe(ops, fiber, next.leaving)
      const after = followed(ops, exit, next.leaving)
      if (Exit.isExit(after)) return over(live, after)
      next = after
    }
  }
  const observe = (ops: Ops, fiber: Fiber.Fiber<Ran, unknown>, leaving: boolean): void => {
    const { live } = ops
    live.fiber = fiber
    fiber.addObserver((exit) => {
      if (live.fiber === fiber) live.fiber = undefined
      const after = followed(ops, exit, leaving)
      if (Exit.isExit(after)) over(live, after)
      else run(ops, after.program, after.leaving)
    })
  }
  const followed = (ops: Ops, exit: Exit.Exit<Ran, unknown>, leaving: boolean): Following | Ended => {
    if (exit._tag === "Success") {
      if (exit.value !== undefined) return Exit.succeed(exit.value)
      return { program: Effect.suspend(() => converse(ops, port)), leaving: false }
    }
    // A last word that failed has no other.
    if (leaving || !mayLeave(ops.live)) return Exit.failCause(exit.cause)
    return { program: Effect.suspend(() => leave(ops, port, exit.cause)), leaving: true }
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
const settledOf = (live: Live, exit: Ended): Settled => {
  if (live.failure !== undefined) return { _tag: "lost", cause: live.failure }
  if (Exit.isSuccess(exit)) return exit.value === resting ? parked : { _tag: "ended", outcome: exit.value }
  return live.suspending === undefined
    ? { _tag: "failed", cause: exit.cause }
    : { _tag: "cut", reason: live.suspending }
}
