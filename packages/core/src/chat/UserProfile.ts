/**
 * The persistent profile of one person: a field each, set one by one, so two writers of different fields lose nothing
 * (ST7). Reads are of the copy loaded with the turn; a write updates it too.
 */
import { Effect, Option } from "effect"
import type { Json } from "../model/Json.ts"
import { jsonOf } from "../model/PlainJson.ts"
import type { BotScope, StoreError, StoreShape } from "../spi/Store.ts"

export class UserProfile {
  readonly id: string
  private fields: Readonly<Record<string, unknown>>
  private readonly store: StoreShape
  private readonly bot: BotScope
  /** @internal Moves with every write: a read that crossed one is older than it. */
  writes = 0

  constructor(store: StoreShape, bot: BotScope, id: string, fields: Readonly<Record<string, unknown>>) {
    this.store = store
    this.bot = bot
    this.id = id
    this.fields = fields
  }
  /** The value as stored; `undefined` when the field was never set. No I/O. */
  readonly get = (field: string): unknown => (Object.hasOwn(this.fields, field) ? this.fields[field] : undefined)
  get all(): Readonly<Record<string, unknown>> {
    return this.fields
  }
  /**
   * Stores a JSON value, and keeps a copy of it as it is stored; `undefined` removes the field. Fails with `StoreError`
   * (`invalid`) for what is not JSON: a BigInt, a cycle, a function. Safe to repeat.
   */
  readonly set = (field: string, value: Json): Effect.Effect<void, StoreError> =>
    Effect.suspend(() => {
      const copied = jsonOf(value)
      const copy: unknown = Option.isSome(copied) ? JSON.parse(copied.value) : undefined
      // What has no copy is not stored: the store says what is wrong with it.
      return Effect.map(this.store.setProfile(this.bot, this.id, field, copy ?? value), () => {
        this.writes++
        const { [field]: _, ...rest } = this.fields
        this.fields = value === undefined ? rest : { ...rest, [field]: copy }
      })
    })
  /** @internal What was read anew. */
  load(fields: Readonly<Record<string, unknown>>): void {
    this.fields = fields
  }
}
