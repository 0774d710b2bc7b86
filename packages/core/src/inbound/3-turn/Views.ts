/**
 * What this process knows of its keys (R6): good while nobody else held the key's turn, and bounded.
 *
 * V1 what another may have written is read only after the fence of its row was raised: a write of the holder before us,
 *    or of our own that had no answer, that lands later is refused (R5).
 * V2 the fence we write under is above the one that stands (R19).
 */
import { Effect } from "effect"
import { UserProfile } from "../../chat/UserProfile.ts"
import { AgedMap } from "../../model/AgedMap.ts"
import type { Checkpoint } from "../../model/Checkpoint.ts"
import type { CoordinatorShape, Lease } from "../../spi/Coordinator.ts"
import { type CoordinationUnavailableError, LeaseLostError } from "../../spi/Errors.ts"
import type { BotScope, StoreError, StoreShape } from "../../spi/Store.ts"
import type { ReadFailure } from "../InboundPort.ts"
import { isOfParticipant, keyOfChat, participantsOf } from "../Key.ts"
import type { View } from "../Passage.ts"

/** So often is a fence raised and lifted before somebody else is taken to be doing the same. */
const mostRaises = 3

export class Views {
  private readonly views = new AgedMap<View>()
  /** One profile a person, whatever chats they write in: what one sets the others see. */
  private readonly users = new AgedMap<UserProfile>()
  private readonly store: StoreShape
  private readonly scope: BotScope
  private readonly incarnation: string
  /** Others share the coordinator, and with it the store. */
  private readonly shared: boolean
  /** Keys of which a write of ours had no answer: it may still land. */
  private readonly doubted = new Set<string>()
  /** There were too many of them to be remembered. */
  private doubtsAll = false
  private readonly limit: number
  /** A live conversation is the truth of its key: what the store says of it is its own last checkpoint. */
  private readonly isLive: (key: string) => boolean
  /** Moves with every forgetting: what was read before it is not kept. */
  private epoch = 0

  constructor(
    store: StoreShape,
    scope: BotScope,
    { incarnation, shared }: Pick<CoordinatorShape, "incarnation" | "shared">,
    limit: number,
    isLive: (key: string) => boolean
  ) {
    this.shared = shared
    this.isLive = isLive
    this.store = store
    this.scope = scope
    this.incarnation = incarnation
    this.limit = limit
  }

  /** The view of a key under a fresh lease, as far as memory has it: when we held it last. */
  known(lease: Lease, key: string, userId: string): View | undefined {
    if (lease.previousHolder !== this.incarnation) return undefined
    // A group is handed to a person as a whole, by a turn of another key.
    if (this.shared && isOfParticipant(key)) return undefined
    const view = this.views.get(key)
    return view?.user.id === userId ? view : undefined
  }
  /** The view of a key under a fresh lease: from memory, else from the store. */
  open(lease: Lease, key: string, chatId: string, userId: string): Effect.Effect<View, ReadFailure> {
    const view = this.known(lease, key, userId)
    if (view !== undefined) return Effect.succeed(view)
    return this.mayMove(lease, key)
      ? Effect.flatMap(this.fenced(lease, key), () => this.read(lease, key, chatId, userId))
      : this.read(lease, key, chatId, userId)
  }
  /** What is stored of a key's conversation, read under its turn. */
  stored(lease: Lease, key: string): Effect.Effect<Checkpoint | undefined, ReadFailure> {
    const fenced = this.mayMove(lease, key) ? this.fenced(lease, key) : Effect.void
    return Effect.flatMap(fenced, () =>
      Effect.map(this.store.getCheckpoint(this.scope, key), ({ checkpoint }) => {
        if (checkpoint !== undefined && checkpoint.fence >= lease.fence) lease.raise?.(checkpoint.fence)
        return checkpoint
      })
    )
  }

  /** A write of ours had no answer, or was cut: the key is read anew, behind a raised fence. */
  doubt(key: string): void {
    this.forget(key)
    if (this.doubted.size >= this.limit) this.doubtsAll = true
    else this.doubted.add(key)
  }
  private mayMove(lease: Lease, key: string): boolean {
    if (this.shared && lease.previousHolder !== this.incarnation) return true
    return this.doubtsAll || (this.doubted.size > 0 && this.doubted.has(key))
  }
  /** V1, V2. */
  private fenced(lease: Lease, key: string, tries = 1): Effect.Effect<void, ReadFailure> {
    return Effect.flatMap(this.store.raiseFence(this.scope, key, lease.fence), (stands) => {
      if (stands <= lease.fence) {
        this.doubted.delete(key)
        return Effect.void
      }
      if (tries === mostRaises) return Effect.fail(new LeaseLostError({ key, reason: "superseded" }))
      return Effect.flatMap(lift(lease, stands), () => this.fenced(lease, key, tries + 1))
    })
  }

  private read(lease: Lease, key: string, chatId: string, userId: string): Effect.Effect<View, StoreError> {
    const { epoch } = this
    const known = this.users.get(userId)
    const writes = known?.writes
    return Effect.map(this.store.open(this.scope, key, chatId, userId), (stored) => {
      const fence = stored.checkpoint?.fence ?? stored.tombstone?.fence
      // Of a life with a later clock: what this turn writes must stand above it (R19).
      if (fence !== undefined && fence >= lease.fence) lease.raise?.(fence)
      const view: View = {
        handoff: stored.handoff,
        user: this.userOf(userId, stored.profile, known !== undefined && known.writes === writes),
        dormant: this.isLive(key) ? undefined : stored.checkpoint,
        applied: stored.tombstone?.applied ?? none
      }
      // A chat handed over while this was read: the reader is told what stood before, and nobody after it.
      if (epoch !== this.epoch) {
        this.views.delete(key)
        return view
      }
      this.views.set(key, view)
      dropOldest(this.views, this.limit)
      return view
    })
  }
  private userOf(id: string, fields: Readonly<Record<string, unknown>>, isCurrent: boolean): UserProfile {
    const known = this.users.get(id)
    if (known !== undefined) {
      if (isCurrent) known.load(fields)
      return known
    }
    const user = new UserProfile(this.store, this.scope, id, fields)
    this.users.set(id, user)
    dropOldest(this.users, this.limit)
    return user
  }
  peek(key: string): View | undefined {
    return this.views.get(key)
  }
  /** The key's stored conversation has changed hands with its live copy: read it anew next time. */
  forget(key: string): void {
    this.epoch++
    this.views.delete(key)
  }
  /** Every key of a chat, when the chat is handed to a person or given back. */
  forgetChat(chatId: string): void {
    this.epoch++
    const whole = keyOfChat(chatId)
    const participants = participantsOf(chatId)
    for (const key of [...this.views.keys()]) {
      if (key === whole || key.startsWith(participants)) this.views.delete(key)
    }
  }
}

const none: ReadonlyArray<string> = []

/** Above a fence that stands: as the only process there is, or by the coordinator we share. */
const lift = (lease: Lease, above: number): Effect.Effect<void, LeaseLostError | CoordinationUnavailableError> =>
  lease.regrant(above)

const dropOldest = (map: AgedMap<unknown>, limit: number): void => {
  const { oldest } = map
  if (map.size > limit && oldest !== undefined) map.delete(oldest.key)
}
