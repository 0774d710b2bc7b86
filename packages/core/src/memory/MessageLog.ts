import type { MessageRow } from "../spi/Store.ts"

/**
 * The messages of all chats of a bot, side by side in the order they came; a chat knows them by number. As objects that
 * hang on their chats they would cost several times as much: the collector would move each of them twice, and go through
 * every chat that was written in.
 */
export class MessageLog {
  private readonly blocks: Array<Block> = []
  private readonly free: Array<number> = []
  private used = 0

  /** Answers the message's number. */
  add(message: MessageRow): number {
    const number = this.free.pop() ?? this.used++
    if (number >>> blockBits === this.blocks.length) this.blocks.push(new Block())
    this.set(number, message)
    return number
  }
  /** Puts a message in another one's place. */
  set(number: number, message: MessageRow): void {
    const { out, texts, times } = this.block(number)
    const at = number & blockMask
    texts[at * width] = message.id
    texts[at * width + 1] = message.sender
    texts[at * width + 2] = message.type
    texts[at * width + 3] = message.body
    times[at] = message.at
    out[at] = message.direction === "out" ? 1 : 0
  }
  remove(number: number): void {
    this.block(number).texts.fill("", (number & blockMask) * width, ((number & blockMask) + 1) * width)
    this.free.push(number)
  }
  idOf(number: number): string {
    return this.block(number).texts[(number & blockMask) * width] ?? ""
  }
  get(number: number, chatId: string): MessageRow {
    const { out, texts, times } = this.block(number)
    const at = number & blockMask
    return {
      id: texts[at * width] ?? "",
      chatId,
      sender: texts[at * width + 1] ?? "",
      direction: out[at] === 1 ? "out" : "in",
      type: texts[at * width + 2] ?? "",
      body: texts[at * width + 3] ?? "",
      at: times[at] ?? 0
    }
  }
  private block(number: number): Block {
    const block = this.blocks[number >>> blockBits]
    if (block === undefined) throw new RangeError(`there is no message ${number}`)
    return block
  }
}

const blockBits = 10
const blockMask = (1 << blockBits) - 1
/** Texts of a message: id, sender, type, body. */
const width = 4

class Block {
  readonly texts: Array<string> = new Array<string>(width << blockBits).fill("")
  readonly times = new Float64Array(1 << blockBits)
  readonly out = new Uint8Array(1 << blockBits)
}
