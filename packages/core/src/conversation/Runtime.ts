/**
 * The live conversations of a bot: starts them, wakes them, parks them, ends them.
 *
 * R-1 a key has at most one live conversation, and it is driven by the holder of the key's turn only (I1, C10).
 * R-2 a live copy is used only while its last checkpoint was accepted; a failed or refused write drops it (R6).
 * R-3 timers act with the turn and only on the very wait they were set for (I17); none outlives its conversation.
 * R-4 a conversation ends once, with one event and one counter (I24).
 */
import { type Context, Effect, Result } from "effect"
import type { SavedMessage } from "../model/Checkpoint.ts"
import type { Turn } from "../outbound/Turn.ts"
import type { LeaseLostError } from "../spi/Errors.ts"
import type { StoreError } from "../spi/Store.ts"
import { makeCheckpoints, noteApplied } from "./Checkpoints.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import { makeDrive } from "./Drive.ts"
import { makeDue, signalAt } from "./Due.ts"
import { Live, type Registered, type Settled } from "./Live.ts"
import { Lives } from "./Lives.ts"
import { resumed } from "./Pause.ts"
import { makeRest, type Timed } from "./Rest.ts"
import type { State } from "./Step.ts"
import { encodeFields } from "./StateCopy.ts"
import { makeStored } from "./Stored.ts"

export type { SettleError } from "./Rest.ts"

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
  const lives = new Lives(port)
  const checkpoints = makeCheckpoints(port)
  const rest = makeRest(port, lives, checkpoints, (): Timed => due)
  const driving = makeDrive(port, context, lives, checkpoints, rest)
  const due = makeDue(port, lives, rest, driving)
  const stored = makeStored(port, lives)
  const { drive, fork, revive, underTurn } = driving

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
      if (port.handover.forward) live.initial = initialOf(registered, state)
      noteApplied(live, origin.id)
      lives.all.set(key, live)
      port.onStarted(live)
      return Effect.map(drive(live, turn, fork), (settled) => ({ live, settled }))
    })

  /** It sleeps, was cut and waits to go on, or its program runs outside any turn: a message is kept for later (R16). */
  const isAsleep = (live: Live): boolean => {
    const { wait } = live
    if (wait === undefined) return live.fiber !== undefined && live.parked === undefined
    return wait.kind !== "ask" && signalAt(wait, port.timers.now()) === undefined
  }

  /** Hands a message to the conversation of its key. The caller holds the turn. R16, R24. */
  const deliver = (live: Live, message: SavedMessage, arrivedAt: number, turn: Turn): Effect.Effect<Driven> =>
    Effect.suspend(() => {
      // Given back where nobody told this copy of it: on another replica, or before a restart.
      if (live.wait?.kind === "handoff") live.wait = resumed(live.wait, port.timers.now())
      const { wait } = live
      if (wait?.kind === "ask" && signalAt(wait, arrivedAt)?._tag === "timeout") {
        return Effect.map(
          due.runDue(live, turn, arrivedAt),
          (settled): Driven => ({
            settled: settled ?? parked,
            consumed: false
          })
        )
      }
      if (wait?.kind === "ask" && live.isParked) {
        return Effect.map(
          drive(live, turn, () => live.wake({ _tag: "message", message }, fork)),
          (settled): Driven => ({ settled, consumed: true })
        )
      }
      const full = live.pending.length >= port.limits.pending
      const asleep = isAsleep(live)
      if (full && asleep) {
        // A copy that was only now brought back wakes by itself too.
        if (live.timer === undefined) rest.arm(live)
        return Effect.succeed({ settled: parked, consumed: "full" })
      }
      if (!full) {
        live.pending = [...live.pending, message]
        live.dirty = true
      }
      if (asleep) return Effect.succeed({ settled: parked, consumed: true })
      const woken = live.isParked ? drive(live, turn, () => live.wake({ _tag: "timeout" }, fork)) : revive(live, turn)
      return Effect.map(woken, (settled): Driven => {
        // What was kept goes first; then there is room, or nothing left to keep it.
        if (full) return { settled, consumed: false }
        if (!isOver(settled) || !live.pending.includes(message)) return { settled, consumed: true }
        // There will be no question for it any more: it goes on in this turn.
        live.pending = live.pending.filter((kept) => kept !== message)
        return { settled, consumed: false }
      })
    })

  /** Ends the live conversation of a key, with its checkpoint. The caller holds the turn. */
  const abort = (
    live: Live,
    turn: Turn,
    reason: "aborted" | "replaced"
  ): Effect.Effect<void, StoreError | LeaseLostError> =>
    Effect.suspend(() => {
      const ownEnd = turn.driven === live
      lives.interrupt(live, reason)
      // It asks for its own end: the turn that drives it finishes it.
      return ownEnd ? Effect.void : rest.finish(live, turn, reason)
    })

  /** Stores and arms the wait of a parked live anew, under a turn of its own: somebody has moved it in time. */
  const rewait = (live: Live): void => {
    live.dirty = true
    rest.arm(live)
    underTurn(live, (turn) => (live.gone || live.wait === undefined ? Effect.void : rest.rest(live, turn)))
  }

  /** Another replica has held the key since: what it stored is the truth, not the copy here (R6). */
  const distrust = (key: string): void => {
    const live = lives.all.get(key)
    if (live !== undefined && live.driver === undefined) lives.leave(live)
  }

  /** Stops every fiber; what is stored stays, what is not is lost and said so. */
  const shutdown = Effect.sync(() => {
    for (const live of [...lives.all.values()]) {
      if (live.isKept && live.revision > 0) lives.drop(live)
      else lives.ended(live, "lost")
      lives.interrupt(live, "stopping")
    }
  })

  return {
    lives: lives.all,
    start,
    deliver,
    awaken: stored.awaken,
    revive,
    abort,
    clearStored: stored.clear,
    dropStored: stored.drop,
    rewaitStored: stored.rewait,
    rewait,
    distrust,
    settle: rest.settle,
    abandon: rest.abandon,
    willRetry: rest.willRetry,
    runDue: due.runDue,
    report: rest.report,
    arm: rest.arm,
    info,
    shutdown
  }
}

/** As a restart needs it; one that is no JSON cannot be begun with again. */
const initialOf = ({ program }: Registered, state: State): Live["initial"] => {
  if (Object.keys(state).length === 0) return undefined
  return Result.getOrUndefined(encodeFields(program, state))
}

export type Conversations = ReturnType<typeof makeConversations>

const parked: Settled = { _tag: "parked" }
const isOver = (settled: Settled): boolean => settled._tag === "ended" || settled._tag === "failed"

const states = { ask: "waiting", sleep: "sleeping", resume: "cut", handoff: "handoff" } as const
const info = (live: Live): ConversationInfo => ({
  key: live.key,
  flow: live.registered.id,
  id: live.id,
  step: live.stepId,
  state: live.wait === undefined ? "running" : states[live.wait.kind],
  queued: live.pending.length,
  accepts: live.wait?.kind === "ask" ? live.wait.op : undefined
})
