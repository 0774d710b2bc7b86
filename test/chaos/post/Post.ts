/**
 * The transport: takes what customers write, gives each message to a replica in turn (a load balancer's round robin), and
 * logs everything it sees. It delivers again what a replica refused or did not admit before its connection ended, as a
 * webhook's sender does, and forgets a message once it is admitted.
 */
import { createServer, type Socket } from "node:net"
import type { Entry } from "../wire/Entry.ts"
import { monotonic, onLines, type ToPost, write } from "../wire/Wire.ts"

export interface PostOptions {
  readonly log: (entry: Entry) => void
  /** A replica has said something to a chat. @returns what the log is to say of it: texts that name the messages */
  readonly onSaid: (chat: string, text: string, pid: number) => ReadonlyArray<string>
  /** A message has its place in the queue of its chat. */
  readonly onTicket?: (chat: string, n: number) => void
  /** ms without an answer after which a message is delivered once more, to another replica. Never when absent. */
  readonly again?: number
}

interface Replica {
  readonly socket: Socket
  readonly name: string
  readonly pid: number
  /** Delivered and not admitted. */
  readonly open: Set<number>
}

interface Letter {
  readonly n: number
  readonly chat: string
  readonly body: string
  replica: Replica | undefined
  admitted: boolean
  refusals: number
  timer: NodeJS.Timeout | undefined
}

/** ms before a refused message is tried again: doubled each time it is, up to half a second. */
const pause = (refusals: number): number => Math.min(25 * 2 ** refusals, 500)

export class Post {
  private readonly replicas = new Set<Replica>()
  private order: Array<Replica> = []
  private next = 0
  private count = 0
  private readonly letters = new Map<number, Letter>()
  /** The last message of each chat whose ticket has not been told. */
  private readonly unplaced = new Map<string, Letter>()
  private waiting: Array<Letter> = []
  private readonly options: PostOptions
  private readonly server = createServer((socket) => this.connected(socket))

  constructor(options: PostOptions) {
    this.options = options
  }

  /** @returns the port */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject)
      this.server.listen(0, "127.0.0.1", () => {
        const address = this.server.address()
        if (typeof address === "object" && address !== null) resolve(address.port)
        else reject(new Error("the system named no port"))
      })
    })
  }

  close(): void {
    for (const { timer } of this.letters.values()) clearTimeout(timer)
    this.server.close()
    for (const { socket } of this.replicas) socket.destroy()
  }

  get up(): number {
    return this.replicas.size
  }

  /** A customer writes. @returns the message's number */
  write(chat: string, body: (n: number) => string): number {
    const n = ++this.count
    const letter: Letter = {
      n,
      chat,
      body: body(n),
      replica: undefined,
      admitted: false,
      refusals: 0,
      timer: undefined
    }
    this.letters.set(n, letter)
    this.log({ at: monotonic(), e: "wrote", n, chat, body: letter.body })
    this.deliver(letter)
    return n
  }

  private log(entry: Entry): void {
    this.options.log(entry)
  }

  private deliver(letter: Letter): void {
    const replica = this.order[this.next++ % Math.max(1, this.order.length)]
    if (replica === undefined) {
      this.waiting.push(letter)
      return
    }
    letter.replica = replica
    replica.open.add(letter.n)
    this.unplaced.set(letter.chat, letter)
    this.log({ at: monotonic(), e: "delivered", n: letter.n, pid: replica.pid })
    write(replica.socket, { t: "deliver", n: letter.n, chat: letter.chat, body: letter.body })
    this.remind(letter)
  }

  private remind(letter: Letter): void {
    const { again } = this.options
    clearTimeout(letter.timer)
    if (again === undefined) return
    letter.timer = setTimeout(() => {
      letter.replica?.open.delete(letter.n)
      if (!letter.admitted) this.deliver(letter)
    }, again)
  }

  private connected(socket: Socket): void {
    let replica: Replica | undefined
    socket.setNoDelay(true)
    // The close that follows says it all.
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      if (replica !== undefined) this.gone(replica)
    })
    onLines<ToPost>(socket, (message) => {
      if (message.t === "hello") {
        replica = { socket, name: message.replica, pid: message.pid, open: new Set() }
        this.arrived(replica)
      } else if (replica !== undefined) this.heard(replica, message)
    })
  }

  private arrived(replica: Replica): void {
    this.replicas.add(replica)
    this.order = [...this.replicas]
    this.log({ at: monotonic(), e: "up", replica: replica.name, pid: replica.pid })
    const letters = this.waiting
    this.waiting = []
    for (const letter of letters) this.deliver(letter)
  }

  private gone(replica: Replica): void {
    this.replicas.delete(replica)
    this.order = [...this.replicas]
    this.log({ at: monotonic(), e: "down", replica: replica.name, pid: replica.pid })
    for (const n of [...replica.open]) {
      const letter = this.letters.get(n)
      if (letter !== undefined && letter.replica === replica) this.deliver(letter)
    }
  }

  private heard(replica: Replica, message: Exclude<ToPost, { readonly t: "hello" }>): void {
    const at = monotonic()
    const { pid } = replica
    switch (message.t) {
      case "admitted": {
        replica.open.delete(message.n)
        const letter = this.letters.get(message.n)
        if (letter !== undefined) {
          letter.admitted = true
          clearTimeout(letter.timer)
        }
        this.letters.delete(message.n)
        return this.log({ at, e: "admitted", n: message.n, pid })
      }
      case "refused": {
        replica.open.delete(message.n)
        const letter = this.letters.get(message.n)
        this.log({ at, e: "refused", n: message.n, pid, reason: message.reason })
        if (letter === undefined || letter.replica !== replica) return
        clearTimeout(letter.timer)
        letter.timer = setTimeout(() => this.deliver(letter), pause(letter.refusals++))
        return
      }
      case "ticket": {
        const letter = this.unplaced.get(message.chat)
        if (letter === undefined || letter.replica !== replica) return
        this.unplaced.delete(message.chat)
        this.log({ at, e: "ticket", n: letter.n, pid })
        return this.options.onTicket?.(message.chat, letter.n)
      }
      case "dropped":
        return this.log({ at, e: "dropped", n: message.n, pid, reason: message.reason })
      case "send":
        write(replica.socket, { t: "sent", seq: message.seq })
        for (const text of this.options.onSaid(message.chat, message.text, pid)) {
          this.log({ at, e: "said", chat: message.chat, text, pid, sent: message.at })
        }
        return
      case "stalled":
        return this.log({ at, e: "stalled", pid, from: message.from, to: message.to })
      case "told":
        return this.log({ at, e: "told", what: message.what, detail: message.detail, pid })
    }
  }
}
