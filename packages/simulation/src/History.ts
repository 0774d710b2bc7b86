/**
 * What happened in a world, in order: what the checkers read, and nothing else (I1 to I25 are judged from outside).
 *
 * An act that goes over a wire is told twice: when it is begun (or reaches the backend), and by what its caller learnt of
 * it (`told`): ok, fail (nothing was done) or unknown (it may or may not have been done).
 */

/** Whose turn the world's own eyes see at the backend, at the instant a machine acts for a key. */
export type Hold =
  /** The machine's own, alive. */
  | "own"
  /** The machine's own, but its epoch has expired at the backend; nobody else has it yet. */
  | "dead"
  /** Another machine's. */
  | "other"
  /** Nobody's. */
  | "none"

interface At {
  /** ms since the epoch, the world's own clock. */
  readonly at: number
  readonly machine: string
}

export type Entry =
  // ------------------------------------------------------------ turns, as the coordinator's backend gave them
  | (At & { readonly _tag: "ticket"; readonly key: string; readonly ticket: string })
  | (At & {
      readonly _tag: "granted"
      readonly key: string
      readonly ticket: string
      readonly fence: number
      /** The holder before was alive when this one was granted: what must not be (I1). */
      readonly overLiving: boolean
      /** The holder before had died: its turn was taken over. */
      readonly overDead: boolean
      /** Living tickets that were taken before this one and still wait (I5). */
      readonly ahead: number
    })
  | (At & { readonly _tag: "freed"; readonly key: string; readonly fence: number; readonly dead: boolean })
  | (At & { readonly _tag: "gave-up"; readonly key: string; readonly ticket: string })
  // ------------------------------------------------------------ turns, as a replica without a bot takes them
  | (At & { readonly _tag: "asked"; readonly key: string; readonly nth: number })
  | (At & { readonly _tag: "has"; readonly key: string; readonly nth: number; readonly fence: number })
  | (At & { readonly _tag: "acted"; readonly key: string; readonly fence: number; readonly hold: Hold } & Thaw)
  | (At & { readonly _tag: "over"; readonly key: string; readonly nth: number })
  // ------------------------------------------------------------ the store
  | (At & {
      readonly _tag: "write"
      readonly nth: number
      readonly key: string
      readonly id: string
      readonly revision: number
      readonly fence: number
      /** As the write came to the store. */
      readonly hold: Hold
      /** 0 for a tombstone. */
      readonly visit: number
      readonly clear: boolean
      readonly accepted: boolean
      readonly wakeAt: number | null
      readonly expires: number | null
      /** The longest of its lists: ops, kept messages, applied ones, the trail (I23). */
      readonly size: number
    })
  | (At & { readonly _tag: "raise"; readonly key: string; readonly fence: number })
  | (At & {
      readonly _tag: "read"
      readonly key: string
      /** "" where nothing stands. */
      readonly id: string
      readonly revision: number
      readonly clear: boolean
      /** Of the reader's own turn at the backend; 0 where it has none. */
      readonly fence: number
    })
  | (At & { readonly _tag: "told"; readonly what: "write" | "send"; readonly outcome: "ok" | "fail" | "unknown" })
  // ------------------------------------------------------------ the phones
  | (At & {
      readonly _tag: "send"
      readonly nth: number
      readonly chat: string
      readonly key: string
      readonly text: string
      /** The key of the send, if it is one of a conversation: run, visit and op. */
      readonly op: string
      readonly hold: Hold
      /** Of the turn at the backend, if it is the machine's own; 0 else. */
      readonly fence: number
    } & Thaw)
  | (At & {
      readonly _tag: "arrived"
      readonly nth: number
      readonly chat: string
      readonly text: string
      /** Its machine was frozen between the first byte and the last (R10). */
      readonly stale: boolean
    })
  | (At & { readonly _tag: "wrote"; readonly chat: string; readonly id: string; readonly text: string })
  /** An event is given to a replica. `again`: it was given to one before. */
  | (At & {
      readonly _tag: "given"
      readonly nth: number
      readonly chat: string
      readonly id: string
      readonly again: boolean
    })
  | (At & { readonly _tag: "answered"; readonly nth: number; readonly id: string; readonly taken: boolean })
  | (At & { readonly _tag: "session"; readonly open: boolean })
  // ------------------------------------------------------------ what the bot says of itself
  | (At & { readonly _tag: "handled"; readonly chat: string; readonly id: string })
  | (At & { readonly _tag: "dropped"; readonly reason: string; readonly chat: string; readonly id: string })
  | (At & { readonly _tag: "suspended"; readonly key: string; readonly reason: string })
  | (At & { readonly _tag: "event"; readonly what: string; readonly about: string })
  /** A machine's own account, at the end (I17, I23, I24). */
  | (At & {
      readonly _tag: "account"
      readonly received: number
      readonly handled: number
      readonly dropped: number
      readonly signals: number
      readonly waiting: number
      readonly conversations: number
      readonly timers: number
    })
  // ------------------------------------------------------------ what handlers saw
  | (At & { readonly _tag: "charged"; readonly id: string })
  | (At & { readonly _tag: "answer"; readonly chat: string; readonly question: string; readonly value: string })
  // ------------------------------------------------------------ faults
  | (At & { readonly _tag: "fault"; readonly verb: string; readonly until: number; readonly detail: string })
  | (At & { readonly _tag: "calm" })
  | (At & { readonly _tag: "unfinished"; readonly what: string })
  | (At & { readonly _tag: "end"; readonly ending: string; readonly waiting: number; readonly held: number })

interface Thaw {
  /** The machine woke from a freeze at this very instant: what it had begun before may still get out (R10). */
  readonly thawed: boolean
}

export type EntryOf<T extends Entry["_tag"]> = Extract<Entry, { readonly _tag: T }>

/** A broken promise: the invariant's number and what shows it. */
export interface Violation {
  readonly invariant: string
  readonly detail: string
}

/** What a world was made with, as far as its checkers need it. All in ms. */
export interface Terms {
  readonly lease: number
  readonly settle: number
  readonly turnWait: number
}
export type Checker = (history: ReadonlyArray<Entry>, terms: Terms) => ReadonlyArray<Violation>

/** One line of a world's story. */
export const tell = (entry: Entry, start: number): string => {
  const { _tag, at, machine, ...rest } = entry
  const words = Object.entries(rest).map(([name, value]) => `${name}=${String(value)}`)
  return `${String(at - start).padStart(8)} ms  ${machine.padEnd(8)} ${_tag} ${words.join(" ")}`
}
