/** What every contender of the benchmark offers, ours and the peers': a file that exports `setup`. */

export interface Place {
  /** Of the private Redis. */
  readonly port: number
  /** How many take turns at a time. */
  readonly callers: number
  /** ms. */
  readonly lease: number
}

export interface Made {
  /** Takes the turn of a key, acts, and gives it back. */
  readonly hold: (key: string, act: () => Promise<void>) => Promise<unknown>
  /** One caller that takes turn after turn, where a promise for each would not be its natural form. */
  readonly caller?: Contender["caller"]
}
export interface Contender extends Made {
  /** Takes turns until `goes` says no; `onTurn` in each. */
  readonly caller: (keyOf: (nth: number) => string, goes: () => boolean, onTurn: () => void) => Promise<void>
}
export type Setup = (place: Place) => Made | Promise<Made>

export const longLease = 15_000

/** @param file relative to this folder */
export const open = async (file: string, place: Place): Promise<Contender> => {
  const { setup }: { readonly setup: Setup } = await import(new URL(file, import.meta.url).href)
  const made = await setup(place)
  const caller: Contender["caller"] = async (keyOf, goes, onTurn) => {
    const act = async () => onTurn()
    for (let nth = 0; goes(); nth++) await made.hold(keyOf(nth), act)
  }
  return { caller, ...made }
}

export const say = (measured: { readonly value: number; readonly [name: string]: number }): void => {
  process.stdout.write(`@@${JSON.stringify(measured)}\n`)
}

export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
