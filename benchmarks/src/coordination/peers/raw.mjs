// The ceiling: one EVALSHA of a script that does nothing.
import { Redis } from "ioredis"

export const setup = async ({ port }) => {
  const client = new Redis(port, "127.0.0.1")
  const sha = await client.script("LOAD", "return 1")
  return { hold: (key, act) => client.evalsha(sha, 1, key, "a").then(act) }
}
