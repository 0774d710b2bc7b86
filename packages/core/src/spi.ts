/** Contracts for authors of stores, transports, coordinators, durability backends and schedulers. Semver applies. */
export * from "./model/Checkpoint.ts"
export * from "./model/Content.ts"
export * from "./model/DropReason.ts"
export { ConfigValidationError, type DurationInput, parseDuration } from "./model/Duration.ts"
export * from "./model/Event.ts"
export * from "./model/Json.ts"
export { dedupeKey } from "./model/StoredEvent.ts"
export * from "./model/Text.ts"
export * from "./spi/Coordinator.ts"
export { fromDriver as coordinatorFromDriver, type LeaseOptions } from "./spi/coordination/fromDriver.ts"
export * from "./spi/CoordinatorDriver.ts"
export {
  type Backoff,
  backoffDelay,
  Durability,
  DurabilityError,
  type DurabilityShape,
  markTtl,
  type Pending
} from "./spi/Durability.ts"
export { type Position, readCursor, writeCursor } from "./spi/durability/Cursor.ts"
export { fromDriver as durabilityFromDriver } from "./spi/durability/fromDriver.ts"
export * from "./spi/DurabilityDriver.ts"
export * from "./spi/Errors.ts"
export * from "./spi/Inbox.ts"
export * from "./spi/Outbox.ts"
export * from "./spi/Provider.ts"
export { fromDriver as scheduleStoreFromDriver } from "./spi/schedule/fromDriver.ts"
export * from "./spi/ScheduleDriver.ts"
export * from "./spi/Scheduler.ts"
export * from "./spi/ScheduleStore.ts"
export * from "./spi/Store.ts"
export * from "./spi/StoreDriver.ts"
