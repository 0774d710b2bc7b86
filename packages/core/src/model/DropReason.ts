/** Why an inbound event was not handled. One counter and one event for each (I24). Source: B19. */
export const dropReasons = [
  "from-me",
  "invalid",
  "unknown-kind",
  "echo",
  "blocked",
  "duplicate",
  "group-mode",
  "stopped-by-hook",
  "not-running",
  "overloaded",
  "store-failed",
  "turn-timeout",
  "turn-lost",
  "pending-full",
  "handoff"
] as const
export type DropReason = (typeof dropReasons)[number]

/** Why a step was suspended: the closed set of design.md 6. */
export const suspendReasons = ["settle", "lease-lost", "replaced", "aborted", "handoff", "timeout", "stopping"] as const
export type SuspendReason = (typeof suspendReasons)[number]
