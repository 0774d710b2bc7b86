/** Where the bot is in its life, as the sends and the receiver see it (B12). */
export type LifecycleState = "idle" | "starting" | "running" | "draining" | "stopped" | "stand-by"

/** A plain cell, written by `bot/Lifecycle.ts` alone and read on every send. */
export interface LifecycleCell {
  state: LifecycleState
}
