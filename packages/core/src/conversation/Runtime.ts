/**
 * The live conversations of a bot: starts them, wakes them, parks them, ends them.
 *
 * R-1 a key has at most one live conversation, and it is driven by the holder of the key's turn only (I1, C10).
 * R-2 a live copy is used only while its last checkpoint was accepted; a failed or refused write drops it (R6).
 * R-3 timers act with the turn and only on the very wait they were set for (I17); none outlives its conversation.
 * R-4 a conversation ends once, with one event and one counter (I24).
 */
import { Cause, Context, Effect, Exit, Result } from "effect"
import type { ConversationOutcome } from "../events/BotEvent.ts"
import { type Checkpoint, type SavedMessage, wakeTime } from "../model/Checkpoint.ts"
import type { SuspendReason } from "../model/DropReason.ts"
import { CurrentTurn, SuspendedBy, type Turn } from "../outbound/Turn.ts"
import { type CoordinationUnavailableError, LeaseLostError } from "../spi/Errors.ts"
import type { StoreError } from "../spi/Store.ts"
import { decodeLive, makeCheckpoints, noteApplied } from "./Checkpoints.ts"
import type { NotStorable } from "./Conversation.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import { CutTooOftenError, converse } from "./Execute.ts"
import { Live, type Registered, type Settled, type Signal } from "./Live.ts"
import { Ops } from "./Ops.ts"
import type { State } from "./Step.ts"

export type SettleError = StoreError | LeaseLostError | NotStorable

/** What a message did in a conversation. `consumed` false: it ended without a question, so the message is new (R2). */
export interface Driven {
  readonly settled: Settled
  readonly consumed: boolean | "full"
}

export interface ConversationInfo {
  readonly key: string
  readonly flow: string
  readonly id: string
  readonly step: string
  readonly state: "waiting" | "sleeping" | "running" | "cut" | "handoff"
  readonly queued: number
  /** What the open question is called. */
  readonly accepts: string | undefined
}

export const makeConversations = (port: ConversationPort, context: Context.Context<never>) => {
  const lives = new Map<string, Live>()
  const checkpoints = makeCheckpoints(port)

  /** Takes a live out of the map: from now on nothing it does has an effect. */
  const drop = (live: Live): void => {
    live.clearTimer()
    live.gone = true
    live.holder.turn = undefined
    if (lives.get(live.key) === live) lives.delete(live.key)
    if (live.revision > 0) port.onDormant(live)
  }
  /** */
  const ended = (live: Live, outcome: ConversationOutcome): void => {
    if (live.gone) return
    drop(live)
    port.onEnded(live, outcome)
  }
  const interrupt = (live: Live, reason: SuspendReason): void => {
    live.suspending = reason
    live.fiber?.interruptUnsafe(undefined, Context.make(SuspendedBy, reason))
  }

  // ------------------------------------------------------------ driving

  const fork = (live: Live): void => {
    live.suspending = undefined
    live.interrupt = (reason) => interrupt(live, reason)
    const ops = new Ops(live, port, checkpoints, takeTurn)
    const fiber = Effect.runForkWith(Context.add(context, CurrentTurn, live.holder))(converse(ops, port))
    live.fiber = fiber
    fiber.addObserver((exit) => {
      if (live.fiber === fiber) live.fiber = undefined
      if (live.gone && live.settled === undefined) return
      if (Exit.isSuccess(exit)) live.settle({ _tag: "ended", outcome: exit.value })
      else if (live.suspending !== undefined) live.settle({ _tag: "cut", reason: live.suspending })
      else live.settle({ _tag: "failed", cause: exit.cause })
    })
  }

  /** Lets the conversation run under `turn` until it rests. C3. */
  const drive = (live: Live, turn: Turn, begin: () => void): Effect.Effect<Settled> =>
    Effect.callback<Settled>((resume) => {
      live.clearTimer()
      live.holder.turn = turn
      turn.driven = live
      live.settled = (settled) => {
        turn.driven = undefined
        resume(Effect.succeed(settled))
      }
      begin()
    })

  /** Its program left a wait by itself and goes on: it gets a turn of its own, closed when it rests again. */
  const takeTurn = (live: Live): Effect.Effect<void, LeaseLostError> =>
    Effect.callback<void, LeaseLostError>((resume) => {
      underTurn(
        live,
        (turn) =>
          Effect.flatMap(
            drive(live, turn, () => resume(Effect.void)),
            (settled) => settle(live, turn, settled)
          ),
        () => resume(Effect.fail(new LeaseLostError({ key: live.key, reason: "unavailable" })))
      )
    })

  /** Runs `body` under the key's turn, outside any message; a failure is reported like one of a handler. */
  const underTurn = (
    live: Live,
    body: (turn: Turn) => Effect.Effect<void, SettleError>,
    unavailable: (error: CoordinationUnavailableError) => void
  ): void => {
    const holder = { key: live.key, turn: undefined }
    port.turns.submit({
      holder,
      run: (turn) =>
        Effect.catchCause(body(turn), (cause) => {
          if (!live.gone) ended(live, "lost")
          return port.onError(live, cause)
        }),
      cut: (turn) => abandon(live, turn),
      unavailable: (error) => Effect.sync(() => unavailable(error)),
      over: () => {}
    })
  }

  // ------------------------------------------------------------ settling

  /**
   * After a drive: stores where it rests, or that it ended. The order of design.md 5: the checkpoint first; the caller
   * acks and releases after it. Fails when the store refused, and then the live copy is gone.
   */
  const settle = (live: Live, turn: Turn, settled: Settled): Effect.Effect<void, SettleError> =>
    Effect.suspend(() => {
      switch (settled._tag) {
        case "parked":
          return rest(live, turn)
        case "ended":
          return finish(live, turn, settled.outcome)
        case "failed":
          return finish(live, turn, "failed")
        case "cut":
          return cut(live, turn, settled.reason)
      }
    })
  const finish = (live: Live, turn: Turn, outcome: ConversationOutcome) =>
    Effect.onExit(checkpoints.clear(live, turn), () => Effect.sync(() => ended(live, outcome)))

  const rest = (live: Live, turn: Turn): Effect.Effect<void, SettleError> => {
    const { persistent } = live.program.options
    arm(live, persistent)
    if (!persistent || !live.dirty) return Effect.void
    return Effect.tapCause(checkpoints.save(live, turn), () =>
      Effect.sync(() => {
        interrupt(live, "lease-lost")
        ended(live, "lost")
      })
    )
  }

  /** Waits for the wait's own time, or for dormancy, whichever comes first. R-3. */
  const arm = (live: Live, persistent: boolean): void => {
    live.clearTimer()
    if (port.handedOff(live)) return
    const { wait } = live
    const wake = wakeTime(wait)
    const sleep = persistent && live.fiber !== undefined ? port.timers.now() + port.limits.dormantAfter : undefined
    if (sleep !== undefined && (wake === undefined || sleep < wake)) {
      live.timer = port.timers.at(sleep, () => dormant(live, wait))
    } else if (wake !== undefined) {
      live.timer = port.timers.at(wake, () => onTime(live, wait))
    }
  }

  /** A step cut short: it resumes by itself after a back-off, or fails when it was cut too often (R16). */
  const cut = (live: Live, turn: Turn, reason: SuspendReason): Effect.Effect<void, SettleError> => {
    if (reason === "aborted" || reason === "replaced") {
      return finish(live, turn, reason)
    }
    live.cuts++
    if (live.cuts >= port.limits.cuts) {
      const error = new CutTooOftenError({ flow: live.registered.id, step: live.stepId, cuts: live.cuts })
      return Effect.andThen(port.onError(live, Cause.fail(error)), finish(live, turn, "failed"))
    }
    live.wait = {
      kind: "resume",
      op: live.log.pendingOp?.name ?? "",
      at: port.timers.now() + backoff(live.cuts),
      cuts: live.cuts
    }
    live.dirty = true
    return rest(live, turn)
  }

  /** Its turn was taken from it and it did not come to rest: the live copy goes, what is stored stays. */
  const abandon = (live: Live, turn: Turn): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (live.gone || live.holder.turn !== turn) return Effect.void
      interrupt(live, turn.suspended ?? "lease-lost")
      const stored = live.program.options.persistent && live.revision > 0
      if (stored) drop(live)
      else ended(live, "lost")
      return Effect.void
    })

  // ------------------------------------------------------------ time

  const signalAt = (wait: NonNullable<Live["wait"]>, now: number): Signal | undefined => {
    if (wait.kind === "ask") {
      if (wait.deadline !== undefined && now >= wait.deadline) return { _tag: "timeout" }
      return wait.idleAt !== undefined && now >= wait.idleAt ? { _tag: "idle" } : undefined
    }
    const at = wakeTime(wait)
    return at !== undefined && now >= at ? { _tag: "timeout" } : undefined
  }
  /** Brings a live without a fiber back to where it was: replays its step up to the op that waits. */
  const revive = (live: Live, turn: Turn): Effect.Effect<Settled> =>
    drive(live, turn, () => {
      if (live.wait?.kind === "resume") live.wait = undefined
      fork(live)
    })
  /** Runs what is due of the wait by `now`, under `turn`; `undefined` when nothing was. R24. */
  const runDue = (live: Live, turn: Turn, now: number): Effect.Effect<Settled | undefined> =>
    Effect.suspend(() => {
      const signal = live.wait === undefined ? undefined : signalAt(live.wait, now)
      if (signal === undefined) return Effect.undefined
      if (live.resume !== undefined) return drive(live, turn, () => live.resume?.(signal))
      return Effect.flatMap(revive(live, turn), (settled) =>
        settled._tag === "parked" && live.resume !== undefined
          ? Effect.map(runDue(live, turn, now), (later) => later ?? settled)
          : Effect.succeed(settled)
      )
    })
  const onTime = (live: Live, wait: Live["wait"]): void => {
    if (live.gone || live.wait !== wait) return
    underTurn(
      live,
      (turn) => {
        // Somebody else's turn may have answered, ended or moved it meanwhile.
        if (live.gone || live.wait !== wait) return Effect.void
        return Effect.flatMap(runDue(live, turn, port.timers.now()), (settled) =>
          settled === undefined
            ? Effect.sync(() => arm(live, live.program.options.persistent))
            : report(live, turn, settled)
        )
      },
      // A timer that wins no turn tries again (R24).
      () => {
        live.timer = port.timers.at(port.timers.now() + 1000, () => onTime(live, wait))
      }
    )
  }
  const report = (live: Live, turn: Turn, settled: Settled): Effect.Effect<void, SettleError> =>
    settled._tag === "failed"
      ? Effect.andThen(port.onError(live, settled.cause), settle(live, turn, settled))
      : settle(live, turn, settled)

  /** A parked persistent conversation gives its fiber up: its checkpoint is all that is left (dormant). */
  const dormant = (live: Live, wait: Live["wait"]): void => {
    if (live.gone || live.wait !== wait || live.resume === undefined || live.dirty) return
    interrupt(live, "stopping")
    drop(live)
  }

  // ------------------------------------------------------------ what the bot asks for

  const open = (live: Live): void => {
    lives.set(live.key, live)
    port.onStarted(live)
  }

  /** Starts a flow, for a message or a trigger. The caller holds the turn and has ended what was there before. */
  const start = (
    registered: Registered,
    key: string,
    id: string,
    origin: SavedMessage,
    state: State,
    turn: Turn
  ): Effect.Effect<{ readonly live: Live; readonly settled: Settled }> =>
    Effect.suspend(() => {
      const live = new Live(key, id, registered, origin, state, registered.program.entry)
      live.current = origin
      noteApplied(live, origin.id)
      open(live)
      return Effect.map(
        drive(live, turn, () => fork(live)),
        (settled) => ({ live, settled })
      )
    })

  /** Hands a message to the conversation of its key. The caller holds the turn. R16, R24. */
  const deliver = (live: Live, message: SavedMessage, arrivedAt: number, turn: Turn): Effect.Effect<Driven> =>
    Effect.suspend(() => {
      const { wait } = live
      if (wait?.kind === "ask" && signalAt(wait, arrivedAt)?._tag === "timeout") {
        return Effect.map(runDue(live, turn, arrivedAt), (settled) => ({
          settled: settled ?? parked,
          consumed: false
        }))
      }
      if (wait?.kind === "ask" && live.resume !== undefined) {
        return Effect.map(
          drive(live, turn, () => live.resume?.({ _tag: "message", message })),
          (settled): Driven => ({ settled, consumed: true })
        )
      }
      if (wait?.kind === "sleep" && port.timers.now() < wait.deadline) {
        if (live.pending.length >= port.limits.pending) return Effect.succeed({ settled: parked, consumed: "full" })
        live.pending.push(message)
        live.dirty = true
        return Effect.succeed({ settled: parked, consumed: true })
      }
      live.pending.push(message)
      live.dirty = true
      if (live.fiber !== undefined && live.resume === undefined)
        return Effect.succeed({ settled: parked, consumed: true })
      const woken =
        live.resume === undefined ? revive(live, turn) : drive(live, turn, () => live.resume?.({ _tag: "timeout" }))
      return Effect.map(woken, (settled): Driven => ({ settled, consumed: !live.pending.includes(message) }))
    })

  /** A dormant conversation comes back from its checkpoint; a text when its code has changed too much (C18). */
  const awaken = (key: string, checkpoint: Checkpoint): Result.Result<Live, string> => {
    const registered = port.registered(checkpoint.flow)
    if (registered === undefined) return Result.fail(`flow "${checkpoint.flow}" is not registered`)
    const decoded = decodeLive(key, checkpoint, registered)
    if (Result.isSuccess(decoded)) lives.set(key, decoded.success)
    return decoded
  }

  /** Ends the live conversation of a key, with its checkpoint. The caller holds the turn. */
  const abort = (
    live: Live,
    turn: Turn,
    reason: "aborted" | "replaced"
  ): Effect.Effect<void, StoreError | LeaseLostError> =>
    Effect.suspend(() => {
      if (turn.driven === live) {
        // It asks for its own end: the turn that drives it finishes it.
        interrupt(live, reason)
        return Effect.void
      }
      interrupt(live, reason)
      return finish(live, turn, reason)
    })

  /** Clears what is stored of a conversation that is not live here. */
  const clearStored = (
    key: string,
    checkpoint: Checkpoint,
    turn: Turn,
    outcome: ConversationOutcome
  ): Effect.Effect<boolean, StoreError | LeaseLostError> =>
    Effect.suspend((): Effect.Effect<boolean, StoreError | LeaseLostError> => {
      const lost = turn.lease.lost()
      if (lost !== undefined) return Effect.fail(lost)
      const tombstone = {
        id: checkpoint.id,
        revision: checkpoint.revision + 1,
        fence: Math.max(turn.lease.fence, checkpoint.fence),
        applied: checkpoint.applied
      }
      return Effect.map(port.store.clearCheckpointIf(port.scope, key, tombstone), (accepted) => {
        if (accepted) port.onDropped(key, checkpoint, outcome)
        return accepted
      })
    })

  /** A stored conversation that cannot go on: cleared, counted and said (C18, fallback `drop`). */
  const dropStored = (key: string, checkpoint: Checkpoint, turn: Turn, detail: string) =>
    Effect.andThen(
      Effect.logWarning(`a conversation of "${checkpoint.flow}" cannot go on: ${detail}`, { key }),
      Effect.asVoid(clearStored(key, checkpoint, turn, "changed"))
    )

  const info = (live: Live): ConversationInfo => ({
    key: live.key,
    flow: live.registered.id,
    id: live.id,
    step: live.stepId,
    state:
      live.wait === undefined
        ? "running"
        : live.wait.kind === "ask"
          ? "waiting"
          : live.wait.kind === "sleep"
            ? "sleeping"
            : live.wait.kind === "resume"
              ? "cut"
              : "handoff",
    queued: live.pending.length,
    accepts: live.wait?.kind === "ask" ? live.wait.op : undefined
  })

  /** Stops every fiber; what is stored stays, what is not is lost and said so. */
  const shutdown = Effect.sync(() => {
    for (const live of [...lives.values()]) {
      interrupt(live, "stopping")
      if (live.program.options.persistent && live.revision > 0) drop(live)
      else ended(live, "lost")
    }
  })

  return {
    lives,
    start,
    deliver,
    awaken,
    abort,
    clearStored,
    dropStored,
    settle,
    abandon,
    runDue,
    arm,
    onTime,
    info,
    shutdown,
    drop,
    ended
  }
}

export type Conversations = ReturnType<typeof makeConversations>

const parked: Settled = { _tag: "parked" }
const backoff = (cuts: number): number => Math.min(60_000, 1000 * 2 ** (cuts - 1))
