/**
 * Wakes stored conversations whose time has come (C23): a wait's deadline, a sleep and an idle watcher survive a restart.
 * The store is asked every half minute for what is due by the next; what it names gets a place on the deadline wheel.
 *
 * DM1 bounded: at most `batch` keys a look, so a million dormant conversations cost no memory here (I23).
 * DM2 a wake acts with the key's turn, on the checkpoint read under it (I14, I17).
 */
import { Effect, Result } from "effect"
import type { Checkpoint } from "../model/Checkpoint.ts"
import type { Turn, TurnHolder } from "../outbound/Turn.ts"
import type { StoreError } from "../spi/Store.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import type { Conversations } from "./Runtime.ts"
import type { Timer } from "./Timers.ts"

/** ms between two looks. */
export const lookEvery = 30_000
const batch = 1000

export const makeDormants = (
  port: ConversationPort,
  conversations: Conversations,
  options: {
    readonly running: () => boolean
    /** Reads the key under its turn: whether a person holds the chat, and what is stored. */
    readonly read: (
      turn: Turn,
      key: string
    ) => Effect.Effect<{ readonly handedOff: boolean; readonly checkpoint: Checkpoint | undefined }, StoreError>
    readonly forget: (key: string) => void
  }
) => {
  const armed = new Map<string, Timer>()

  const wake = (key: string): void => {
    armed.delete(key)
    if (!options.running() || conversations.lives.has(key)) return
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
    const { checkpoint, handedOff } = yield* options.read(turn, key)
    if (checkpoint === undefined || handedOff) return
    options.forget(key)
    const awake = conversations.awaken(key, checkpoint)
    if (Result.isFailure(awake)) return yield* conversations.dropStored(key, checkpoint, turn, awake.failure)
    const live = awake.success
    const settled = yield* conversations.runDue(live, turn, port.timers.now())
    if (settled === undefined) return conversations.arm(live, live.program.options.persistent)
    if (settled._tag === "failed") yield* port.onError(live, settled.cause)
    yield* conversations.settle(live, turn, settled)
  })

  const look = Effect.fnUntraced(function* () {
    const due = yield* port.store.due(port.scope, { before: port.timers.now() + lookEvery, limit: batch })
    for (const { key, wakeAt } of due) {
      if (armed.has(key) || conversations.lives.has(key)) continue
      armed.set(
        key,
        port.timers.at(wakeAt, () => wake(key))
      )
    }
  })

  /** Looks for ever; a store that fails is asked again next time. */
  return Effect.forever(
    Effect.andThen(
      Effect.catchCause(look(), (cause) => Effect.logWarning("could not look for due conversations", cause)),
      Effect.sleep(lookEvery)
    )
  )
}
