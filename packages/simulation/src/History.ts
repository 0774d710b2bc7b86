/** What happened in a world, in order: what the checkers read, and nothing else (I1 to I25 are judged from outside). */
export type Entry =
  | {
      readonly _tag: "granted"
      readonly at: number
      readonly machine: string
      readonly key: string
      readonly fence: number
      readonly ticket: number
    }
  | {
      readonly _tag: "acted"
      readonly at: number
      readonly machine: string
      readonly key: string
      readonly fence: number
    }
  | {
      readonly _tag: "released"
      readonly at: number
      readonly machine: string
      readonly key: string
      readonly fence: number
    }
  | {
      readonly _tag: "lost"
      readonly at: number
      readonly machine: string
      readonly key: string
      readonly fence: number
    }
  | {
      readonly _tag: "asked"
      readonly at: number
      readonly machine: string
      readonly key: string
      readonly ticket: number
    }
  | {
      readonly _tag: "gave-up"
      readonly at: number
      readonly machine: string
      readonly key: string
      readonly ticket: number
    }
  | {
      readonly _tag: "fault"
      readonly at: number
      readonly machine: string
      readonly verb: string
      readonly detail: string
    }
  | { readonly _tag: "calm"; readonly at: number }

/** A broken promise: the invariant's number and what shows it. */
export interface Violation {
  readonly invariant: string
  readonly detail: string
}
export type Checker = (history: ReadonlyArray<Entry>) => ReadonlyArray<Violation>

export const tell = (entry: Entry): string => {
  const { _tag, at, ...rest } = entry
  return `${at} ${_tag} ${Object.values(rest).join(" ")}`
}
