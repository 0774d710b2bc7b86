/** What the simulated chats remember: the messages of both sides, and the buttons a number presses. */
import { makeMenu } from "../conversation/Menu.ts"
import type { Content, Option } from "../model/Content.ts"
import type { InboundEvent, MediaKind, Ref } from "../model/Event.ts"
import { wholeNumeral } from "../model/Numerals.ts"
import { nameOf } from "./Show.ts"

/** Who writes, and where. */
export interface Person {
  readonly name: string
  /** In the group chat, not in a chat of their own. */
  readonly group: boolean
}

export const groupChat = "group"

/** Ids are plain names: what the bot stores of a person is found again in the next session. */
export const chatOf = (person: Person): string => (person.group ? groupChat : person.name)

/** What the bot said last in a chat, while it can still be answered by number. */
type Asked = Extract<Content, { readonly _tag: "choices" | "poll" }>

interface Room {
  last: Ref | undefined
  asked: { readonly content: Asked; readonly ref: Ref } | undefined
}

const maxTexts = 1000
const maxRooms = 1000

const dropOldest = (map: Map<string, unknown>, max: number): void => {
  if (map.size <= max) return
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}

/** Where the labels are numbers themselves, a number is an answer and no position. */
const numberedOption = (options: ReadonlyArray<Option>, body: string): Option | undefined => {
  const number = wholeNumeral(body)
  return number === undefined || !makeMenu(options).numbered ? undefined : options[number - 1]
}

/** Several numbers choose several options of a poll. */
const positions = (body: string, count: number): ReadonlyArray<number> | undefined => {
  const numbers = body.split(/[\s,]+/u).map(wholeNumeral)
  const chosen = numbers.flatMap((n) => (n !== undefined && n >= 1 && n <= count ? [n - 1] : []))
  return chosen.length === 0 || chosen.length < numbers.length ? undefined : [...new Set(chosen)]
}

export class Chats {
  private readonly rooms = new Map<string, Room>()
  private readonly texts = new Map<string, string>()
  private readonly life: string
  private count = 0

  /** @param life begins every id, so that no session uses an id of an earlier one again */
  constructor(life: string) {
    this.life = life
  }

  private nextRef(chatId: string): Ref {
    return { id: `${this.life}-${++this.count}`, chatId }
  }
  private room(chatId: string): Room {
    const known = this.rooms.get(chatId)
    if (known !== undefined) return known
    const room: Room = { last: undefined, asked: undefined }
    this.rooms.set(chatId, room)
    dropOldest(this.rooms, maxRooms)
    return room
  }
  private keep(ref: Ref, text: string | undefined): void {
    if (text === undefined) return
    this.texts.set(ref.id, text)
    dropOldest(this.texts, maxTexts)
  }

  readonly textOf = (ref: Ref): string | undefined => this.texts.get(ref.id)

  /** The bot says something: names the message. */
  said(chatId: string, content: Content): Ref {
    const ref = this.nextRef(chatId)
    const room = this.room(chatId)
    switch (content._tag) {
      case "reaction":
      case "delete":
        return ref
      case "edit":
        this.keep(content.target, content.text)
        return ref
      case "choices":
      case "poll":
        room.asked = { content, ref }
        break
      default:
        room.asked = undefined
    }
    room.last = ref
    this.keep(ref, nameOf(content))
    return ref
  }

  /** What a person's line is to the bot: a pressed button, a vote, or a text. */
  heard(person: Person, body: string): InboundEvent {
    const chatId = chatOf(person)
    const { asked } = this.room(chatId)
    const from = this.from(person)
    if (asked?.content._tag === "choices") {
      const option = numberedOption(asked.content.options, body)
      if (option !== undefined) {
        const { id } = this.nextRef(chatId)
        const { key: payload, label } = option
        return { _tag: "interaction", interactionId: id, payload, body: label, ref: asked.ref, ...from }
      }
    }
    if (asked?.content._tag === "poll") {
      const options = positions(body, asked.content.options.length)
      const fits = options !== undefined && (asked.content.multiple === true || options.length === 1)
      if (fits) return { _tag: "pollVote", pollId: asked.ref.id, options, ...from }
    }
    const ref = this.nextRef(chatId)
    this.keep(ref, body)
    const mentionsBot = person.group && /(?:^|\s)@bot\b/iu.test(body)
    return { _tag: "message", ref, type: "text", body, ...from, ...(mentionsBot ? { mentionsBot } : {}) }
  }

  /** A file without content: the caption is all there is of it. */
  sent(person: Person, kind: MediaKind, caption: string): InboundEvent {
    const ref = this.nextRef(chatOf(person))
    this.keep(ref, caption === "" ? `[${kind}]` : caption)
    return { _tag: "message", ref, type: kind, body: caption, media: { kind, native: caption }, ...this.from(person) }
  }

  /** A reaction to the bot's last message; `undefined` while it has said nothing. */
  reacted(person: Person, emoji: string): InboundEvent | undefined {
    const { last } = this.room(chatOf(person))
    return last === undefined ? undefined : { _tag: "reaction", emoji, target: last, ...this.from(person) }
  }

  private from(person: Person) {
    return {
      from: chatOf(person),
      sender: person.name,
      isGroup: person.group,
      senderName: person.name,
      ...(person.group ? { chatName: groupChat } : {})
    }
  }
}
