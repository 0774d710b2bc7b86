/** The store as it should stand after each accepted write: a model of one row a key, kept by the checkers themselves. */
import type { EntryOf } from "../History.ts"

export type Write = EntryOf<"write">

export class Rows {
  private readonly rows = new Map<string, Write>()
  get(key: string): Write | undefined {
    return this.rows.get(key)
  }
  put(write: Write): void {
    this.rows.set(write.key, write)
  }
}

/** The very write that stands: a repeat whose first answer got lost. */
export const isRepeat = (stands: Write, next: Write): boolean =>
  stands.id === next.id &&
  stands.revision === next.revision &&
  stands.fence === next.fence &&
  stands.clear === next.clear

export const isExpired = (row: Write, at: number): boolean => row.expires !== null && row.expires <= at
