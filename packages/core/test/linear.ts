import { assert } from "vitest"

const fastest = (times: number, work: () => void): number => {
  let best = Number.POSITIVE_INFINITY
  for (let time = 0; time < times; time++) {
    const start = process.cpuUsage()
    work()
    const { system, user } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}

/**
 * Eight times the input takes about eight times the time; work in the square of it would take 64 times. Compares two runs
 * of the same moment by the processor's time, so a slow or busy machine does not fail it.
 */
export const assertLinear = (work: (size: number) => void, size: number): void => {
  const ratios: Array<number> = []
  for (let round = 0; round < 6; round++) {
    const small = fastest(4, () => work(size))
    const ratio = fastest(2, () => work(size * 8)) / Math.max(small, 0.05)
    if (ratio < 32) return
    ratios.push(Math.round(ratio))
  }
  assert.fail(`8 times the input took ${ratios.join(", ")} times the time`)
}
