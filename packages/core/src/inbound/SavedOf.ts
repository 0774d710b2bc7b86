/** A message as the before hooks left it: what a conversation keeps of it (R22). */
import type { Chat } from "../chat/Chat.ts"
import type { SavedMessage } from "../model/Checkpoint.ts"
import { eventId } from "../model/Event.ts"

export const savedOf = (chat: Chat): SavedMessage => {
  const { event, media, payload } = chat
  return {
    id: eventId(event),
    from: event.from,
    sender: event.sender,
    isGroup: event.isGroup,
    type: chat.type,
    body: chat.body,
    lang: chat.lang,
    ...(payload === undefined ? {} : { payload }),
    ...(media === undefined ? {} : { media }),
    ...(event.topic === undefined ? {} : { topic: event.topic })
  }
}
