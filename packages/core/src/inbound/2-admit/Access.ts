/** Access lists on chat and sender (A3): whoever is out is dropped in silence, before anything is remembered. */
export interface AccessLists {
  readonly blacklist?: ReadonlyArray<string>
  /** When given, only these chats and senders are heard. */
  readonly whitelist?: ReadonlyArray<string>
}

export class Access {
  private readonly blocked: Set<string>
  private readonly allowed: Set<string> | undefined

  constructor(lists: AccessLists = {}) {
    this.blocked = new Set(lists.blacklist)
    this.allowed = lists.whitelist === undefined ? undefined : new Set(lists.whitelist)
  }
  lets(chatId: string, sender: string): boolean {
    if (this.blocked.size > 0 && (this.blocked.has(chatId) || this.blocked.has(sender))) return false
    return this.allowed === undefined || this.allowed.has(chatId) || this.allowed.has(sender)
  }
  /** Safe to repeat. */
  block(id: string): void {
    this.blocked.add(id)
  }
  /** Safe to repeat. */
  unblock(id: string): void {
    this.blocked.delete(id)
  }
  isBlocked(id: string): boolean {
    return this.blocked.has(id)
  }
}
