// The floor by hand: a ticket in order and a fenced lease in one script, checkpoint, release and the next grant in another;
// who waits is woken by publish. Nobody renews, recovers the dead or repairs a lost reply.
import { Redis } from "ioredis"

// KEYS: holder, queue, row (fence, rev, body)   ARGV: ticket, lease
const take = `
if redis.call('exists', KEYS[1]) == 0 and redis.call('llen', KEYS[2]) == 0 then
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
  local fence = redis.call('hincrby', KEYS[3], 'fence', 1)
  local row = redis.call('hmget', KEYS[3], 'rev', 'body')
  return { fence, row[1], row[2] }
end
redis.call('rpush', KEYS[2], ARGV[1])
return { 0 }`
// ARGV: ticket, rev expected, body, lease
const done = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
local rev = redis.call('hget', KEYS[3], 'rev') or ''
if rev ~= ARGV[2] then return -1 end
local following = (tonumber(rev) or 0) + 1
redis.call('hset', KEYS[3], 'rev', following, 'body', ARGV[3])
local next = redis.call('lpop', KEYS[2])
if not next then
  redis.call('del', KEYS[1])
  return 1
end
local fence = redis.call('hincrby', KEYS[3], 'fence', 1)
redis.call('set', KEYS[1], next, 'PX', ARGV[4])
redis.call('publish', string.match(next, '^[^/]+'), cjson.encode({ next, fence, tostring(following), ARGV[3] }))
return 1`

export const setup = async ({ lease, port }) => {
  const client = new Redis(port, "127.0.0.1")
  const listener = new Redis(port, "127.0.0.1")
  const taken = await client.script("LOAD", take)
  const given = await client.script("LOAD", done)
  const replica = `replica${process.pid}`
  const waiting = new Map()
  await listener.subscribe(replica)
  listener.on("message", (_, message) => {
    const [ticket, ...grant] = JSON.parse(message)
    waiting.get(ticket)?.(grant)
  })
  const body = JSON.stringify({ flow: "form", step: 1, state: { name: "Ana", plan: "pro" } })
  let count = 0
  return {
    hold: async (key, act) => {
      const ticket = `${replica}/${count++}`
      const keys = [`{${key}}:holder`, `{${key}}:queue`, `{${key}}:row`]
      const woken = new Promise((resolve) => waiting.set(ticket, resolve))
      let grant = await client.evalsha(taken, 3, ...keys, ticket, lease)
      if (grant[0] === 0) grant = await woken
      waiting.delete(ticket)
      await act()
      const ended = await client.evalsha(given, 3, ...keys, ticket, grant[1] ?? "", body, lease)
      if (ended !== 1) throw new Error(`the floor lost a turn: ${ended}`)
    }
  }
}
