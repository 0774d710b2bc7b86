/**
 * What this process knows of its keys (R6): good while nobody else held the key's turn, and bounded.
 */
import { Effect } from "effect"
import { UserProfile } from "../../chat/UserProfile.ts"
import { AgedMap } from "../../model/AgedMap.ts"
import type { Lease } from "../../spi/Coordinator.ts"
import type { BotScope, StoreError, StoreShape } from "../../spi/Store.ts"
import { keyOfChat, participantsOf } from "../Key.ts"
import type { View } from "../Passage.ts"

export class Views {
  private readonly views = new AgedMap<View>()
  /** One profile a person, whatever chats they write in: what one sets the others see. */
  private readonly users = new AgedMap<UserProfile>()
  private readonly store: StoreShape
  private readonly scope: BotScope
  private readonly incarnation: string
  private readonly limit: number
  /** A live conversation is the truth of its key: what the store says of it is its own last checkpoint. */
  private readonly isLive: (key: string) => boolean
  /** Moves with every forgetting: what was read before it is not kept. */
  private epoch = 0

  constructor(
    store: StoreShape,
    scope: BotScope,
    incarnation: string,
    limit: number,
    isLive: (key: string) => boolean
  ) {
    this.isLive = isLive
    this.store = store
    this.scope = scope
    this.incarnation = incarnation
    this.limit = limit
  }

  /** The view of a key under a fresh lease, as far as memory has it: when we held it last. */
  known(lease: Lease, key: string, userId: string): View | undefined {
    if (lease.previousHolder !== this.incarnation) return undefined
    const view = this.views.get(key)
    return view?.user.id === userId ? view : undefined
  }
  /** The view of a key under a fresh lease: from memory, else from the store. */
  open(lease: Lease, key: string, chatId: string, userId: string): Effect.Effect<View, StoreError> {
    const view = this.known(lease, key, userId)
    if (view !== undefined) return Effect.succeed(view)
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
        dormant: this.isLive(key) ? undefined : stored.checkpoint
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

const dropOldest = (map: AgedMap<unknown>, limit: number): void => {
  const { oldest } = map
  if (map.size > limit && oldest !== undefined) map.delete(oldest.key)
}
