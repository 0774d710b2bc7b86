// BullMQ: a job is added, and its worker in this process has handled it. There is no order within a key.
import { Queue, Worker } from "bullmq"

export const setup = async ({ callers, port }) => {
  const connection = { port, host: "127.0.0.1", maxRetriesPerRequest: null }
  const queue = new Queue("in", { connection, defaultJobOptions: { removeOnComplete: true, removeOnFail: true } })
  const waiting = new Map()
  const worker = new Worker("in", async () => {}, {
    connection,
    concurrency: Math.min(callers, 50),
    removeOnComplete: { count: 0 }
  })
  worker.on("error", console.error)
  worker.on("completed", ({ data }) => {
    waiting.get(data.nth)?.()
    waiting.delete(data.nth)
  })
  await queue.waitUntilReady()
  await worker.waitUntilReady()
  let count = 0
  return {
    hold: async (key, act) => {
      const nth = count++
      const handled = new Promise((resolve) => waiting.set(nth, resolve))
      await queue.add("message", { nth, key, text: "hola" })
      await handled
      await act()
    }
  }
}
