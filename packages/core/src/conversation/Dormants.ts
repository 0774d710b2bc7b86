/**
 * Wakes stored conversations whose time has come (C23): a wait's deadline, a sleep and an idle watcher survive a restart.
 * The store is asked every half minute for what is due by the next; what it names gets a place on the deadline wheel.
 *
 * DM1 bounded: at most `batch` keys a look, so a million dormant conversations cost no memory here (I23).
 * DM2 a wake acts with the key's turn, on the checkpoint read under it (I14, I17).
 * DM3 where replicas share the store, whoever has the conversation alive acts first: the others look again a little later,
 *     and take a turn only for what nobody woke (C10).
 */
import { Effect, Result } from "effect"
import { type Checkpoint, wakeTime } from "../model/Checkpoint.ts"
import type { Turn, TurnHolder } from "../outbound/Turn.ts"
import type { CoordinationUnavailableError, LeaseLostError } from "../spi/Errors.ts"
import type { StoreError } from "../spi/Store.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import { paused } from "./Pause.ts"
import type { Conversations } from "./Runtime.ts"
import type { Timer } from "./Timers.ts"

/** ms between two looks. */
export const lookEvery = 30_000
const batch = 1000
/** ms in which the replica that has it alive wakes it. */
const othersFirst = 2000

export const makeDormants = (
  port: ConversationPort,
  conversations: Conversations,
  options: {
    readonly running: () => boolean
    /** Reads the key under its turn: since when a person holds the chat (ms since the epoch), and what is stored. */
    readonly read: (
      turn: Turn,
      key: string
    ) => Effect.Effect<
      { readonly heldSince: number | undefined; readonly checkpoint: Checkpoint | undefined },
      StoreError | LeaseLostError | CoordinationUnavailableError
    >
    readonly forget: (key: string) => void
    /** Runs without being waited for. */
    readonly run: (effect: Effect.Effect<void>) => void
  }
) => {
  const armed = new Map<string, Timer>()

  const wake = (key: string): void => {
    armed.delete(key)
    if (!options.running() || conversations.lives.has(key)) return
    if (port.shared) options.run(unlessWoken(key))
    else take(key)
  }
  /** DM3. */
  const unlessWoken = (key: string): Effect.Effect<void> =>
    Effect.matchCause(port.store.getCheckpoint(port.scope, key), {
      onSuccess: ({ checkpoint }) => {
        const at = wakeTime(checkpoint?.wait)
        if (at !== undefined && at <= port.timers.now() && options.running()) take(key)
      },
      // The next look finds it again.
      onFailure: () => {}
    })
  const take = (key: string): void => {
    const holder: TurnHolder = { key, turn: undefined }
    port.turns.submit({
      holder,
      run: (turn) => Effect.catchCause(inTurn(key, turn), (cause) => Effect.logError(`waking ${key} failed`, cause)),
      cut: (turn) => {
        const live = conversations.lives.get(key)
        return live === undefined ? Effect.void : conversations.abandon(live, turn)
      },
      unavailable: (error) => Effect.logWarning(`no turn to wake ${key}`, error),
      over: () => {}
    })
  }

  const inTurn = Effect.fnUntraced(function* (key: string, turn: Turn) {
    if (conversations.lives.has(key)) return
    const { checkpoint, heldSince } = yield* options.read(turn, key)
    if (checkpoint === undefined) return
    options.forget(key)
    // Its time stands still while a person holds the chat; stored so, it is not due again before it is given back.
    if (heldSince !== undefined) {
      return yield* conversations.rewaitStored(key, checkpoint, turn, (wait) => paused(wait, heldSince))
    }
    const awake = conversations.awaken(key, checkpoint, turn)
    if (Result.isFailure(awake)) return yield* conversations.dropStored(key, checkpoint, turn, awake.failure)
    const live = awake.success
    const settled = yield* conversations.runDue(live, turn, port.timers.now())
    if (settled === undefined) return conversations.arm(live)
    yield* conversations.report(live, turn, settled)
  })

  const look = Effect.fnUntraced(function* () {
    const due = yield* port.store.due(port.scope, { before: port.timers.now() + lookEvery, limit: batch })
    for (const { key, wakeAt } of due) {
      if (armed.has(key) || conversations.lives.has(key)) continue
      armed.set(
        key,
        port.timers.at(port.shared ? wakeAt + othersFirst : wakeAt, () => wake(key))
      )
    }
  })

  const stop = Effect.sync(() => {
    for (const timer of armed.values()) timer.cancel()
    armed.clear()
  })
  /** Looks for ever; a store that fails is asked again next time. What it armed goes with it. */
  return Effect.ensuring(
    Effect.forever(
      Effect.andThen(
        Effect.catchCause(look(), (cause) => Effect.logWarning("could not look for due conversations", cause)),
        Effect.sleep(lookEvery)
      )
    ),
    stop
  )
}
