/** Locks that end with their time (C15). */
import type { LockRow } from "../spi/CoordinatorDriver.ts"

type Asked = Pick<LockRow, "key" | "token">

interface Lock {
  readonly token: string
  readonly fence: number
  /** ms since the epoch. */
  readonly ends: number
}

export class Locks {
  private readonly locks = new Map<string, Lock>()

  /** The lock's fence; undefined when another token has it. Safe to repeat. */
  take({ key, token }: Asked, ttl: number, now: number, nextFence: () => number): number | undefined {
    for (const [other, { ends }] of this.locks) if (ends <= now) this.locks.delete(other)
    const found = this.locks.get(key)
    if (found !== undefined && found.token !== token) return undefined
    const fence = found?.fence ?? nextFence()
    this.locks.set(key, { token, fence, ends: now + ttl })
    return fence
  }
  renew({ key, token }: Asked, ttl: number, now: number): boolean {
    const found = this.locks.get(key)
    if (found === undefined || found.token !== token || found.ends <= now) return false
    this.locks.set(key, { ...found, ends: now + ttl })
    return true
  }
  release({ key, token }: Asked): void {
    if (this.locks.get(key)?.token === token) this.locks.delete(key)
  }
}
