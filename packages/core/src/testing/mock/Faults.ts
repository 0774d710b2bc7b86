/** The faults of a mock provider: how a transport misbehaves, switched on and off by a test. */
import { Duration, Effect } from "effect"
import { Ambiguous, type ProviderError, type SendReason } from "../../spi/Provider.ts"

export interface Faults {
  /** The next `times` sends fail for this reason and are not applied. @param times 1 */
  readonly fail: (reason: SendReason, times?: number) => Effect.Effect<void>
  /** The next `times` sends are cut: reported `Ambiguous`, and applied or not. @param options.applied true */
  readonly ambiguous: (options?: { readonly applied?: boolean; readonly times?: number }) => Effect.Effect<void>
  /** Every send takes so long before it is applied; an infinite one never is. Zero ends it. */
  readonly delay: (duration: Duration.Duration) => Effect.Effect<void>
  /** Nothing reaches these chats (`Unreachable`): somebody blocked the bot. */
  readonly block: (...chatIds: ReadonlyArray<string>) => Effect.Effect<void>
  readonly unblock: (...chatIds: ReadonlyArray<string>) => Effect.Effect<void>
  /** Each batch is delivered twice, one after the other. */
  readonly duplicate: (on: boolean) => Effect.Effect<void>
  /** Each batch is delivered in random order (Random). */
  readonly reorder: (on: boolean) => Effect.Effect<void>
  /** The next start fails. */
  readonly failStart: (error: ProviderError) => Effect.Effect<void>
  /** No faults any more. */
  readonly clear: Effect.Effect<void>
}

/** One send that goes wrong. */
export interface PlannedFault {
  readonly reason: SendReason
  readonly applied: boolean
}

/** Where the faults stand; the provider reads it at each call. */
export class FaultPlan {
  /** ms */
  delay = 0
  duplicate = false
  reorder = false
  startError: ProviderError | undefined = undefined
  readonly blocked = new Set<string>()
  private planned: Array<{ readonly fault: PlannedFault; left: number }> = []

  /** The fault of this send, if one is planned; each is used up. */
  take(): PlannedFault | undefined {
    const first = this.planned[0]
    if (first === undefined) return undefined
    if (--first.left <= 0) this.planned.shift()
    return first.fault
  }
  plan(fault: PlannedFault, times: number): void {
    if (times > 0) this.planned.push({ fault, left: times })
  }
  clear(): void {
    this.delay = 0
    this.duplicate = false
    this.reorder = false
    this.startError = undefined
    this.blocked.clear()
    this.planned = []
  }
}

/** The switches of a plan. */
export const switches = (plan: FaultPlan): Faults => ({
  fail: (reason, times = 1) => Effect.sync(() => plan.plan({ reason, applied: false }, times)),
  ambiguous: (options) =>
    Effect.sync(() => {
      const reason = new Ambiguous({ detail: "cut after the first byte" })
      plan.plan({ reason, applied: options?.applied ?? true }, options?.times ?? 1)
    }),
  delay: (duration) =>
    Effect.sync(() => {
      plan.delay = Duration.toMillis(duration)
    }),
  block: (...chatIds) => Effect.sync(() => chatIds.forEach((chatId) => plan.blocked.add(chatId))),
  unblock: (...chatIds) => Effect.sync(() => chatIds.forEach((chatId) => plan.blocked.delete(chatId))),
  duplicate: (on) =>
    Effect.sync(() => {
      plan.duplicate = on
    }),
  reorder: (on) =>
    Effect.sync(() => {
      plan.reorder = on
    }),
  failStart: (error) =>
    Effect.sync(() => {
      plan.startError = error
    }),
  clear: Effect.sync(() => plan.clear())
})
