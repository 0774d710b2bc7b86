import { expect, it } from "@effect/vitest"
import { Bot, Flow, type HandoverInfo } from "@botmesh/core"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { breathe } from "../kit/Engine.ts"
import { world } from "../kit/Replicas.ts"

const two = Flow.make("two").pipe(
  Flow.ask("a", "¿a?"),
  Flow.ask("b", "¿b?"),
  Flow.say(({ a, b }) => `fin ${a}${b}`)
)
const talk = Bot.conversation("charla", (c) =>
  Effect.gen(function* () {
    const first = yield* c.ask("x", "¿x?")
    const second = yield* c.ask("y", `¿y, ${first}?`)
    yield* c.say(`fin ${first}${second}`)
  })
)
const catchAll = Bot.onMessage((chat) => chat.reply(`nuevo: ${chat.body}`))
const bot = (options: Bot.BotOptions = {}) => Bot.make("b", [Bot.flow(two, { trigger: "go" }), talk, catchAll], options)
const forward: Bot.BotOptions = { handover: { flows: "forward" } }
const outcomes = (replica: {
  readonly events: {
    readonly of: (tag: "coordination:handover") => Effect.Effect<ReadonlyArray<{ readonly outcome: string }>>
  }
}) => Effect.map(replica.events.of("coordination:handover"), (list) => list.map(({ outcome }) => outcome))

it.effect("C18: by default a conversation that is not persistent stays behind, and the message is new", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    const one = yield* replica(bot(), "one")
    const other = yield* replica(bot(), "two")
    yield* one.says("ana", "go")
    expect(yield* store.getCheckpoint("default/b", "ana")).toEqual({})
    expect(yield* other.says("ana", "1")).toEqual(["nuevo: 1"])
    expect(yield* outcomes(other)).toEqual([])
  })
)

it.effect("C18 C12: forward moves a flow and a free-form conversation, question by question, round robin", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    const replicas = [yield* replica(bot(forward), "one"), yield* replica(bot(forward), "two")]
    for (const [chat, lines] of [
      ["ana", ["go", "1", "2"]],
      ["eva", ["charla", "3", "4"]]
    ] as const) {
      const said: Array<string> = []
      for (const [at, line] of lines.entries()) said.push(...(yield* replicas[at % 2]!.says(chat, line)))
      expect(said).toEqual(chat === "ana" ? ["¿a?", "¿b?", "fin 12"] : ["¿x?", "¿y, 3?", "fin 34"])
      const left = yield* store.getCheckpoint("default/b", chat)
      expect(left.checkpoint).toBeUndefined()
    }
    const [one, other] = replicas
    expect(yield* outcomes(one!)).toEqual(["resumed", "resumed"])
    expect(yield* outcomes(other!)).toEqual(["resumed", "resumed"])
    expect(other!.bot.metrics.snapshot().handovers).toMatchObject({ resumed: 2, dropped: 0 })
  })
)

it.effect("C18: nothing is stored before the first wait, nor after the end", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const writes: Array<string> = []
    const quick = Flow.make("quick").pipe(
      Flow.run("r", () => Effect.succeed(1)),
      Flow.say("hecho")
    )
    const asks = Flow.make("asks").pipe(
      Flow.run("r", () => Effect.succeed(1)),
      Flow.say("antes"),
      Flow.ask("a", "¿a?"),
      Flow.say("fin")
    )
    const one = yield* replica(
      Bot.make("b", [Bot.flow(quick, { trigger: "quick" }), Bot.flow(asks, { trigger: "asks" })], forward),
      "one",
      (store) => ({
        setCheckpointIf: (scope, key, next) =>
          Effect.andThen(
            Effect.sync(() => writes.push(`set ${next.stepId} ${next.wait?.kind}`)),
            store.setCheckpointIf(scope, key, next)
          ),
        clearCheckpointIf: (...given) =>
          Effect.andThen(
            Effect.sync(() => writes.push("clear")),
            store.clearCheckpointIf(...given)
          )
      })
    )
    yield* one.says("ana", "quick")
    expect(writes).toEqual([])
    yield* one.says("ana", "asks")
    expect(writes).toEqual(["set a ask"])
    yield* one.says("ana", "x")
    expect(writes.at(-1)).toBe("clear")
  })
)

it.effect("C18 I16: it is kept for the ttl after its last wait, renewed at each, and no longer", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    const one = yield* replica(bot(forward), "one")
    const other = yield* replica(bot(forward), "two")
    yield* one.says("ana", "go")
    yield* TestClock.adjust("4 minutes")
    yield* one.says("ana", "1")
    yield* TestClock.adjust("4 minutes")
    expect((yield* store.getCheckpoint("default/b", "ana")).checkpoint).toBeDefined()
    yield* TestClock.adjust("61 seconds")
    expect((yield* store.getCheckpoint("default/b", "ana")).checkpoint).toBeUndefined()
    expect(yield* other.says("ana", "2")).toEqual(["nuevo: 2"])
  })
)

it.effect("C18: a conversation whose row has expired goes on where it lives, and is stored again", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    const one = yield* replica(bot(forward), "one")
    const other = yield* replica(bot(forward), "two")
    yield* one.says("ana", "go")
    yield* TestClock.adjust("10 minutes")
    expect(yield* one.says("ana", "1")).toEqual(["¿b?"])
    expect((yield* store.getCheckpoint("default/b", "ana")).checkpoint).toMatchObject({ revision: 2, stepId: "b" })
    expect(yield* other.says("ana", "2")).toEqual(["fin 12"])
    yield* one.says("eva", "go")
    yield* one.says("eva", "1")
    yield* TestClock.adjust("10 minutes")
    expect(yield* one.says("eva", "2")).toEqual(["fin 12"])
    expect(one.bot.metrics.snapshot()).toMatchObject({ checkpointsRefused: 0, errors: 0 })
  })
)

it.effect("C18 C23: the ttl is never over before the wait, and its deadline acts on the replica that is left", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const slow = Flow.make("slow").pipe(Flow.ask("a", "¿a?", { timeout: "1h" }), Flow.say("fin"))
    const definition = Bot.make("b", [Bot.flow(slow, { trigger: "go" })], forward)
    const one = yield* replica(definition, "one")
    const other = yield* replica(definition, "two")
    yield* one.says("ana", "go")
    yield* one.bot.stop
    yield* TestClock.adjust("59 minutes")
    expect(other.texts("ana")).toEqual([])
    yield* TestClock.adjust("2 minutes")
    yield* other.bot.settled
    expect(other.texts("ana")).toHaveLength(1)
    expect(other.bot.metrics.snapshot().conversationsEnded.timeout).toBe(1)
  })
)

it.effect("C18: it is kept after an orderly stop, and the same replica started again goes on", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const one = yield* replica(bot(forward), "one")
    yield* one.says("ana", "go")
    yield* one.bot.stop
    expect(one.bot.metrics.snapshot().conversationsEnded.lost).toBe(0)
    yield* one.bot.start
    expect(yield* one.says("ana", "1")).toEqual(["¿b?"])
  })
)

it.effect("C18: a replica that does not forward resumes one all the same, then deletes it", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    const one = yield* replica(bot(forward), "one")
    const old = yield* replica(bot(), "two")
    yield* one.says("ana", "go")
    expect(yield* old.says("ana", "1")).toEqual(["¿b?"])
    expect((yield* store.getCheckpoint("default/b", "ana")).checkpoint).toBeUndefined()
    expect(yield* old.says("ana", "2")).toEqual(["fin 12"])
    expect(old.bot.metrics.snapshot()).toMatchObject({ checkpointsRefused: 0, errors: 0 })
  })
)

const changed = (options: Bot.BotOptions) =>
  Bot.make(
    "b",
    [Bot.flow(Flow.make("two").pipe(Flow.ask("a", "¿a?"), Flow.ask("z", "¿z?")), { trigger: "go" }), catchAll],
    options
  )

it.effect("C18 I16: under another fingerprint it does not go on: the message is new, and that is told", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    const one = yield* replica(bot(forward), "one")
    const other = yield* replica(changed(forward), "two")
    yield* one.says("ana", "go")
    expect(yield* other.says("ana", "1")).toEqual(["nuevo: 1"])
    expect((yield* store.getCheckpoint("default/b", "ana")).checkpoint).toBeUndefined()
    expect(yield* other.events.of("coordination:handover")).toEqual([
      { _tag: "coordination:handover", key: "ana", name: "two", outcome: "dropped" }
    ])
    expect(other.bot.metrics.snapshot().conversationsEnded.changed).toBe(1)
  })
)

it.effect(
  "C18: fallback notify tells the person and consumes the message, in words of the bot's own or the localised ones",
  () =>
    Effect.gen(function* () {
      for (const [notifyMessage, said] of [
        ["Perdona, empecemos otra vez", "Perdona, empecemos otra vez"],
        [undefined, "Nuestra conversación se interrumpió. Empecemos de nuevo, por favor."]
      ] as const) {
        const { replica } = world()
        const one = yield* replica(bot(forward), "one")
        const handover = {
          flows: "forward",
          fallback: "notify",
          ...(notifyMessage === undefined ? {} : { notifyMessage })
        }
        const other = yield* replica(changed({ handover } as Bot.BotOptions), "two")
        yield* one.says("ana", "go")
        expect(yield* other.says("ana", "1", { lang: "es" })).toEqual([said])
        expect(yield* outcomes(other)).toEqual(["notified"])
        expect(yield* other.says("ana", "2")).toEqual(["nuevo: 2"])
      }
    })
)

it.effect("C18: fallback restart begins again with the state it began with", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const greet = (question: string) =>
      Flow.make("greet", { input: Schema.Struct({ name: Schema.String }) }).pipe(
        Flow.ask("a", ({ name }) => `${name}, ${question}`),
        Flow.ask(question, "¿más?"),
        Flow.say("fin")
      )
    const definition = (question: string, options: Bot.BotOptions) =>
      Bot.make("b", [Bot.flow(greet(question)), catchAll], options)
    const one = yield* replica(definition("¿a?", forward), "one")
    const other = yield* replica(definition("¿b?", { handover: { flows: "forward", fallback: "restart" } }), "two")
    yield* one.bot.trigger("greet", { chatId: "ana", data: { name: "Ana" } })
    expect(one.texts("ana")).toEqual(["Ana, ¿a?"])
    expect(yield* other.says("ana", "1")).toEqual(["Ana, ¿b?"])
    expect(yield* outcomes(other)).toEqual(["restarted"])
    expect(yield* other.says("ana", "2")).toEqual(["¿más?"])
  })
)

it.effect("C18: a fallback of one's own reads what is known, and says whether it consumed the message", () =>
  Effect.gen(function* () {
    const known: Array<HandoverInfo> = []
    const { replica } = world()
    const one = yield* replica(bot(forward), "one")
    const other = yield* replica(
      changed({
        handover: {
          flows: "forward",
          fallback: (info, chat) =>
            Effect.andThen(
              Effect.sync(() => known.push(info)),
              chat.body === "sí" ? Effect.as(chat.reply("retomo"), true) : Effect.succeed(false)
            )
        }
      }),
      "two"
    )
    for (const [chat, body] of [
      ["ana", "sí"],
      ["eva", "no"]
    ] as const) {
      yield* one.says(chat, "go")
      yield* one.says(chat, "1")
      expect(yield* other.says(chat, body)).toEqual([chat === "ana" ? "retomo" : "nuevo: no"])
    }
    expect(known[0]).toMatchObject({ key: "ana", flow: "two", step: "b", reason: "changed", state: { a: "1" } })
    expect(yield* outcomes(other)).toEqual(["handled", "dropped"])
  })
)

it.effect("C18: a fallback that fails is told as an error, and the message is new", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const one = yield* replica(bot(forward), "one")
    const fallback = () => Effect.fail(new Error("no"))
    const other = yield* replica(changed({ handover: { flows: "forward", fallback }, apology: false }), "two")
    yield* one.says("ana", "go")
    expect(yield* other.says("ana", "1")).toEqual(["nuevo: 1"])
    expect(yield* other.events.of("error")).toMatchObject([{ where: "handover.fallback" }])
  })
)

it.effect("C18: a state that is not plain JSON stays where it is, marked, and falls back elsewhere as state", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    class Basket {
      readonly items: ReadonlyArray<string> = ["pan"]
    }
    const shop = Flow.make("shop", { input: Schema.Struct({ basket: Schema.instanceOf(Basket) }) }).pipe(
      Flow.ask("a", "¿a?"),
      Flow.say(({ a, basket }) => `fin ${a} ${basket.items.length}`)
    )
    const reasons: Array<string> = []
    const definition = Bot.make("b", [Bot.flow(shop), catchAll], {
      handover: { flows: "forward", fallback: ({ reason }) => Effect.sync(() => reasons.push(reason) < 0) }
    })
    const one = yield* replica(definition, "one")
    const other = yield* replica(definition, "two")
    const begin = (chatId: string) => one.bot.trigger("shop", { chatId, data: { basket: new Basket() } })
    yield* begin("ana")
    const marker = (yield* store.getCheckpoint("default/b", "ana")).checkpoint
    expect(marker).toMatchObject({ stuck: "state", state: {}, ops: [] })
    expect(yield* one.says("ana", "x")).toEqual(["fin x 1"])
    expect((yield* store.getCheckpoint("default/b", "ana")).checkpoint).toBeUndefined()
    yield* begin("eva")
    expect(yield* other.says("eva", "1")).toEqual(["nuevo: 1"])
    expect(reasons).toEqual(["state"])
    expect(other.bot.metrics.snapshot().conversationsEnded.lost).toBe(1)
  })
)

it.effect("C18: a log over its limit stays where it is, marked, and falls back elsewhere as log", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    const long = Bot.conversation("larga", (c) =>
      Effect.gen(function* () {
        for (let n = 0; n < 300; n++) yield* c.now
        const a = yield* c.ask("a", "¿a?")
        yield* c.say(`fin ${a}`)
      })
    )
    const reasons: Array<string> = []
    const definition = Bot.make("b", [long, catchAll], {
      handover: { flows: "forward", fallback: ({ reason }) => Effect.sync(() => reasons.push(reason) < 0) }
    })
    const one = yield* replica(definition, "one")
    const other = yield* replica(definition, "two")
    expect(yield* one.says("ana", "larga")).toEqual(["¿a?"])
    expect((yield* store.getCheckpoint("default/b", "ana")).checkpoint).toMatchObject({ stuck: "log" })
    expect(yield* one.says("ana", "x")).toEqual(["fin x"])
    yield* one.says("eva", "larga")
    expect(yield* other.says("eva", "1")).toEqual(["nuevo: 1"])
    expect(reasons).toEqual(["log"])
  })
)

it.effect("C19: an answer moves with its step; one over maxAnswerBytes is asked again", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const options: Bot.BotOptions = { handover: { flows: "forward", maxAnswerBytes: 1000 } }
    const one = yield* replica(bot(options), "one")
    const other = yield* replica(bot(options), "two")
    yield* one.says("ana", "charla")
    yield* one.says("ana", "corta")
    expect(yield* other.says("ana", "4")).toEqual(["fin corta4"])
    yield* one.says("eva", "charla")
    const large = "x".repeat(2000)
    yield* one.says("eva", large)
    // Here it is remembered, there it is not.
    const said = yield* other.says("eva", "z")
    expect(said).toEqual(["¿y, z?"])
    expect(yield* other.says("eva", "w")).toEqual(["fin zw"])
  })
)

it.effect("C6 C18: a forwarded conversation whose turn is lost goes on at the next holder", () =>
  Effect.gen(function* () {
    const { replica } = world()
    let starts = 0
    const flow = Flow.make("f").pipe(
      Flow.ask("a", "¿a?"),
      Flow.run("work", () =>
        Effect.suspend(() => (++starts === 1 ? Effect.as(Effect.sleep("1 minute"), 1) : Effect.succeed(2)))
      ),
      Flow.say(({ a, work }) => `${a}${work}`)
    )
    const definition = Bot.make("b", [Bot.flow(flow, { trigger: "go" })], forward)
    const one = yield* replica(definition, "one")
    const other = yield* replica(definition, "two")
    yield* one.says("ana", "go")
    yield* one.mock.deliver(one.inbound.text({ chat: "ana", body: "x" }))
    yield* breathe
    one.wire.cut = true
    yield* TestClock.adjust("5 seconds")
    yield* one.bot.settled
    expect(one.bot.metrics.snapshot().conversationsEnded.lost).toBe(0)
    expect(yield* other.says("ana", "¿hola?")).toEqual(["x2"])
  })
)
