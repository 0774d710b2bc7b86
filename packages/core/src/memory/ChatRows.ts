import type { ChatRow, ContactRow, MessageRow, Page } from "../spi/Store.ts"
import { MarkedRows } from "./MarkedRows.ts"
import { MessageLog } from "./MessageLog.ts"
import { MessageRing } from "./MessageRing.ts"

export interface ChatCaps {
  readonly maxChats: number
  readonly maxMessagesPerChat: number
  readonly maxMessages: number
}

/** A chat, with its messages in the same object: every message of it looks at both. */
class Talk extends MessageRing {
  /** Undefined until somebody writes: a chat the bot only wrote to is still a first contact (ST8). */
  chat: ChatRow | undefined = undefined
  /** The name of the person of a private chat, who is no contact beside it. */
  person: string | undefined = undefined
  used = false
}

interface Contact {
  readonly id: string
  name: string | undefined
  used: boolean
}

/** Chats, contacts and messages of one bot. Each is bounded, the least used go first. */
export class ChatRows {
  private readonly talks = new MarkedRows<Talk>()
  private readonly contacts = new MarkedRows<Contact>()
  private readonly log = new MessageLog()
  private readonly caps: ChatCaps
  private messages = 0

  constructor(caps: ChatCaps) {
    this.caps = caps
  }

  /** Stores the three rows; true when nobody had written in this chat before. */
  admit(chat: ChatRow, contact: ContactRow, message: MessageRow): boolean {
    const talk = this.talk(chat.id)
    const first = talk.chat === undefined
    if (first || (chat.name !== undefined && talk.chat?.name !== chat.name)) talk.chat = copyChat(chat)
    if (contact.id !== chat.id) this.meet(contact)
    else if (contact.name !== undefined) talk.person = contact.name
    this.keep(talk, message)
    return first
  }

  save(message: MessageRow): void {
    this.keep(this.talk(message.chatId), message)
  }

  page(chatId: string, limit: number, after: string | undefined): Page<MessageRow> {
    const talk = this.talks.rows.get(chatId)
    return talk === undefined ? { items: [] } : talk.page(chatId, limit, after)
  }

  private talk(chatId: string): Talk {
    const known = this.talks.rows.get(chatId)
    if (known !== undefined) {
      known.used = true
      return known
    }
    if (this.talks.rows.size >= this.caps.maxChats) {
      const dropped = this.talks.next()
      if (dropped !== undefined) {
        this.talks.rows.delete(dropped[0])
        this.messages -= dropped[1].clear(0)
      }
    }
    const talk = new Talk(this.log)
    this.talks.rows.set(chatId, talk)
    return talk
  }

  private meet(contact: ContactRow): void {
    const known = this.contacts.rows.get(contact.id)
    if (known !== undefined) {
      known.used = true
      if (contact.name !== undefined) known.name = contact.name
      return
    }
    if (this.contacts.rows.size >= this.caps.maxChats) {
      const dropped = this.contacts.next()
      if (dropped !== undefined) this.contacts.rows.delete(dropped[0])
    }
    this.contacts.rows.set(contact.id, { id: contact.id, name: contact.name, used: false })
  }

  private keep(talk: Talk, message: MessageRow): void {
    this.messages += talk.add(message, this.caps.maxMessagesPerChat)
    if (this.messages > this.caps.maxMessages) this.forget(talk)
  }

  /** Drops the messages of the least used chats, not the chats: who has written once stays known. */
  private forget(writer: Talk): void {
    while (this.messages > this.caps.maxMessages) {
      const talk = this.talks.next()?.[1]
      if (talk === undefined) return
      this.messages -= talk.clear(talk === writer ? 1 : 0)
    }
  }
}

const copyChat = ({ id, isGroup, name }: ChatRow): ChatRow =>
  name === undefined ? { id, isGroup } : { id, isGroup, name }
