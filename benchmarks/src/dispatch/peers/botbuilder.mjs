// Microsoft's botbuilder by `TestAdapter.processActivity`; a conversation is a WaterfallDialog of TextPrompts over
// ConversationState in MemoryStorage.
import botbuilder from "botbuilder"
import dialogsPackage from "botbuilder-dialogs"
import { farewell, firstQuestion, secondQuestion, words } from "../Engine.ts"

const { AutoSaveStateMiddleware, ConversationState, MemoryStorage, TestAdapter } = botbuilder
const { DialogSet, TextPrompt, WaterfallDialog } = dialogsPackage

const conversationOf = (adapter) => {
  const state = new ConversationState(new MemoryStorage())
  const dialogs = new DialogSet(state.createProperty("d"))
  dialogs.add(new TextPrompt("p"))
  dialogs.add(
    new WaterfallDialog("form", [
      (step) => step.prompt("p", firstQuestion),
      (step) => {
        step.values.name = step.result
        return step.prompt("p", secondQuestion)
      },
      async (step) => {
        await step.context.sendActivity(farewell(step.values.name, step.result))
        return step.endDialog()
      }
    ])
  )
  adapter.use(new AutoSaveStateMiddleware(state))
  return async (context) => {
    const dialog = await dialogs.createContext(context)
    const { status } = await dialog.continueDialog()
    if (status === "empty" && context.activity.text === "start") await dialog.beginDialog("form")
  }
}

export const setup = (task, onReply) => {
  const adapter = new TestAdapter(async () => {})
  const sendActivities = adapter.sendActivities.bind(adapter)
  adapter.sendActivities = async (context, activities) => {
    const sent = await sendActivities(context, activities)
    for (const activity of activities) if (activity.type === "message") onReply()
    adapter.activeQueue.length = 0
    return sent
  }
  const texts = task.scenario === "trivial" ? [["hola", "ok"]] : words(task.triggers).map((word) => [word, word])
  const logic =
    task.scenario === "conversation"
      ? conversationOf(adapter)
      : async (context) => {
          for (const [text, reply] of texts) {
            if (context.activity.text !== text) continue
            await context.sendActivity(reply)
            return
          }
        }
  let id = 0
  return {
    send: (chat, text) =>
      adapter.processActivity(
        {
          type: "message",
          id: String(++id),
          text,
          channelId: "test",
          from: { id: `u${chat}`, name: "u" },
          conversation: { id: `c${chat}` }
        },
        logic
      )
  }
}
