/** A whole message of a bot whose turns are on Redis: everything of `../dispatch/Botmesh.ts` on, the store in memory. */
import { setup as setupBot } from "../dispatch/Botmesh.ts"
import type { Setup } from "./Contender.ts"

export const setup: Setup = async ({ port }) => {
  process.env["BENCH_REDIS"] = `redis://127.0.0.1:${port}`
  const bot = await setupBot({ scenario: "trivial", triggers: 1, variant: "redis" }, () => {})
  const chats = new Map<string, number>()
  const chatOf = (key: string): number => {
    const known = chats.get(key) ?? chats.size
    chats.set(key, known)
    return known
  }
  return { hold: (key, act) => bot.send(chatOf(key), "hola").then(act) }
}
