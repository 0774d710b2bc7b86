// XState, conversations only: an actor a chat, found in a map, that waits for answers.
import { assign, createActor, createMachine } from "xstate"
import { farewell, firstQuestion, secondQuestion } from "../Engine.ts"

const machineOf = (onReply) =>
  createMachine({
    id: "form",
    initial: "name",
    context: { name: "", age: "" },
    entry: () => onReply(firstQuestion),
    states: {
      name: {
        on: {
          ANSWER: {
            target: "age",
            actions: [assign({ name: ({ event }) => event.text }), () => onReply(secondQuestion)]
          }
        }
      },
      age: {
        on: {
          ANSWER: {
            target: "done",
            actions: [
              assign({ age: ({ event }) => event.text }),
              ({ context }) => onReply(farewell(context.name, context.age))
            ]
          }
        }
      },
      done: { type: "final" }
    }
  })

export const setup = (_, onReply) => {
  const machine = machineOf(onReply)
  const actors = new Map()
  const handle = (chat, text) => {
    const actor = actors.get(chat)
    if (actor !== undefined) {
      actor.send({ type: "ANSWER", text })
      if (actor.getSnapshot().status === "done") actors.delete(chat)
      return
    }
    if (text !== "start") return
    const started = createActor(machine)
    actors.set(chat, started)
    started.start()
  }
  return { send: async (chat, text) => handle(chat, text) }
}
