import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Bot, type Chat, Flow, Plugin, SlashCommands, Voice } from "../../src/index.ts"
import { run } from "../kit/Engine.ts"

const answers = (text: string) => (chat: Chat) => chat.reply(text)
const named = (
  name: string,
  handlers: ReadonlyArray<Bot.Handler<unknown, never>>,
  options: { readonly multiple?: boolean } = {}
) => Plugin.make(name, Effect.succeed(handlers), options)

describe("B8 plugins", () => {
  it.effect("B8 brings handlers, hooks, commands, flows and plugins of its own; unplugging takes back all of it", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const note = (entry: string) => Effect.sync(() => void log.push(entry))
      const inner = Plugin.make(
        "inner",
        Effect.gen(function* () {
          yield* Effect.addFinalizer(() => note("inner closed"))
          return [Bot.command("inner", answers("inner"))]
        })
      )
      const outer = Plugin.make(
        "outer",
        Effect.gen(function* () {
          yield* Effect.addFinalizer(() => note("outer closed"))
          return [
            Bot.when("hola", answers("plugged")),
            Bot.before("message", () => note("before")),
            Bot.after("message", () => note("after")),
            Bot.before("send", () => note("send")),
            Bot.onFailure(() => note("failure")),
            Bot.onReaction(answers("reaction")),
            Bot.onIdle("5m", answers("idle")),
            Bot.flow(Flow.make("flow").pipe(Flow.ask("a", "a?")), { trigger: "flow" }),
            Bot.plugin(inner)
          ]
        })
      )
      const { bot, gets, inbound, says, texts } = yield* run(Bot.make("shop", [Bot.onMessage(answers("caught"))]))
      const { unplug } = yield* bot.plug(outer)
      expect(yield* says("ana", "hola")).toEqual(["plugged"])
      expect(yield* says("ana", "/inner")).toEqual(["inner"])
      expect(yield* says("eva", "flow")).toEqual(["a?"])
      expect(bot.flows.has("flow")).toBe(true)
      expect(new Set(log.splice(0))).toEqual(new Set(["before", "send", "after"]))
      yield* unplug
      expect(log.splice(0)).toEqual(["inner closed", "outer closed"])
      for (const body of ["hola", "/inner", "flow"]) expect(yield* says("ana", body)).toEqual(["caught"])
      yield* gets(inbound.reaction({ chat: "ana", emoji: "👍", target: { id: "1", chatId: "ana" } }))
      // An idle time that was running when its plugin went is silent too.
      yield* TestClock.adjust("5 minutes")
      yield* bot.settled
      expect(texts("ana").slice(2)).toEqual(["caught", "caught", "caught"])
      expect(log).toEqual([])
      expect(bot.flows.has("flow")).toBe(false)
      yield* unplug
      expect(log).toEqual([])
    })
  )

  it.effect("B8 is plugged once per bot, and again after it was unplugged", () =>
    Effect.gen(function* () {
      const { bot, says } = yield* run(Bot.make("shop", [Bot.plugin(named("static", []))]))
      const { unplug } = yield* bot.plug(named("p", [Bot.command("p", answers("1"))]))
      const refused = yield* Effect.flip(bot.plug(named("p", [Bot.command("q", answers("2"))])))
      expect(refused).toMatchObject({
        _tag: "BotDefinitionError",
        problems: [expect.stringMatching(/"p" is plugged twice.*Plugged are static, p/u)]
      })
      expect(yield* says("ana", "/q")).toEqual([])
      yield* unplug
      yield* bot.plug(named("p", [Bot.command("q", answers("2"))]))
      expect(yield* says("ana", "/q")).toEqual(["2"])
      expect(yield* Effect.flip(bot.plug(named("static", [])))).toMatchObject({ _tag: "BotDefinitionError" })
    })
  )

  it.effect("B8 several of one name live together when every one says `multiple`, until the last has gone", () =>
    Effect.gen(function* () {
      const { bot, says } = yield* run(Bot.make("shop", []))
      const many = (command: string) => named("many", [Bot.command(command, answers(command))], { multiple: true })
      const one = yield* bot.plug(many("a"))
      const two = yield* bot.plug(many("b"))
      yield* one.unplug
      expect(yield* says("ana", "/a")).toEqual([])
      expect(yield* says("ana", "/b")).toEqual(["b"])
      expect(yield* Effect.flip(bot.plug(named("many", [])))).toMatchObject({ _tag: "BotDefinitionError" })
      yield* two.unplug
      yield* bot.plug(named("many", []))
      expect(yield* Effect.flip(bot.plug(many("c")))).toMatchObject({ _tag: "BotDefinitionError" })
    })
  )

  it.effect("B8 one that cannot be built, or has problems, leaves nothing behind: scopes closed, names free", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const opened = (name: string) => Effect.addFinalizer(() => Effect.sync(() => void log.push(`${name} closed`)))
      const broken = Plugin.make("broken", Effect.andThen(opened("broken"), Effect.fail("no key")))
      const outer = Plugin.make(
        "outer",
        Effect.as(opened("outer"), [Bot.command("outer", answers("outer")), Bot.plugin(broken)])
      )
      const clashing = Plugin.make(
        "clashing",
        Effect.as(opened("clashing"), [Bot.command("free", answers("free")), Bot.command("taken", answers("x"))])
      )
      const { bot, says } = yield* run(Bot.make("shop", [Bot.command("taken", answers("taken"))]))
      expect(yield* Effect.flip(bot.plug(outer))).toBe("no key")
      expect(log.splice(0)).toEqual(["broken closed", "outer closed"])
      expect(yield* says("ana", "/outer")).toEqual([])
      expect(yield* Effect.flip(bot.plug(clashing))).toMatchObject({
        problems: ["the command /taken is registered twice; registered are /taken, /free"]
      })
      expect(log.splice(0)).toEqual(["clashing closed"])
      expect(yield* says("ana", "/free")).toEqual([])
      expect(yield* says("ana", "/taken")).toEqual(["taken"])
      yield* bot.plug(named("outer", [Bot.command("outer", answers("outer"))]))
      yield* bot.plug(named("broken", []))
      expect(yield* says("ana", "/outer")).toEqual(["outer"])
    })
  )

  it.effect("B8 what the definition and later plugs brought closes after the bot has stopped", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const scope = yield* Scope.make()
      const closing = (name: string) =>
        Plugin.make(
          name,
          Effect.as(
            Effect.addFinalizer(() => Effect.sync(() => void log.push(`${name} closed, bot ${states.at(-1)?.()}`))),
            []
          )
        )
      const states: Array<() => string> = []
      const { bot } = yield* Scope.provide(run(Bot.make("shop", [Bot.plugin(closing("static"))])), scope)
      states.push(bot.state)
      yield* bot.plug(closing("late"))
      yield* Scope.close(scope, Exit.void)
      expect(log).toEqual(["late closed, bot stopped", "static closed, bot stopped"])
    })
  )

  it.effect("B9 a plugin's services come from where it is plugged", () =>
    Effect.gen(function* () {
      class Greeting extends Context.Service<Greeting, { readonly text: string }>()("test/Greeting") {}
      const plugin = Plugin.make(
        "greets",
        Effect.succeed([Bot.when("hola", (chat) => Effect.flatMap(Greeting, ({ text }) => chat.reply(text)))])
      )
      const { bot, says } = yield* run(Bot.make("shop", []))
      yield* Effect.provideService(bot.plug(plugin), Greeting, { text: "¡Hola!" })
      expect(yield* says("ana", "hola")).toEqual(["¡Hola!"])
      const built = yield* Effect.provideService(run(Bot.make("desk", [Bot.plugin(plugin)])), Greeting, { text: "Hi" })
      expect(yield* built.says("ana", "hola")).toEqual(["Hi"])
    })
  )
})

describe("B20 built-in plugins", () => {
  it.effect("B20 slash commands: /help greets and lists, /reset frees a stuck conversation", () =>
    Effect.gen(function* () {
      const { bot, says } = yield* run(
        Bot.make(
          "shop",
          [
            Bot.plugin(
              SlashCommands.plugin({
                greeting: (chat) => `Hi ${chat.sender}`,
                commands: { help: "this", reset: "start over" }
              })
            ),
            Bot.flow(Flow.make("f").pipe(Flow.ask("a", "a?")), { trigger: "f" })
          ],
          { i18n: { default: "es" } }
        )
      )
      expect(yield* says("ana", "/help")).toEqual(["Hi ana\n/help — this\n/reset — start over"])
      yield* says("ana", "f")
      expect(yield* says("ana", "/reset")).toEqual(["Cancelado."])
      expect(bot.conversations.list()).toEqual([])
    })
  )

  it.effect(
    "B20 voice: a voice note becomes text before anything looks at the message; other audio only when asked",
    () =>
      Effect.gen(function* () {
        const transcribe = () => Effect.succeed("hola")
        const handlers = [Bot.when("hola", answers("heard")), Bot.onAudio(answers("audio"))]
        const { gets, inbound, texts } = yield* run(
          Bot.make("shop", [Bot.plugin(Voice.plugin(transcribe)), ...handlers])
        )
        yield* gets(
          inbound.media({ chat: "ana", kind: "audio", voice: true }),
          inbound.media({ chat: "ana", kind: "audio" })
        )
        expect(texts()).toEqual(["heard", "audio"])
        const every = yield* run(
          Bot.make("shop", [Bot.plugin(Voice.plugin(transcribe, { everyAudio: true })), ...handlers])
        )
        yield* every.gets(every.inbound.media({ chat: "ana", kind: "audio" }))
        expect(every.texts()).toEqual(["heard"])
      })
  )
})

describe("B16 flows of a running bot", () => {
  it.effect("B16 a replacement keeps the triggers, and one with problems leaves the old flow as it was", () =>
    Effect.gen(function* () {
      const say = (text: string) => Flow.make("f").pipe(Flow.say(text))
      const { bot, says } = yield* run(
        Bot.make("shop", [Bot.flow(say("old"), { trigger: "go" }), Bot.when("taken", answers("taken"))])
      )
      expect(yield* Effect.flip(bot.flows.register(say("new")))).toMatchObject({ _tag: "BotDefinitionError" })
      expect(yield* says("ana", "go")).toEqual(["old"])
      yield* bot.flows.replace(say("new"))
      expect(yield* says("ana", "go")).toEqual(["new"])
      expect(yield* Effect.flip(bot.flows.replace(say("bad"), "taken"))).toMatchObject({ _tag: "BotDefinitionError" })
      expect(yield* Effect.flip(bot.flows.replace(Flow.make("f").pipe(Flow.goto("nowhere"))))).toMatchObject({
        problems: [expect.stringContaining("nowhere")]
      })
      expect(yield* says("ana", "go")).toEqual(["new"])
      yield* bot.flows.replace(say("moved"), "elsewhere")
      expect(yield* says("ana", "go")).toEqual([])
      expect(yield* says("ana", "elsewhere")).toEqual(["moved"])
      expect(yield* bot.flows.unregister("f")).toBe(true)
      expect(yield* bot.flows.unregister("f")).toBe(false)
      expect(yield* says("ana", "elsewhere")).toEqual([])
    })
  )

  it.effect("B16 a flow that others go to can be unregistered, and that stops no later plugin", () =>
    Effect.gen(function* () {
      const { bot } = yield* run(
        Bot.make("shop", [Bot.flow(Flow.make("a").pipe(Flow.goto("b"))), Bot.flow(Flow.make("b").pipe(Flow.say("b")))])
      )
      yield* bot.flows.unregister("b")
      yield* bot.plug(named("p", []))
      yield* bot.flows.register(Flow.make("c").pipe(Flow.say("c")))
      expect(bot.flows.list().map(({ id }) => id)).toEqual(["a", "c"])
    })
  )
})
