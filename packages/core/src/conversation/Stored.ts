/** Conversations that are only in the store: brought back, moved in time, or cleared (A14, B14, C18). */
import { Effect, Result } from "effect"
import type { ConversationOutcome } from "../events/BotEvent.ts"
import type { Checkpoint, Wait } from "../model/Checkpoint.ts"
import type { Turn } from "../outbound/Turn.ts"
import type { LeaseLostError } from "../spi/Errors.ts"
import type { StoreError } from "../spi/Store.ts"
import { decodeLive } from "./Checkpoints.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import type { Live } from "./Live.ts"
import type { Lives } from "./Lives.ts"
import { resumed } from "./Pause.ts"

type Failure = StoreError | LeaseLostError

/** Why a stored conversation cannot go on (C18). */
export interface Stuck {
  readonly reason: "changed" | "state" | "log" | "expired"
  readonly detail: string
}

export const makeStored = (port: ConversationPort, lives: Lives) => {
  const guarded = <A>(turn: Turn, write: () => Effect.Effect<A, Failure>): Effect.Effect<A, Failure> =>
    Effect.suspend(() => {
      const lost = turn.lease.lost()
      return lost === undefined ? write() : Effect.fail(lost)
    })
  /** A write that failed or was cut may still land. */
  const noted = <A>(key: string, write: Effect.Effect<A, Failure>): Effect.Effect<A, Failure> =>
    Effect.onExit(write, (exit) => (exit._tag === "Failure" ? Effect.sync(() => port.onUnanswered(key)) : Effect.void))
  const fenceOf = (turn: Turn, checkpoint: Checkpoint): number => Math.max(turn.lease.fence, checkpoint.fence)

  /**
   * A dormant conversation comes back from its checkpoint, or cannot: its code has changed too much (C18). The caller
   * knows that no person holds the chat: a wait that rests since one did goes on from here.
   */
  const awaken = (key: string, checkpoint: Checkpoint, turn: Turn): Result.Result<Live, Stuck> => {
    const decoded = decode(key, checkpoint)
    if (Result.isFailure(decoded)) return decoded
    const live = decoded.success
    if (live.wait?.kind === "handoff") {
      live.wait = resumed(live.wait, port.timers.now())
      live.dirty = true
    }
    lives.all.set(key, live)
    port.onAwake(live, turn)
    return decoded
  }
  const decode = (key: string, checkpoint: Checkpoint): Result.Result<Live, Stuck> => {
    const { expires, flow, stuck } = checkpoint
    if (stuck !== undefined) {
      const detail = stuck === "log" ? "its log was over its limit" : "its state is not plain JSON"
      return Result.fail({ reason: stuck, detail })
    }
    // I16, of one that was read a while ago.
    if (expires !== undefined && expires <= port.timers.now()) {
      return Result.fail({ reason: "expired", detail: "its time is over" })
    }
    const registered = port.registered(flow)
    if (registered === undefined) return Result.fail({ reason: "changed", detail: `flow "${flow}" is not registered` })
    return Result.mapError(decodeLive(key, checkpoint, registered), (detail): Stuck => ({ reason: "changed", detail }))
  }

  /** Clears what is stored of a conversation that is not live here. The caller holds the turn. */
  const clear = (
    key: string,
    checkpoint: Checkpoint,
    turn: Turn,
    outcome: ConversationOutcome
  ): Effect.Effect<boolean, Failure> =>
    guarded(turn, () => {
      const tombstone = {
        id: checkpoint.id,
        revision: checkpoint.revision + 1,
        fence: fenceOf(turn, checkpoint),
        applied: checkpoint.applied
      }
      return Effect.map(noted(key, port.store.clearCheckpointIf(port.scope, key, tombstone)), (accepted) => {
        if (accepted) port.onDropped(key, checkpoint, outcome)
        return accepted
      })
    })

  /** One that cannot go on: cleared, counted and said (C18, fallback `drop`). The caller holds the turn. */
  const drop = (
    key: string,
    checkpoint: Checkpoint,
    turn: Turn,
    { detail, reason }: Stuck
  ): Effect.Effect<void, Failure> =>
    Effect.andThen(
      Effect.logWarning(`a conversation of "${checkpoint.flow}" cannot go on: ${detail}`, { key }),
      Effect.map(over(key, checkpoint, turn, reason), (accepted) => {
        if (accepted && checkpoint.pending.length > 0) port.onKept(key, checkpoint.pending)
      })
    )

  const over = (key: string, checkpoint: Checkpoint, turn: Turn, reason: Stuck["reason"]) => {
    if (reason !== "expired") return clear(key, checkpoint, turn, reason === "changed" ? "changed" : "lost")
    // The store has let it go already.
    return Effect.sync(() => {
      port.onDropped(key, checkpoint, "lost")
      return true
    })
  }

  /** Moves its wait in time without waking it. The caller holds the turn. */
  const rewait = (
    key: string,
    checkpoint: Checkpoint,
    turn: Turn,
    change: (wait: Wait) => Wait
  ): Effect.Effect<void, Failure> =>
    guarded(turn, () => {
      const { wait } = checkpoint
      if (wait === undefined) return Effect.void
      const next = change(wait)
      if (next === wait) return Effect.void
      const revision = checkpoint.revision + 1
      // Refused: somebody else has moved it on meanwhile, and the wait that stands is theirs.
      const moved = { ...checkpoint, wait: next, revision, fence: fenceOf(turn, checkpoint) }
      return Effect.asVoid(noted(key, port.store.setCheckpointIf(port.scope, key, moved)))
    })

  return { awaken, clear, drop, rewait }
}
