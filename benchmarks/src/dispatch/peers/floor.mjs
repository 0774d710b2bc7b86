// The least a bot can do: a map of exact texts and a chain of promises a chat; a conversation is an async function parked
// on a promise.
import { farewell, firstQuestion, secondQuestion, words } from "../Engine.ts"

export const setup = (task, onReply) => {
  const tails = new Map()
  const triggers = new Map()
  const conversations = new Map()
  const reply = async (chat, text) => {
    onReply(chat, text)
  }
  if (task.scenario === "trivial") triggers.set("hola", (chat) => reply(chat, "ok"))
  if (task.scenario === "triggers") {
    for (const word of words(task.triggers)) triggers.set(word, (chat) => reply(chat, word))
  }
  const flow = async (chat, ask) => {
    await reply(chat, firstQuestion)
    const name = await ask()
    await reply(chat, secondQuestion)
    const age = await ask()
    await reply(chat, farewell(name, age))
  }
  const start = (chat) =>
    new Promise((settled) => {
      const one = { settled, wake: null }
      conversations.set(chat, one)
      const ask = () => {
        const rest = one.settled
        const answer = new Promise((wake) => {
          one.wake = wake
        })
        rest()
        return answer
      }
      flow(chat, ask).then(() => {
        conversations.delete(chat)
        one.settled()
      })
    })
  if (task.scenario === "conversation") triggers.set("start", start)
  const handle = (chat, text) => {
    const one = conversations.get(chat)
    if (one === undefined) return triggers.get(text)?.(chat)
    return new Promise((settled) => {
      one.settled = settled
      one.wake(text)
    })
  }
  const send = (chat, text) => {
    const before = tails.get(chat)
    const handled = before ? before.then(() => handle(chat, text)) : Promise.resolve(handle(chat, text))
    const done = handled.then(() => {
      if (tails.get(chat) === done) tails.delete(chat)
    })
    tails.set(chat, done)
    return done
  }
  return { send }
}
