/**
 * Dedupe keys claimed with tickets (R15, CD5): of another owner a claim counts while its epoch lives and, once its turn is
 * over, until its end.
 */
import type { ClaimEnd, ClaimRow } from "../spi/CoordinatorDriver.ts"

interface Claimed {
  readonly owner: string
  /** Under which the message is under way; undefined once its turn is over. */
  readonly epoch: string | undefined
  /** ms since the epoch. */
  readonly ends: number
}

/** So many are kept; the oldest goes first. */
const most = 100_000

export class Claims {
  private readonly claims = new Map<string, Claimed>()

  /** Claims for an owner; false when another has it. Safe to repeat. */
  take({ key, owner, ttl }: ClaimRow, epoch: string, now: number, isAlive: (epoch: string) => boolean): boolean {
    const found = this.claims.get(key)
    if (found !== undefined && found.owner !== owner && now < found.ends) {
      if (found.epoch === undefined || isAlive(found.epoch)) return false
    }
    this.claims.delete(key)
    this.claims.set(key, { owner, epoch, ends: now + ttl })
    this.sweep(now)
    return true
  }
  /** Safe to repeat; a stranger's claim is left alone. */
  end({ keep, key, owner }: ClaimEnd): void {
    const found = this.claims.get(key)
    if (found?.owner !== owner) return
    if (keep) this.claims.set(key, { ...found, epoch: undefined })
    else this.claims.delete(key)
  }
  /** A few that are over go with each that comes. */
  private sweep(now: number): void {
    let looked = 0
    for (const [key, { ends }] of this.claims) {
      if (looked++ === 2) return
      if (ends <= now || this.claims.size > most) this.claims.delete(key)
    }
  }
}
