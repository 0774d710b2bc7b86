/** The chat objects of a bot, and what their methods do. */
import { Chat, type ChatPort } from "../chat/Chat.ts"
import { UserProfile } from "../chat/UserProfile.ts"
import { translate } from "../i18n/Catalogue.ts"
import type { SavedMessage } from "../model/Checkpoint.ts"
import type { InboundMessage } from "../model/Event.ts"
import type { Outbound } from "../outbound/Send.ts"
import type { TurnHolder } from "../outbound/Turn.ts"
import type { makeTrigger } from "../inbound/Trigger.ts"
import type { makeHandoffs } from "./Handoffs.ts"
import type { Parts } from "./Parts.ts"

/** A saved message as an event again, for code that runs without a message of its own: timers and triggers. */
const eventOf = (message: SavedMessage): InboundMessage => ({
  _tag: "message",
  ref: { id: message.id, chatId: message.from },
  from: message.from,
  sender: message.sender,
  isGroup: message.isGroup,
  type: message.media?.kind ?? "text",
  body: message.body,
  ...(message.media === undefined ? {} : { media: message.media }),
  ...(message.topic === undefined ? {} : { topic: message.topic })
})

/** The chat a conversation's code sees: its acts go through the conversation's own turn. */
export const makeChatOf =
  (parts: Parts, chatPort: () => ChatPort) =>
  (holder: TurnHolder, message: SavedMessage): Chat => {
    const event = eventOf(message)
    const { payload } = message
    const user = parts.views.peek(holder.key)?.user ?? new UserProfile(parts.store, parts.scope, message.sender, {})
    return new Chat(
      chatPort(),
      holder,
      payload === undefined ? event : { ...event, _tag: "interaction", interactionId: message.id, payload },
      user,
      message.body,
      payload === undefined ? event.type : "interaction",
      message.lang ?? parts.settings.lang,
      "stored",
      undefined,
      []
    )
  }

export const makeChatPort = (
  parts: Parts,
  outbound: Outbound,
  engine: {
    readonly abort: ChatPort["abort"]
    readonly trigger: ReturnType<typeof makeTrigger>
    readonly handOff: ReturnType<typeof makeHandoffs>["start"]
    readonly handBack: ReturnType<typeof makeHandoffs>["end"]
  }
): ChatPort => ({
  send: outbound.send,
  typing: (chatId, topic) =>
    outbound.presence(chatId, topic === undefined ? { _tag: "typing" } : { _tag: "typing", topic }),
  markRead: (ref) => outbound.presence(ref.chatId, { _tag: "read", ref }),
  download: parts.provider.download,
  abort: engine.abort,
  trigger: (chat, flow, options) =>
    engine.trigger(flow, {
      chatId: chat.from,
      userId: chat.sender,
      isGroup: chat.isGroup,
      lang: chat.lang,
      body: chat.body,
      ...options,
      ...(chat.event.topic === undefined ? {} : { topic: chat.event.topic })
    }),
  handOff: (chat, note) => engine.handOff(chat.from, note === undefined ? {} : { note }),
  handBack: (chat) => engine.handBack(chat.from),
  translate: (lang, key, params) => translate(parts.catalogue, lang, key, params)
})
