/** The log of the transport: what the judge believes. Times are those of the machine's monotonic clock, in ms. */

export type Entry = { readonly at: number } & (
  | { readonly e: "up"; readonly replica: string; readonly pid: number }
  | { readonly e: "down"; readonly replica: string; readonly pid: number }
  /** A customer has written; the number grows over all chats. */
  | { readonly e: "wrote"; readonly n: number; readonly chat: string; readonly body: string }
  | { readonly e: "delivered"; readonly n: number; readonly pid: number }
  | { readonly e: "admitted"; readonly n: number; readonly pid: number }
  | { readonly e: "refused"; readonly n: number; readonly pid: number; readonly reason: string }
  | { readonly e: "ticket"; readonly n: number; readonly pid: number }
  | { readonly e: "dropped"; readonly n: number; readonly pid: number; readonly reason: string }
  /** A replica has said something; `sent` is when it began to, by its own word. */
  | { readonly e: "said"; readonly chat: string; readonly text: string; readonly pid: number; readonly sent: number }
  /** The replica stood still by itself: the machine had no time for it. */
  | { readonly e: "stalled"; readonly pid: number; readonly from: number; readonly to: number }
  | { readonly e: "told"; readonly what: string; readonly detail: string; readonly pid: number }
)

/** An act of the nemesis, told by itself; or a `stall`, made by the machine. `pid` is absent where Redis was hit. */
export interface Fault {
  readonly verb: "kill" | "freeze" | "stop" | "cut" | "restart" | "failover" | "stall"
  readonly pid: number | undefined
  readonly from: number
  /** When what was broken worked again; for a kill the moment of death. */
  readonly to: number
}
