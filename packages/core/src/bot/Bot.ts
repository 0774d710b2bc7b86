/**
 * Bots: `Bot.make(id, handlers, options)` defines one, `Bot.layer(definition)` runs it.
 *
 * ```ts
 * const hello = Bot.make("hello", [Bot.when("hola", (chat) => chat.reply("👋 ¡Hola!"))])
 * const Main = Bot.layer(hello).pipe(Layer.provide(Telegram.layerPolling({ token })), Layer.provide(Local.layer))
 * ```
 */
export type { BotOptions } from "./Config.ts"
export type { BotShape, EngineError, EventsOf, FlowInfo, TriggerRequest } from "./BotShape.ts"
export { type AnyDefinition, BotDefinitionError, type Definition, make, onError, type Running } from "./Definition.ts"
export {
  action,
  type ActionChat,
  type AnyHandler,
  command,
  type ContactChat,
  conversation,
  type ConversationOptions,
  type FailedSend,
  flow,
  type Handler,
  type LocationChat,
  type MediaChat,
  onAudio,
  onCall,
  onContact,
  onDelete,
  onDocument,
  onIdle,
  onImage,
  onLocation,
  onMedia,
  onMessage,
  onPollVote,
  onReaction,
  onSticker,
  onType,
  onVideo,
  onWelcome,
  plugin,
  when
} from "./Handler.ts"
export { after, before, onFailure } from "./HookHandlers.ts"
export { layer, type Spi } from "./Layer.ts"
export { stopSend } from "../outbound/Send.ts"
