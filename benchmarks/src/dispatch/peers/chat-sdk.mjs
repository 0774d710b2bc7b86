// The Chat SDK (`chat`) over its memory state and an adapter in memory; not a direct message, so that patterns apply.
import { createMemoryState } from "@chat-adapter/state-memory"
import { Chat, Message, parseMarkdown } from "chat"
import { farewell, firstQuestion, secondQuestion, words } from "../Engine.ts"

const adapterOf = (onReply) => ({
  name: "mem",
  userName: "bot",
  botUserId: "bot",
  lockScope: "thread",
  initialize: async () => {},
  handleWebhook: async () => new Response("ok"),
  channelIdFromThreadId: (thread) => thread.split(":").slice(0, 2).join(":"),
  encodeThreadId: (thread) => `mem:${thread}`,
  decodeThreadId: (thread) => thread.slice(4),
  postMessage: async (threadId) => {
    onReply()
    return { id: "r", threadId, raw: {} }
  },
  editMessage: async (threadId) => ({ id: "r", threadId, raw: {} }),
  deleteMessage: async () => {},
  addReaction: async () => {},
  removeReaction: async () => {},
  fetchMessages: async () => ({ messages: [] }),
  fetchThread: async (id) => ({ id, channelId: id, metadata: {} }),
  startTyping: async () => {},
  parseMessage: (raw) => raw,
  renderFormatted: String,
  isDM: () => false
})

export const setup = async (task, onReply) => {
  const adapter = adapterOf(onReply)
  const chat = new Chat({ adapters: { mem: adapter }, state: createMemoryState(), userName: "bot", logger: "silent" })
  if (task.scenario === "trivial") chat.onNewMessage(/^hola$/, (thread) => thread.post("ok"))
  if (task.scenario === "triggers") {
    for (const word of words(task.triggers)) chat.onNewMessage(new RegExp(`^${word}$`), (thread) => thread.post(word))
  }
  if (task.scenario === "conversation") {
    chat.onNewMessage(/^start$/, async (thread) => {
      await thread.subscribe()
      await thread.setState({ step: 1 })
      await thread.post(firstQuestion)
    })
    chat.onSubscribedMessage(async (thread, message) => {
      const state = await thread.state
      if (state.step === 1) {
        await thread.setState({ step: 2, name: message.text })
        await thread.post(secondQuestion)
        return
      }
      await thread.unsubscribe()
      await thread.setState({}, { replace: true })
      await thread.post(farewell(state.name, message.text))
    })
  }
  await chat.initialize()
  const dateSent = new Date()
  // Made once: the parsing of an adapter is not what is measured.
  const formatted = parseMarkdown("x")
  let id = 0
  return {
    send: (chatId, text) => {
      const threadId = `mem:C${chatId}:t`
      const author = { userId: `U${chatId}`, userName: "u", fullName: "u", isBot: false, isMe: false }
      const metadata = { dateSent, edited: false }
      return chat.processMessage(
        adapter,
        threadId,
        new Message({ id: String(++id), threadId, text, formatted, raw: {}, author, metadata, attachments: [] })
      )
    }
  }
}
