// The floor of our own pipeline, written by hand: access set, dedupe of 1,000 by chat and id, one async hook before and
// after, order within a chat, active conversations, an index of exact triggers over a normal form, a listener of messages.
import { EventEmitter } from "node:events"
import { farewell, firstQuestion, nameOf, secondQuestion, words } from "../Engine.ts"

const normalise = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replace(/\s+/g, " ").trim()

export const setup = (task, onReply) => {
  const tails = new Map()
  const triggers = new Map()
  const conversations = new Map()
  const blocked = new Set(["x"])
  const seen = new Map()
  const events = new EventEmitter()
  events.on("message", () => {})
  const reply = async (message, text) => {
    onReply(message.from, text)
    return { id: "r", chatId: message.from }
  }
  const when = (text, handler) => triggers.set(normalise(text), handler)
  if (task.scenario === "trivial") when("hola", (message) => reply(message, "ok"))
  if (task.scenario === "triggers") {
    for (const word of words(task.triggers)) when(word, (message) => reply(message, word))
  }
  const flow = async (message, ask) => {
    await reply(message, firstQuestion)
    const name = await ask()
    await reply(message, secondQuestion)
    const age = await ask()
    await reply(message, farewell(name, age))
  }
  const start = (message) =>
    new Promise((settled) => {
      const one = { settled, wake: null }
      conversations.set(message.from, one)
      const ask = () => {
        const rest = one.settled
        const answer = new Promise((wake) => {
          one.wake = wake
        })
        rest()
        return answer
      }
      flow(message, ask).then(() => {
        conversations.delete(message.from)
        one.settled()
      })
    })
  if (task.scenario === "conversation") when("start", start)
  const before = async (_, next) => {
    await next()
  }
  const after = async () => {}
  const handle = async (message) => {
    await before(message, async () => {
      const one = conversations.get(message.from)
      if (one === undefined) await triggers.get(normalise(message.body))?.(message)
      else {
        await new Promise((settled) => {
          one.settled = settled
          one.wake(message.body)
        })
      }
      await after(message)
    })
    events.emit("message", message)
  }
  const accept = (message) => {
    if (blocked.has(message.from)) return
    const key = `${message.from}\0${message.id}`
    if (seen.has(key)) return
    seen.set(key, message.body.length)
    if (seen.size > 1000) seen.delete(seen.keys().next().value)
    const earlier = tails.get(message.from)
    const handled = earlier ? earlier.then(() => handle(message)) : handle(message)
    const done = handled.then(() => {
      if (tails.get(message.from) === done) tails.delete(message.from)
    })
    tails.set(message.from, done)
    return done
  }
  let id = 0
  return {
    send: (chat, body) => {
      const from = nameOf(chat)
      return accept({ id: String(++id), from, sender: from, body, type: "text", fromMe: false })
    }
  }
}
