// redlock on one Redis, with its own defaults but for giving up: it polls.
import { createRequire } from "node:module"
import { Redis } from "ioredis"

// What it exports to import is not what it says it does.
const { default: Redlock } = createRequire(import.meta.url)("redlock")

export const setup = ({ lease, port }) => {
  const locks = new Redlock([new Redis(port, "127.0.0.1")], { retryCount: 1000 })
  return {
    hold: async (key, act) => {
      const lock = await locks.acquire([`lock:${key}`], lease)
      await act()
      await lock.release()
    }
  }
}
