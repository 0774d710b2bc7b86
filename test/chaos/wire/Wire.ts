/** What a replica and the transport say to each other: one JSON object a line, over TCP. */
import type { Socket } from "node:net"

export type ToReplica =
  | { readonly t: "deliver"; readonly n: number; readonly chat: string; readonly body: string }
  | { readonly t: "sent"; readonly seq: number }

export type ToPost =
  | { readonly t: "hello"; readonly replica: string; readonly pid: number }
  /** The bot has the message: the transport may forget it. */
  | { readonly t: "admitted"; readonly n: number }
  /** The bot does not take it (503): the transport delivers it again. */
  | { readonly t: "refused"; readonly n: number; readonly reason: string }
  /** The coordinator has given a ticket for this chat. */
  | { readonly t: "ticket"; readonly chat: string }
  /** The bot has told that this message will not be answered. */
  | { readonly t: "dropped"; readonly n: number; readonly reason: string }
  /** @param at when the send began, by the clock all processes of a machine share */
  | { readonly t: "send"; readonly seq: number; readonly at: number; readonly chat: string; readonly text: string }
  /** The machine kept the process, or Redis, from its work: no fault of ours, with the same effect as a freeze. */
  | { readonly t: "stalled"; readonly from: number; readonly to: number }
  | { readonly t: "told"; readonly what: string; readonly detail: string }

/** ms of the machine's monotonic clock: the same for all its processes. */
export const monotonic = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000

export const write = (socket: Socket, message: ToReplica | ToPost): void => {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`)
}

/** Calls with each line that comes, until the socket ends. */
export const onLines = <A>(socket: Socket, heard: (message: A) => void): void => {
  let rest = ""
  socket.setEncoding("utf8")
  socket.on("data", (chunk) => {
    const lines = `${rest}${String(chunk)}`.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const message: A = JSON.parse(line)
      heard(message)
    }
  })
}
