/**
 * Writes a conversation's checkpoint (turns.md R1, R2, R6).
 *
 * K1 nothing is written under a turn that is lost, or by a conversation that is gone (C21).
 * K2 a refused or failed write ends the live copy: what stands in the store is the truth (R6).
 * K3 the revision moves only when the store accepted the write.
 */
import { Effect, Predicate, Result } from "effect"
import { type Checkpoint, type Op, type SavedMessage, wakeTime } from "../model/Checkpoint.ts"
import { findNotJson } from "../model/PlainJson.ts"
import type { Turn } from "../outbound/Turn.ts"
import { LeaseLostError } from "../spi/Errors.ts"
import type { StoreError } from "../spi/Store.ts"
import { NotStorable } from "./Conversation.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import { Live, type Registered } from "./Live.ts"
import { END, type Program } from "./Program.ts"
import { textOf } from "./RecordedFailure.ts"
import { decodeFields, encodeFields } from "./StateCopy.ts"
import type { State } from "./Step.ts"

const appliedKept = 16

interface Position {
  readonly fence: number
  readonly revision: number
  /** ms since the epoch; an ephemeral checkpoint's end. */
  readonly expires: number | undefined
  /** Larger answers are left out. */
  readonly maxAnswerBytes: number
}

export const encodeLive = (live: Live, position: Position): Result.Result<Checkpoint, NotStorable> => {
  if (position.expires !== undefined && live.forgetful) return Result.succeed(marked(live, position, "log"))
  const state = encodeFields(live.program, live.state)
  if (Result.isSuccess(state)) {
    return Result.succeed({
      ...headOf(live, position),
      visit: live.visit,
      stepId: live.stepId,
      state: state.success,
      ops: embedded(live.log.ops, position.maxAnswerBytes),
      pending: live.pending,
      trail: live.trail,
      cuts: live.cuts,
      ...(live.wait === undefined ? {} : { wait: live.wait })
    })
  }
  if (position.expires !== undefined) return Result.succeed(marked(live, position, "state"))
  return Result.fail(new NotStorable({ what: `state.${state.failure.field}`, detail: state.failure.message }))
}
const headOf = (live: Live, { expires, fence, revision }: Position) => ({
  format: 1 as const,
  id: live.id,
  flow: live.registered.id,
  version: live.program.version,
  origin: live.origin,
  applied: live.applied,
  revision,
  fence,
  ...(expires === undefined ? {} : { expires }),
  ...(live.initial === undefined ? {} : { initial: live.initial })
})
/** Says that it is here and cannot move: whoever takes its chat falls back (C18). */
const marked = (live: Live, position: Position, stuck: NonNullable<Checkpoint["stuck"]>): Checkpoint => ({
  ...headOf(live, position),
  visit: live.visit,
  stepId: live.stepId,
  state: {},
  ops: [],
  pending: [],
  trail: [],
  cuts: 0,
  stuck
})

const bytesOf = (answer: SavedMessage): number => new TextEncoder().encode(JSON.stringify(answer)).length
/** Most answers are short texts: they are not measured. */
const isLarge = (answer: SavedMessage, max: number): boolean =>
  (answer.media !== undefined || answer.body.length * 6 + 2048 > max) && bytesOf(answer) > max
/** An answer too large to be stored is asked again, with all that came after it in its step (C19). */
const embedded = (ops: ReadonlyArray<Op>, max: number): ReadonlyArray<Op> => {
  const at = ops.findIndex(({ answer }) => answer !== undefined && isLarge(answer, max))
  const large = ops[at]
  if (large === undefined) return ops
  const { kind, name } = large
  return [...ops.slice(0, at), { kind, name, done: false }]
}

/** How long an ephemeral checkpoint outlives the deadline of its wait, ms: another replica may need it to act (C23). */
const pastDeadline = 60_000

/**
 * Brings a checkpoint back to life, without a fiber yet. A step that is gone, under another version, or a state that
 * cannot be read means changed code (C18).
 */
export const decodeLive = (
  key: string,
  checkpoint: Checkpoint,
  registered: Registered
): Result.Result<Live, string> => {
  const { program } = registered
  // I16: what was kept for a while only never goes on in other code.
  if (checkpoint.expires !== undefined && checkpoint.version !== program.version) {
    return Result.fail(`"${checkpoint.flow}" is another version`)
  }
  const at = checkpoint.stepId === "" ? END : program.position.get(checkpoint.stepId)
  if (at === undefined) return Result.fail(`step "${checkpoint.stepId}" no longer exists`)
  const stored = migrated(program, checkpoint)
  if (Result.isFailure(stored)) return Result.fail(stored.failure)
  const state = decodeFields(program, stored.success)
  if (Result.isFailure(state)) return Result.fail(`state.${state.failure.field}: ${state.failure.message}`)
  return Result.succeed(new Live(key, checkpoint.id, registered, checkpoint.origin, state.success, at, checkpoint))
}

/** The stored state as the program's own `migrate` maps it; one that throws or gives no state is changed code (C18). */
const migrated = (program: Program, checkpoint: Checkpoint): Result.Result<State, string> => {
  const { migrate } = program.options
  const { state, stepId, version } = checkpoint
  if (migrate === undefined || version === program.version) return Result.succeed(state)
  const mapped = Result.try({
    try: (): unknown => migrate({ version, stepId, state }),
    catch: (error) => `its migrate throws: ${textOf(error)}`
  })
  if (Result.isFailure(mapped)) return Result.fail(mapped.failure)
  const found = mapped.success
  if (!Predicate.isObject(found) || Array.isArray(found)) return Result.fail("its migrate gives no state")
  const wrong = findNotJson(found)
  return wrong === undefined
    ? Result.succeed(Object.fromEntries(Object.entries(found)))
    : Result.fail(`its migrate gives what cannot be stored: ${wrong.path} is ${wrong.reason}`)
}

export const noteApplied = (live: Live, messageId: string): void => {
  if (messageId === "" || live.applied.includes(messageId)) return
  // One of its own size: what is pushed to an empty list makes room for seventeen.
  if (live.applied.length === 0) live.applied = [messageId]
  else live.applied.push(messageId)
  if (live.applied.length > appliedKept) live.applied.shift()
}

export const makeCheckpoints = (port: ConversationPort) => {
  const refused = (live: Live, turn: Turn) => {
    turn.revoke("superseded")
    port.onRefusedCheckpoint(live, turn)
    return Effect.fail(new LeaseLostError({ key: live.key, reason: "superseded" }))
  }

  /** Stores where the conversation stands. K1 to K3. */
  const expiryOf = (live: Live, now: number): number | undefined => {
    if (live.program.options.persistent) return undefined
    const deadline = wakeTime(live.wait)
    return Math.max(now + port.handover.ttl, deadline === undefined ? 0 : deadline + pastDeadline)
  }
  const hasExpired = (live: Live): boolean => live.expires !== undefined && live.expires <= port.timers.now()

  const save = (live: Live, turn: Turn): Effect.Effect<void, StoreError | LeaseLostError | NotStorable> =>
    Effect.suspend((): Effect.Effect<void, StoreError | LeaseLostError | NotStorable> => {
      const lost = turn.lease.lost()
      if (lost !== undefined) return Effect.fail(lost)
      if (live.gone) return Effect.fail(new LeaseLostError({ key: live.key, reason: "revoked" }))
      const expires = expiryOf(live, port.timers.now())
      const written = encodeLive(live, {
        fence: turn.lease.fence,
        // What stood has expired under it: it begins anew.
        revision: hasExpired(live) ? 1 : live.revision + 1,
        expires,
        maxAnswerBytes: port.handover.maxAnswerBytes
      })
      if (Result.isFailure(written)) return Effect.fail(written.failure)
      // What changes while the write is on its way (a program that leaves its wait) is not in it.
      live.dirty = false
      return Effect.flatMap(port.store.setCheckpointIf(port.scope, live.key, written.success), (accepted) => {
        if (!accepted) return refused(live, turn)
        live.revision = written.success.revision
        live.expires = expires
        return Effect.void
      })
    })

  /** Removes what is stored, leaving the tombstone. A conversation that stored nothing has nothing to clear. */
  const clear = (live: Live, turn: Turn): Effect.Effect<void, StoreError | LeaseLostError> =>
    Effect.suspend(() => {
      if (live.revision === 0 || hasExpired(live)) return Effect.void
      const lost = turn.lease.lost()
      if (lost !== undefined) return Effect.fail(lost)
      const revision = live.revision + 1
      const { applied, id, key } = live
      return Effect.flatMap(
        port.store.clearCheckpointIf(port.scope, key, { id, revision, fence: turn.lease.fence, applied }),
        (accepted) => {
          if (!accepted) return refused(live, turn)
          live.revision = revision
          return Effect.void
        }
      )
    })
  return { save, clear }
}
export type Checkpoints = ReturnType<typeof makeCheckpoints>
