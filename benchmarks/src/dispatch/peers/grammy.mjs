// grammY by `handleUpdate`, its API answered in place: by a transformer, or by `client.fetch` for conversations, whose
// plugin makes an Api of its own from the same options. The variant `ordered` keeps the order within a chat.
import { conversations, createConversation } from "@grammyjs/conversations"
import { sequentialize } from "@grammyjs/runner"
import { Bot } from "grammy"
import { farewell, firstQuestion, secondQuestion, words } from "../Engine.ts"

const answer = (text) => ({
  ok: true,
  result: { message_id: 1, date: 0, chat: { id: 1, type: "private" }, text }
})

const botInfo = {
  id: 1,
  is_bot: true,
  first_name: "b",
  username: "b_bot",
  can_join_groups: false,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false
}

export const setup = (task, onReply) => {
  const fetch = async () => {
    onReply()
    return { json: async () => answer("") }
  }
  const bot = new Bot("1:x", { botInfo, client: { fetch } })
  if (task.scenario !== "conversation") {
    bot.api.config.use(async (_, __, payload) => {
      onReply()
      return answer(payload.text)
    })
  }
  if (task.variant === "ordered") bot.use(sequentialize((ctx) => String(ctx.chatId)))
  if (task.scenario === "trivial") bot.hears("hola", (ctx) => ctx.reply("ok"))
  if (task.scenario === "triggers") for (const word of words(task.triggers)) bot.hears(word, (ctx) => ctx.reply(word))
  if (task.scenario === "conversation") {
    bot.use(conversations())
    bot.use(
      createConversation(async (conversation, ctx) => {
        await ctx.reply(firstQuestion)
        const name = await conversation.waitFor(":text")
        await ctx.reply(secondQuestion)
        const age = await conversation.waitFor(":text")
        await ctx.reply(farewell(name.msg.text, age.msg.text))
      }, "form")
    )
    bot.hears("start", (ctx) => ctx.conversation.enter("form"))
  }
  let id = 0
  return {
    send: (chat, text) => {
      id++
      const from = { id: chat + 1, is_bot: false, first_name: "u" }
      return bot.handleUpdate({
        update_id: id,
        message: {
          message_id: id,
          date: 1_700_000_000,
          chat: { id: chat + 1, type: "private", first_name: "u" },
          from,
          text
        }
      })
    }
  }
}
