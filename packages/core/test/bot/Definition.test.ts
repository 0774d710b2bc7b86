import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { Bot, Flow, Plugin } from "../../src/index.ts"
import { run } from "../kit/Engine.ts"

const flow = (id: string) => Flow.make(id).pipe(Flow.say("x"))
const nothing = () => Effect.void
const problemsOf = (id: string, handlers: ReadonlyArray<Bot.Handler<unknown, never>>) =>
  Effect.map(Effect.flip(run(Bot.make(id, handlers))), (error) => {
    if (error._tag !== "BotDefinitionError") throw error
    expect(error.message).toContain(`Bot "${id}" cannot be built`)
    for (const problem of error.problems) expect(error.message).toContain(problem)
    return error.problems
  })

describe("B26 definition errors at build", () => {
  const cases: ReadonlyArray<
    readonly [string, ReadonlyArray<Bot.Handler<unknown, never>>, ReadonlyArray<string | RegExp>]
  > = [
    [
      "two flows of one id",
      [Bot.flow(flow("a")), Bot.flow(flow("b")), Bot.flow(flow("a"))],
      ['a flow "a" is registered twice; registered are a, b']
    ],
    [
      "a flow and a conversation of one id",
      [Bot.flow(flow("a")), Bot.conversation("a", nothing)],
      ['a flow "a" is registered twice; registered are a']
    ],
    [
      "the same trigger twice, in another spelling",
      [Bot.when("Hóla", nothing), Bot.when(["x", "hola "], nothing)],
      ['the trigger "hola " is registered twice (first as "Hóla")']
    ],
    [
      "a flow's trigger that a handler has",
      [Bot.when("go", nothing), Bot.flow(flow("a"), { trigger: "go" })],
      ['the trigger "go" is registered twice (first as "go")']
    ],
    [
      "the same command twice",
      [Bot.command("help", nothing), Bot.command("x", nothing), Bot.command("/Help", nothing)],
      ["the command /Help is registered twice; registered are /help, /x"]
    ],
    ["a command of two words", [Bot.command("two words", nothing)], [/\/two words is no command/u]],
    ["an empty command", [Bot.command("", nothing)], [/is no command/u]],
    ["a trigger that could never match", [Bot.when("\u200b ", nothing)], [/is empty in normal form/u]],
    ["a handler without any pattern", [Bot.when([], nothing)], [/no pattern or type/u]],
    ["a handler without any type", [Bot.onType([], nothing)], [/no pattern or type/u]],
    [
      "a goto to nowhere",
      [Bot.flow(Flow.make("a").pipe(Flow.goto("nowhere"))), Bot.flow(flow("b"))],
      ['flow "a" goes to "nowhere", which is not registered; known are a, b']
    ],
    [
      "colliding labels of a menu",
      [Bot.flow(Flow.make("a").pipe(Flow.choose("m", "?", { x: "Sí", y: "si" })))],
      [/flow "a": options of "m": /u]
    ],
    ["a flow without steps", [Bot.flow(Flow.make("a"))], ['flow "a" has no steps']],
    [
      "a question's timeout that is none",
      [Bot.flow(Flow.make("a").pipe(Flow.ask("q", "?", { timeout: "soon" })))],
      [/flow "a": timeout of "q".*got string \("soon"\)/u]
    ],
    ["an idle time that is none", [Bot.onIdle("soon", nothing)], [/onIdle.*got string \("soon"\)/u]],
    [
      "a plugin twice",
      [Bot.plugin(Plugin.make("p", Effect.succeed([]))), Bot.plugin(Plugin.make("p", Effect.succeed([])))],
      [/the plugin "p" is plugged twice.*Plugged are p/u]
    ],
    [
      "what a plugin brings twice",
      [Bot.command("c", nothing), Bot.plugin(Plugin.make("p", Effect.succeed([Bot.command("c", nothing)])))],
      ["the command /c is registered twice; registered are /c"]
    ],
    [
      "a plugin that cannot be built",
      [Bot.plugin(Plugin.make("p", Effect.fail("no key")))],
      ["a plugin could not be built: no key"]
    ]
  ]
  for (const [what, handlers, problems] of cases) {
    it.effect(`B26 ${what} does not build, and is named`, () =>
      Effect.gen(function* () {
        const found = yield* problemsOf("shop", handlers)
        expect(found).toHaveLength(problems.length)
        for (const [n, problem] of problems.entries()) {
          if (typeof problem === "string") expect(found[n]).toBe(problem)
          else expect(found[n]).toMatch(problem)
        }
      })
    )
  }

  it.effect("B26 every problem is named at once", () =>
    Effect.gen(function* () {
      const found = yield* problemsOf("shop", [
        Bot.command("c", nothing),
        Bot.command("c", nothing),
        Bot.when([], nothing),
        Bot.flow(Flow.make("a").pipe(Flow.goto("nowhere")))
      ])
      expect(found).toHaveLength(3)
    })
  )

  it.effect("R21 the id of a bot is part of every key: not empty, without a slash", () =>
    Effect.gen(function* () {
      for (const id of ["", "a/b"]) expect(yield* problemsOf(id, [])).toHaveLength(1)
    })
  )

  it.effect("B26 nothing of a bot that does not build is started", () =>
    Effect.gen(function* () {
      const { MockProvider } = yield* Effect.promise(() => import("../../src/testing.ts"))
      const mock = yield* MockProvider.make()
      yield* Effect.flip(run(Bot.make("shop", [Bot.when([], nothing)]), { mock }))
      expect(mock.starts()).toBe(0)
    })
  )
})

describe("B26 start banner", () => {
  const banner = (persistent: boolean) =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ logLevel, message }) => void lines.push([logLevel, ...[message].flat()]))
      const { storeWith } = yield* Effect.promise(() => import("../kit/Engine.ts"))
      yield* Effect.provide(
        run(Bot.make("shop", []), { store: storeWith(() => ({ persistent })), id: "wire" }),
        Logger.layer([logger])
      )
      return lines
    })

  it.effect("B26 tells transport, store, coordinator, durability and replica", () =>
    Effect.gen(function* () {
      expect(yield* banner(true)).toEqual([
        [
          "Info",
          'bot "shop" is running',
          {
            transport: "wire",
            store: "memory",
            coordinator: "local",
            durability: "none",
            replica: expect.stringMatching(/^local-/u)
          }
        ]
      ])
    })
  )

  it.effect("B26 warns about a store that forgets", () =>
    Effect.gen(function* () {
      expect(yield* banner(false)).toEqual([
        expect.arrayContaining(["Info"]),
        ["Warn", expect.stringContaining("keeps everything in memory")]
      ])
    })
  )
})
