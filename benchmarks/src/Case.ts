/** What a benchmark measures: cases, their peers and their targets. */
import type { Job } from "./Process.ts"

/** A target over medians: ours, the peers', and those of the cases before it. */
export interface Aim {
  readonly name: string
  readonly want: number
  /** What it came to; `undefined` when something it needs was not measured. */
  readonly got: (ours: number, peers: Peers, others: Peers) => number | undefined
  readonly most?: boolean
}
type Peers = Readonly<Record<string, number | undefined>>

export interface Case {
  readonly name: string
  readonly unit: string
  readonly ours: Job
  readonly peers: Readonly<Record<string, Job>>
  readonly aims: ReadonlyArray<Aim>
  /** Takes minutes: measured when it is named or with `--slow`, and then once. */
  readonly slow?: boolean
  /** Hardly varies: measured once, however many runs are asked for. */
  readonly once?: boolean
}

/** Ours over a peer. */
export const against = (name: string, want: number, peer: string): Aim => ({
  name,
  want,
  got: (mine, peers) => (peers[peer] === undefined ? undefined : mine / peers[peer])
})
/** Ours over ours of a case before. */
export const besides = (name: string, want: number, other: string): Aim => ({
  name,
  want,
  got: (mine, _, others) => (others[other] === undefined ? undefined : mine / others[other])
})
export const atMost = (name: string, want: number): Aim => ({ name, want, got: (mine) => mine, most: true })
export const atLeast = (name: string, want: number): Aim => ({ name, want, got: (mine) => mine })
