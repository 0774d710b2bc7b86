/** A bot as a provider sees it, for tests of providers. */
import { Effect } from "effect"
import type { InboundEvent } from "../model/Event.ts"
import { NotAcceptingError, type ProviderHost } from "../spi/Provider.ts"

/** A host that records what is received, and refuses it while told to. */
export interface RecordingHost extends ProviderHost {
  readonly events: Array<InboundEvent>
  /** The sizes of the batches that were offered, refused ones included. */
  readonly offers: Array<number>
  /** What the provider keeps; survives its restarts. */
  readonly rows: Map<string, string>
  /** The next `count` batches are not taken. */
  readonly refuse: (count: number) => void
  /** Waits for events, at most 5 s of real time. */
  readonly until: (what: string, predicate: (events: ReadonlyArray<InboundEvent>) => boolean) => Effect.Effect<void>
}

/** A host with nothing received and an empty state. */
export const recordingHost = (): RecordingHost => {
  const events: Array<InboundEvent> = []
  const offers: Array<number> = []
  const rows = new Map<string, string>()
  const watchers = new Set<() => void>()
  let refusing = 0
  const take = (batch: ReadonlyArray<InboundEvent>): Effect.Effect<void, NotAcceptingError> => {
    offers.push(batch.length)
    if (refusing > 0) {
      refusing--
      return Effect.fail(new NotAcceptingError({ reason: "overloaded", detail: "told to refuse" }))
    }
    events.push(...batch)
    for (const look of [...watchers]) look()
    return Effect.void
  }
  return {
    events,
    offers,
    rows,
    receive: (batch) => Effect.suspend(() => take(batch)),
    state: {
      get: (key) => Effect.sync(() => rows.get(key)),
      set: (key, value) => Effect.sync(() => void rows.set(key, value))
    },
    refuse: (count) => {
      refusing = count
    },
    until: (what, predicate) =>
      Effect.callback<void>((resume) => {
        const look = () => {
          if (!predicate(events)) return
          watchers.delete(look)
          resume(Effect.void)
        }
        watchers.add(look)
        look()
        return Effect.sync(() => watchers.delete(look))
      }).pipe(
        Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.die(new Error(`never came: ${what}`)) })
      )
  }
}
