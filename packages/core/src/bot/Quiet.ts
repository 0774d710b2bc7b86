/** Knows when nothing of a bot is waiting or running: what `settled` completes on. */
import { Effect } from "effect"

export const makeQuiet = (isQuiet: () => boolean) => {
  let waiting: Array<() => void> = []
  return {
    /** Something ended: tells whoever waits, if it was the last. */
    check: (): void => {
      if (waiting.length === 0 || !isQuiet()) return
      const told = waiting
      waiting = []
      for (const tell of told) tell()
    },
    settled: Effect.callback<void>((resume) => {
      if (isQuiet()) return resume(Effect.void)
      const tell = (): void => resume(Effect.void)
      waiting.push(tell)
      return Effect.sync(() => {
        waiting = waiting.filter((other) => other !== tell)
      })
    })
  }
}
export type Quiet = ReturnType<typeof makeQuiet>
