/** Second phase, after access and dedupe: journal → persist → group mode; then the message waits for its turn (A5 to A8). */
import { Effect } from "effect"
import { bodyType, eventId } from "../../model/Event.ts"
import type { DurabilityError } from "../../spi/Durability.ts"
import { NotAcceptingError } from "../../spi/Provider.ts"
import type { StoreError } from "../../spi/Store.ts"
import type { Place } from "../3-turn/ChatQueue.ts"
import type { InboundPort } from "../InboundPort.ts"
import type { Passage } from "../Passage.ts"
import { hears } from "./GroupMode.ts"

export const makeAdmit = (port: InboundPort) => {
  const journal = (passage: Passage): Effect.Effect<boolean, DurabilityError> =>
    port.durability.durable
      ? Effect.map(port.durability.record(passage.key, passage.event), (recorded) => {
          passage.record = recorded.id
          return recorded._tag === "recorded"
        })
      : Effect.succeed(true)

  const persist = (passage: Passage): Effect.Effect<void, StoreError> => {
    const { event } = passage
    return Effect.map(
      port.store.admit(
        port.scope,
        event.chatName === undefined
          ? { id: event.from, isGroup: event.isGroup }
          : { id: event.from, isGroup: event.isGroup, name: event.chatName },
        event.senderName === undefined ? { id: event.sender } : { id: event.sender, name: event.senderName },
        {
          id: eventId(event),
          chatId: event.from,
          sender: event.sender,
          direction: "in",
          type: bodyType(event),
          body: event.body,
          at: passage.arrivedAt
        }
      ),
      ({ firstContact }) => {
        passage.firstContact = firstContact
      }
    )
  }

  /** Not interruptible: a client that hangs up must not leave a claim behind (ME1). */
  return (passage: Passage, place: Place, start: () => void): Effect.Effect<void, NotAcceptingError> =>
    Effect.uninterruptible(
      Effect.matchCauseEffect(
        Effect.flatMap(journal(passage), (fresh) =>
          fresh ? Effect.as(persist(passage), true) : Effect.succeed(false)
        ),
        {
          onSuccess: (fresh) => {
            port.dedupe?.confirm(passage.dedupeKey)
            const refused = !fresh ? "duplicate" : hears(port.groupMode, passage.event) ? undefined : "group-mode"
            if (refused === undefined) place.ready(start)
            else {
              place.void()
              port.dropped(passage.event, refused)
            }
            return Effect.void
          },
          onFailure: (cause) => {
            port.dedupe?.release(passage.dedupeKey)
            place.void()
            port.dropped(passage.event, "store-failed")
            return Effect.andThen(
              port.failed({ cause, where: "admitting a message", chat: undefined }),
              Effect.fail(new NotAcceptingError({ reason: "store", detail: "the message could not be stored" }))
            )
          }
        }
      )
    )
}
