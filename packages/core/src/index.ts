/** botmesh: chat bots on Effect. Applications import from here; authors of adapters from `@botmesh/core/spi`. */
export * as Bot from "./bot/Bot.ts"
export type { EngineError, EventsOf, Spi } from "./bot/Bot.ts"
export { HandledError, HandlerDiedError } from "./bot/Failures.ts"
export * as Logging from "./bot/Logging.ts"
export * as Plugin from "./bot/Plugin.ts"
export { Chat, type Reply, type TriggerOptions, type TriggerResult } from "./chat/Chat.ts"
export type { HandoverFallback, HandoverInfo } from "./chat/Handover.ts"
export { FlowInputError } from "./chat/FlowInputError.ts"
export { UnknownFlowError } from "./chat/UnknownFlowError.ts"
export { UserProfile } from "./chat/UserProfile.ts"
export {
  type Conv,
  GaveUp,
  LogFull,
  NotStorable,
  type OpFailure,
  OpInProgress,
  QuestionTimedOut
} from "./conversation/Conversation.ts"
export { readNumber } from "./conversation/Coercion.ts"
export { CutTooOftenError, TurnLimitError } from "./conversation/Execute.ts"
export * as Flow from "./conversation/Flow.ts"
export { describeMenuIssue, type MenuIssue, menuIssues } from "./conversation/Menu.ts"
export type { ConversationInfo } from "./conversation/Runtime.ts"
export type { MediaAnswer, RunInfo } from "./conversation/Step.ts"
export type { BotEvent, ConversationOutcome } from "./events/BotEvent.ts"
export type { MetricsSnapshot } from "./events/Metrics.ts"
export { makeCatalogue, translate } from "./i18n/Catalogue.ts"
export type { Pattern } from "./handlers/Trigger.ts"
export { InvalidProviderEventError } from "./inbound/1-receive/Contract.ts"
export * as DurabilityMemory from "./memory/DurabilityMemory.ts"
export * as LocalCoordinator from "./memory/LocalCoordinator.ts"
export * as MemoryScheduleStore from "./memory/MemoryScheduleStore.ts"
export * as MemoryStore from "./memory/MemoryStore.ts"
export type {
  Content,
  MediaSource,
  Option,
  Outgoing,
  Receipt
} from "./model/Content.ts"
export type { DropReason, SuspendReason } from "./model/DropReason.ts"
export { ConfigValidationError, type DurationInput, formatDuration, parseDuration } from "./model/Duration.ts"
export type { Json } from "./model/Json.ts"
export { isSameText, normalise } from "./model/Normalise.ts"
export type { BodyType, InboundEvent, InboundMedia, MediaKind, MessageEvent, Ref } from "./model/Event.ts"
export { SuspendedBy } from "./outbound/Turn.ts"
export type { SendFailure } from "./outbound/Send.ts"
export * as SlashCommands from "./bot/plugins/SlashCommands.ts"
export * as Voice from "./bot/plugins/Voice.ts"
export * as DurableScheduler from "./scheduler/Durable.ts"
export * as InProcessScheduler from "./scheduler/InProcess.ts"
export { Coordinator } from "./spi/Coordinator.ts"
export { Durability, layerNone as layerNoDurability } from "./spi/Durability.ts"
export {
  BotNotRunningError,
  CoordinationUnavailableError,
  LeaseLostError,
  ProviderNotLeaderError
} from "./spi/Errors.ts"
export { Provider, ProviderError, SendError } from "./spi/Provider.ts"
export { type Job, Scheduler, SchedulerError } from "./spi/Scheduler.ts"
export { Store, StoreError } from "./spi/Store.ts"
