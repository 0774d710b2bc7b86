// The lock of @chat-adapter/state-ioredis alone. It is refused or granted, so whoever waits has to poll.
import { createIoRedisState } from "@chat-adapter/state-ioredis"

const logger = { debug() {}, info() {}, warn() {}, error: console.error, child: () => logger }
const again = () => new Promise((resolve) => setTimeout(resolve, 5))

export const connect = async (port) => {
  const state = createIoRedisState({ url: `redis://127.0.0.1:${port}`, logger })
  await state.connect()
  const acquire = async (key, lease) => {
    for (;;) {
      const lock = await state.acquireLock(key, lease)
      if (lock) return lock
      await again()
    }
  }
  return { state, acquire }
}

export const setup = async ({ lease, port }) => {
  const { acquire, state } = await connect(port)
  return {
    hold: async (key, act) => {
      const lock = await acquire(key, lease)
      await act()
      await state.releaseLock(lock)
    }
  }
}
