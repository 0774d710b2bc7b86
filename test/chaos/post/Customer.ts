/** What a simulated customer does: writes when it is let to, and listens. */
export interface Customer {
  readonly chat: string
  /** What to write now, made of the message's number; `undefined` when there is nothing to say just now. */
  readonly next: (now: number) => ((n: number) => string) | undefined
  readonly wrote: (n: number, now: number) => void
  /** @returns what the log is to say of it, where that is not the text itself */
  readonly heard: (text: string, now: number) => ReadonlyArray<string> | undefined
  readonly placed: (n: number, now: number) => void
  /** True while more of what was begun is to be written soon. */
  readonly eager: () => boolean
}

/** ms after which a customer thinks that no answer will come, and goes on. */
export const patience = 4_000

export const numbersOf = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/[#=](\d+)/gu)].map(([, digits]) => Number(digits))
