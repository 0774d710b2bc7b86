/**
 * botmesh with everything on: dedupe, store, one hook on each side, one subscriber of the events, metrics. Messages come
 * in as from any transport, through `host.receive`; one is done when the subscriber is told of it.
 *
 * Variants, in any combination: `flow` asks by a flow in place of a free-form conversation, `document` by a flow document;
 * `persistent` keeps a checkpoint; `dormant` gives the fiber up at once; `sqlite` stores in the SQLite file that BENCH_FILE
 * names; `redis` takes its turns on the Redis that BENCH_REDIS names.
 */
import {
  Bot,
  type Chat,
  Flow,
  type InboundEvent,
  InProcessScheduler,
  LocalCoordinator,
  layerNoDurability,
  MemoryStore,
  Provider,
  Store
} from "@botmesh/core"
import { fromDriver, type ProviderHost, type ProviderShape, type StoreShape } from "@botmesh/core/spi"
import { compile } from "@botmesh/flows"
import { Redis, RedisCoordinator } from "@botmesh/redis"
import { SqliteStore } from "@botmesh/sql"
import { Effect, Layer, ManagedRuntime, Stream } from "effect"
import { farewell, firstQuestion, nameOf, type Setup, secondQuestion, type Task, words } from "./Engine.ts"

/** The event carries its own end through the engine. */
class Message {
  readonly _tag = "message"
  readonly isGroup = false
  readonly type = "text"
  readonly ref: { readonly id: string; readonly chatId: string }
  readonly from: string
  readonly sender: string
  readonly body: string
  readonly done: () => void
  constructor(id: string, chat: string, body: string, done: () => void) {
    this.ref = { id, chatId: chat }
    this.from = chat
    this.sender = chat
    this.body = body
    this.done = done
  }
}

const isPersistent = (task: Task): boolean => task.variant.includes("persistent") || isDormant(task)
const isDormant = (task: Task): boolean => task.variant.includes("dormant")

const signUp = Flow.make("form").pipe(
  Flow.ask("name", firstQuestion),
  Flow.ask("age", secondQuestion),
  Flow.say(({ age, name }) => farewell(name, age))
)
/** The same as a document. */
const asDocument = (task: Task) =>
  Effect.runSync(
    compile({
      version: 2,
      id: "form",
      persistent: isPersistent(task),
      steps: [
        { kind: "ask", text: firstQuestion, stateKey: "name" },
        { kind: "ask", text: secondQuestion, stateKey: "age" },
        { kind: "say", text: farewell("{{ name }}", "{{ age }}") }
      ]
    })
  )
const questions = (task: Task) =>
  task.variant.includes("document")
    ? Bot.flow(asDocument(task).flow, { trigger: "start" })
    : task.variant.includes("flow")
      ? Bot.flow(isPersistent(task) ? Flow.persistent(signUp) : signUp, { trigger: "start" })
      : Bot.conversation(
          "start",
          (c) =>
            Effect.gen(function* () {
              const name = yield* c.ask("name", firstQuestion)
              const age = yield* c.ask("age", secondQuestion)
              yield* c.say(farewell(name, age))
            }),
          { persistent: isPersistent(task) }
        )

const reply = (text: string) => (chat: Chat) => chat.reply(text)
const handlersOf = (task: Task) => {
  switch (task.scenario) {
    case "trivial":
      return [Bot.when("hola", reply("ok"))]
    case "triggers":
      return words(task.triggers).map((word) => Bot.when(word, reply(word)))
    case "conversation":
      return [questions(task)]
  }
}

/** The hooks do a little something: one that only gives back `Effect.void` would be cheaper than real ones are. */
const botOf = (task: Task) => {
  let before = 0
  let after = 0
  const hooks = [
    Bot.before("message", () => Effect.sync(() => void before++)),
    Bot.after("message", () => Effect.sync(() => after++))
  ]
  const options: Bot.BotOptions = isDormant(task) ? { conversation: { dormantAfter: "500ms" } } : {}
  return Bot.make("bench", [...handlersOf(task), ...hooks], options)
}

const providerOf = (started: (host: ProviderHost) => void, onReply: () => void): ProviderShape => {
  const receipt = { ref: { id: "r", chatId: "c" } }
  return {
    id: "bench",
    capabilities: {
      exclusiveSession: false,
      contents: new Set(["text", "choices"]),
      typing: false,
      markRead: false,
      clientIds: false
    },
    start: (host) => Effect.sync(() => started(host)),
    send: () =>
      Effect.sync(() => {
        onReply()
        return receipt
      }),
    presence: () => Effect.void,
    download: () => Effect.succeed(new Uint8Array()),
    connection: Stream.make({ state: "ready" })
  }
}

/** A memory store whose rows can be thrown away, to tell what they weigh from what the engine holds beside them. */
const forgettable = () => {
  let rows: StoreShape = fromDriver(MemoryStore.make())
  const store: StoreShape = {
    name: "memory",
    persistent: false,
    admit: (...args) => rows.admit(...args),
    saveMessage: (...args) => rows.saveMessage(...args),
    messages: (...args) => rows.messages(...args),
    open: (...args) => rows.open(...args),
    profile: (...args) => rows.profile(...args),
    setProfile: (...args) => rows.setProfile(...args),
    handoff: (...args) => rows.handoff(...args),
    setHandoff: (...args) => rows.setHandoff(...args),
    getCheckpoint: (...args) => rows.getCheckpoint(...args),
    setCheckpointIf: (...args) => rows.setCheckpointIf(...args),
    clearCheckpointIf: (...args) => rows.clearCheckpointIf(...args),
    raiseFence: (...args) => rows.raiseFence(...args),
    checkpoints: (...args) => rows.checkpoints(...args),
    due: (...args) => rows.due(...args),
    getValue: (...args) => rows.getValue(...args),
    setValue: (...args) => rows.setValue(...args),
    takeValue: (...args) => rows.takeValue(...args),
    putValue: (...args) => rows.putValue(...args)
  }
  return {
    layer: Layer.succeed(Store, store),
    forget: () => {
      rows = fromDriver(MemoryStore.make())
    }
  }
}

export const setup: Setup = async (task, onReply) => {
  const rows = forgettable()
  // What is measured for speed has the store itself, without anything between.
  const store = task.variant.includes("sqlite")
    ? SqliteStore.layer({ filename: process.env["BENCH_FILE"] ?? "" })
    : !isPersistent(task)
      ? MemoryStore.layer()
      : rows.layer
  const bot = botOf(task)
  let host: ProviderHost | undefined
  const provider = Layer.succeed(
    Provider,
    providerOf((started) => {
      host = started
    }, onReply)
  )
  const coordinator = task.variant.includes("redis")
    ? RedisCoordinator.layer().pipe(Layer.provide(Redis.layer({ url: process.env["BENCH_REDIS"] ?? "" })))
    : LocalCoordinator.layer()
  const layer = Bot.layer(bot).pipe(
    Layer.provide(provider),
    Layer.provide(Layer.mergeAll(store, coordinator, layerNoDurability, InProcessScheduler.layer))
  )
  const runtime = ManagedRuntime.make(layer)
  const running = await runtime.runPromise(bot)
  runtime.runFork(
    Stream.runForEachArray(running.events, (events) =>
      Effect.sync(() => {
        for (const event of events) {
          if (event._tag === "message" && isMessage(event.chat.event)) event.chat.event.done()
        }
      })
    )
  )
  const started = host
  if (started === undefined) throw new Error("the bot did not start its provider")
  const context = await runtime.context()
  const fork = Effect.runForkWith(context)
  // As a transport with one connection does: what has come in since the last look is handed over one by one. A webhook
  // hands over each on its own, and what they write can share a commit.
  const concurrency = task.variant.includes("sqlite") ? "unbounded" : 1
  let arrived: Array<Message> = []
  const handOver = (): void => {
    const events = arrived
    arrived = []
    fork(Effect.forEach(events, (event) => started.receive([event]), { concurrency, discard: true }))
  }
  let id = 0
  return {
    send: (chat, text) =>
      new Promise<void>((resolve) => {
        if (arrived.length === 0) queueMicrotask(handOver)
        arrived.push(new Message(String(++id), nameOf(chat), text, resolve))
      }),
    rest: async () => {
      if (!isDormant(task)) return
      while (running.conversations.list().length > 0) await new Promise((resolve) => setTimeout(resolve, 50))
    },
    forgetRows: rows.forget
  }
}

const isMessage = (event: InboundEvent): event is InboundEvent & Message => event instanceof Message
