// What a message costs the Chat SDK in its Redis state with the lock strategy "queue": the mark of its id, the lock, whether
// the thread is subscribed, its state read and written, a look into the queue, the release.
import { connect } from "./chat-adapter.mjs"

export const setup = async ({ lease, port }) => {
  const { acquire, state } = await connect(port)
  let count = 0
  return {
    hold: async (key, act) => {
      await state.setIfNotExists(`dedupe:${count++}`, true, 300_000)
      const lock = await acquire(key, lease)
      await state.isSubscribed(key)
      const was = (await state.get(`thread-state:${key}`)) ?? {}
      await act()
      await state.set(`thread-state:${key}`, { ...was, step: 1, name: "Ana", plan: "pro" }, 2_592_000_000)
      await state.dequeue(key)
      await state.releaseLock(lock)
    }
  }
}
