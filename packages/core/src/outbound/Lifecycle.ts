import type { LeaseLostError } from "../spi/Errors.ts"

/** Where the bot is in its life, as the sends and the receiver see it (B12). */
export type LifecycleState = "idle" | "starting" | "running" | "draining" | "stopped" | "stand-by"

/** The right to act for an exclusive transport; no I/O. */
export interface Lead {
  /** `undefined` while it is held. */
  readonly lost: () => LeaseLostError | undefined
}

/** A plain cell, written by `bot/Lifecycle.ts` and `bot/Leading.ts` alone and read on every send. */
export interface LifecycleCell {
  state: LifecycleState
  /** It stops, and messages that were taken still get their turn: who delivered them has been told so. */
  finishing: boolean
  /** Of an exclusive transport, whoever has it; nothing is sent or stored once it is lost (R12). */
  lead: Lead | undefined
}
