/** Second phase, after access and dedupe: journal → persist → group mode; then the message waits for its turn (A5 to A8). */
import { Cause, Effect } from "effect"
import { isOver, whenDone } from "../../model/Direct.ts"
import { bodyType, eventId } from "../../model/Event.ts"
import { dedupeKey } from "../../model/StoredEvent.ts"
import type { DurabilityError } from "../../spi/Durability.ts"
import { NotAcceptingError } from "../../spi/Provider.ts"
import type { StoreError } from "../../spi/Store.ts"
import type { InboundPort, Place } from "../InboundPort.ts"
import { drop, type Passage } from "../Passage.ts"

/** Frees what a message claimed and says why it was dropped. */
type GiveBack = (passage: Passage, reason: "not-running" | "store-failed") => Effect.Effect<void>

interface Stored {
  readonly firstContact: boolean
}

export const makeAdmit = (port: InboundPort, giveBack: GiveBack) => {
  const persist = (passage: Passage): Effect.Effect<Stored, StoreError> => {
    const { event, key } = passage
    // The store keeps the very texts it knows already: the message's own go with the message.
    const from = event.from === key ? key : event.from
    const sender = event.sender === key ? key : event.sender
    return port.store.admit(
      port.scope,
      event.chatName === undefined
        ? { id: from, isGroup: event.isGroup }
        : { id: from, isGroup: event.isGroup, name: event.chatName },
      event.senderName === undefined ? { id: sender } : { id: sender, name: event.senderName },
      {
        id: eventId(event),
        chatId: from,
        sender,
        direction: "in",
        type: bodyType(event),
        body: event.body,
        at: passage.arrivedAt
      }
    )
  }
  /** Not interruptible: a record that was written is known, to be released. */
  const recorded = (passage: Passage): Effect.Effect<boolean, DurabilityError> =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const { event, key } = passage
        return Effect.map(
          port.durability.inbox.record(port.scope, key, { event, dedupe: dedupeKey(event) }),
          ({ _tag, id }) => {
            passage.record = id
            return _tag === "recorded"
          }
        )
      })
    )
  /** Journal, then persist; `undefined` when the journal knows the message already. */
  const stored = (passage: Passage): Effect.Effect<Stored | undefined, StoreError | DurabilityError> =>
    port.durability.durable
      ? Effect.flatMap(recorded(passage), (isNew) => (isNew ? persist(passage) : Effect.undefined))
      : persist(passage)

  const admitted = (passage: Passage, place: Place, start: () => void, fresh: boolean) => {
    // Stopped meanwhile, and nothing keeps it: the transport is told, and delivers it again (A4).
    if (fresh && passage.record === "" && port.lifecycle.state !== "running") {
      return refused(passage, place, "not-running", `the bot is ${port.lifecycle.state}`)
    }
    port.dedupe?.confirm(passage.mark)
    const reason = !fresh ? "duplicate" : port.hears(passage.event) ? undefined : "group-mode"
    if (reason === undefined) place.ready(start)
    else {
      place.void()
      drop(port, passage, reason)
    }
    return Effect.void
  }
  const refused = (passage: Passage, place: Place, reason: "not-running" | "store-failed", detail: string) => {
    place.void()
    const answer = reason === "not-running" ? reason : "store"
    return Effect.andThen(
      giveBack(passage, reason),
      Effect.suspend(() => Effect.fail(new NotAcceptingError({ reason: answer, detail })))
    )
  }

  /** Its record was written after nobody waited for it any more: it goes back to the inbox. */
  const recordedLate = (passage: Passage): void => {
    if (passage.record !== "" && passage.fate === "dropped") port.run(giveBack(passage, "store-failed"))
  }

  /** Not interruptible: a client that hangs up must not leave a claim behind (ME1). To be called by a running effect. */
  return (passage: Passage, place: Place, start: () => void): Effect.Effect<void, NotAcceptingError> => {
    const admission = port.admissions.bounded(stored(passage), () => recordedLate(passage))
    const outcome = whenDone(admission, {
      onSuccess: (row): Effect.Effect<void, NotAcceptingError> => {
        passage.firstContact = row?.firstContact === true
        return admitted(passage, place, start, row !== undefined)
      },
      onFailure: (cause) => {
        const error = Cause.findErrorOption(cause)
        if (error._tag === "Some" && error.value instanceof NotAcceptingError) {
          return refused(passage, place, "not-running", error.value.detail)
        }
        return Effect.andThen(
          port.failed({ cause, where: "admitting a message", chat: undefined, engine: true }),
          refused(passage, place, "store-failed", "the message could not be stored")
        )
      }
    })
    return isOver(outcome) ? outcome : Effect.uninterruptible(outcome)
  }
}
