import { readFileSync } from "node:fs"
import { assert, describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Layer, Result, Schema } from "effect"
import { Bot, Flow } from "../../src/index.ts"
import { TestBot, Transcript } from "../../src/testing.ts"

const Age = Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 99 }))
const signUp = Flow.make("registrar").pipe(
  Flow.ask("name", "¿Tu nombre?", { timeout: "10m" }),
  Flow.ask("age", ({ name }) => `¿Tu edad, ${name}?`, { answer: Age, invalid: "Entre 18 y 99, por favor" }),
  Flow.choose("plan", "¿Plan?", { pro: "Pro", max: "Max" }),
  Flow.say(({ name, plan }) => `Listo, ${name}: ${plan}`)
)

/** A shop under test; a picture is told to the office, which is another chat. */
const open = Effect.fnUntraced(function* (greeting = "👋 ¡Hola!") {
  let tell = (_: string): Effect.Effect<unknown, unknown> => Effect.void
  const shop = Bot.make("shop", [
    Bot.when("hola", (chat) => chat.reply(greeting)),
    Bot.flow(signUp, { trigger: "registrar" }),
    Bot.when("menú", (chat) => chat.choices("¿Qué?", { "a b": "A (a)", b: '"B"' })),
    Bot.action("a b", (chat) => chat.reply(`${chat.body}!`)),
    Bot.when("vota", (chat) => chat.poll("¿Cuál?", ["A", "B (b)"])),
    Bot.when("todo", (chat) =>
      Effect.gen(function* () {
        const { ref } = yield* chat.reply("<b>\\")
        yield* chat.edit(ref, "[1]")
        yield* chat.react("👍")
        yield* chat.delete(ref)
        yield* chat.reply({ _tag: "location", location: { latitude: 1.5, longitude: -2, name: "aquí" } })
        yield* chat.reply({ _tag: "contact", contact: { name: "Luis", phones: ["+1 2", "+3"] } })
        yield* chat.sendMedia("document", { _tag: "bytes", bytes: new Uint8Array(1) }, { filename: "a <b>.pdf" })
      })
    ),
    Bot.onImage((chat) =>
      Effect.andThen(chat.photo("https://example.com/a.png", "gracias"), tell(`Ana mandó una foto:\r\n${chat.body}`))
    )
  ])
  const it = yield* TestBot.make(shop)
  tell = (text) => it.bot.send("office", text)
  return it
})

const path = "transcripts/sign-up.txt"
const golden = readFileSync(new URL(path, import.meta.url), "utf8")

const failure = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.map(Effect.flip(effect), (error) => String(error))

describe("golden transcripts", () => {
  it.effect("replay what was recorded", () =>
    Effect.gen(function* () {
      yield* Transcript.replay(golden, yield* open())
    })
  )

  it.effect("record what the bot says, and keep the comments", () =>
    Effect.gen(function* () {
      const acts = golden
        .split("\n")
        .filter((line) => !/^(?:<| {2}\[|\|)/u.test(line))
        .join("\n")
      expect(Transcript.print(yield* Transcript.record(yield* open(), acts))).toBe(golden)
    })
  )

  it.effect("fail with a diff that shows both sides", () =>
    Effect.gen(function* () {
      const error = yield* failure(Transcript.replay(golden, yield* open("👋 ¡Buenas!"), path))
      expect(error).toContain(`The bot says something else than ${path}`)
      expect(error).toContain(" > ana: hola\n-< 👋 ¡Hola!\n+< 👋 ¡Buenas!\n")
    })
  )

  it.effect.each([
    ["a text that was said and is no more", "> ana: hola\n< 👋 ¡Hola!\n< otra\n", "-< otra"],
    ["a text that was not said before", "> ana: hola\n", "+< 👋 ¡Hola!"],
    ["another option", "> ana: menú\n< ¿Qué?\n  [1] A (b)\n", '+  [1] "A (a)" ("a b")'],
    ["another chat", "> ana: hola\n<luis> 👋 ¡Hola!\n", "-<luis> 👋 ¡Hola!"]
  ] as const)("find %s", ([, text, wanted]) =>
    Effect.gen(function* () {
      expect(yield* failure(Transcript.replay(text, yield* open()))).toContain(wanted)
    })
  )

  it.effect("do not mind comments and blank lines", () =>
    Effect.gen(function* () {
      yield* Transcript.replay("# one\n\n> ana: hola\n# two\n< 👋 ¡Hola!\n\n# three\n", yield* open())
    })
  )

  it.effect("write each content so that it can be told from the others", () =>
    Effect.gen(function* () {
      const text = `> ana: menú
< ¿Qué?
  [1] "A (a)" ("a b")
  [2] "\\"B\\"" (b)
> ana: ["a b"]
< A (a)!
> ana: vota
< <poll> ¿Cuál?
  [1] A
  [2] "B (b)"
> ana: todo
< \\<b>\\
< <edit> [1]
< <reaction> 👍
< <delete>
< <location 1.5,-2> aquí
< <contact +1 2 +3> Luis
< <document "a <b>.pdf">
`
      const acts = text.replaceAll(/^[< ].*\n/gmu, "")
      expect(Transcript.print(yield* Transcript.record(yield* open(), acts))).toBe(text)
    })
  )

  it.effect("leave out what the bot said before", () =>
    Effect.gen(function* () {
      const it = yield* open()
      yield* it.person("ana").says("hola")
      yield* Transcript.replay("> luis: hola\n< 👋 ¡Hola!\n", it)
    })
  )

  it.effect("refuse a chat whose id they cannot hold", () =>
    Effect.gen(function* () {
      const it = yield* open()
      const bot = { ...it, settled: Effect.orDie(Effect.asVoid(it.bot.send("a chat", "hola"))) }
      expect(yield* failure(Transcript.record(bot, "~ 1s\n"))).toContain("Transcript line 2: expected `< text`")
    })
  )
})

describe("transcript files", () => {
  /** One file in memory. */
  const disk = (text: string) => {
    const file = { text, writes: 0 }
    const layer = FileSystem.layerNoop({
      readFileString: () => Effect.sync(() => file.text),
      writeFileString: (_, data) =>
        Effect.sync(() => {
          file.text = data
          file.writes++
        })
    })
    return { file, layer }
  }
  const env = (variables: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromUnknown(variables))

  it.effect("are compared unless the run updates them", () =>
    Effect.gen(function* () {
      const { file, layer } = disk("> ana: hola\n")
      const error = yield* failure(Effect.provide(Transcript.replayFile(path, yield* open()), layer))
      expect(error).toContain(path)
      expect(file.writes).toBe(0)
    })
  )

  it.effect.each([
    ["by the option", true, {}],
    ["by the environment", undefined, { UPDATE_TRANSCRIPTS: "true" }]
  ] as const)("are written anew %s, once", ([, update, variables]) =>
    Effect.gen(function* () {
      const { file, layer } = disk("# one\n> ana: hola\n")
      const run = (bot: TestBot.TestBot<unknown>) =>
        Effect.provide(
          Transcript.replayFile(path, bot, update === undefined ? {} : { update }),
          Layer.merge(layer, env(variables))
        )
      yield* run(yield* open())
      expect(file.text).toBe("# one\n> ana: hola\n< 👋 ¡Hola!\n")
      yield* run(yield* open())
      expect(file.writes).toBe(1)
    })
  )

  it.effect("are named where they cannot be read", () =>
    Effect.gen(function* () {
      const { layer } = disk("> ana: hola\nhello\n")
      const error = yield* failure(Effect.provide(Transcript.replayFile(path, yield* open()), layer))
      expect(error).toMatch(/Transcript line 2: a line begins with .*\(transcripts\/sign-up\.txt\)/u)
    })
  )
})

describe("the text form", () => {
  const bad: ReadonlyArray<readonly [text: string, wanted: string]> = [
    ["> ana: hola", "line 1: the last line has no line break"],
    ["hello\n", "line 1: a line begins with"],
    ["> ana hola\n", "line 1: expected `> NAME: text`"],
    ["\n> ana:hola\n", "line 2: expected `> NAME: text`"],
    ["> ana: \n", "line 1: write it as: > ana:"],
    ["> ana: <cat> miau\n", "line 1: nobody can send <cat>"],
    ["<hola\n", "line 1: expected `< text`, or `<CHAT> text`"],
    ["< <b>\n  [2] A (a)\n", "line 2: write it as:   [1] A (a)"],
    ["< a\n  [1] A (a)\n| b\n", "line 2: write it as: | b"],
    ["# a\n| b\n", "line 2: it belongs to nothing above it"],
    ["| a\n", "line 1: a line begins with"],
    ["< a\n  [1]A\n", "line 2: write it as:"],
    ["#a\n", "line 1: write it as: # a"],
    ["~ 10 minutes\n", "line 1: write it as: ~ 10m"],
    ["~ soon\n", "line 1: expected `~ DURATION`"],
    ["~ 0s\n", "line 1: expected `~ DURATION`"],
    ["@ ana es\n", "line 1: expected `@ NAME: LANGUAGE`"],
    ["> ana: \\hola\n", "line 1: write it as: > ana: hola"],
    ['< a\n  [1] "A" (a)\n', "line 2: write it as:   [1] A (a)"],
    ["> ana: hola\r\n", "line 1: it ends with a carriage return"]
  ]
  it.each(bad)("refuses %j", (text, wanted) => {
    const read = Transcript.parse(text)
    assert(Result.isFailure(read))
    expect(read.failure.message).toContain(wanted)
  })

  const words = Schema.String.check(Schema.makeFilter((text) => !text.includes("\r")))
  const line = Schema.String.check(Schema.makeFilter((text) => !/[\r\n]/u.test(text)))
  const tricky = Schema.Literals([
    "",
    " ",
    "[a]",
    "<image> b",
    "\\<",
    "a\n\n| b",
    "  [1] A",
    '"',
    ' ("a (b)")',
    "A (b)"
  ])
  const text = Schema.Union([words, tricky])
  const name = Schema.Literals(["ana", "luis", "-100"])
  const chat = Schema.optionalKey(name)
  const option = Schema.Struct({ label: text, key: Schema.optionalKey(text) })
  const entry = Schema.Union([
    Schema.Struct({ _tag: Schema.tag("blank") }),
    Schema.Struct({ _tag: Schema.tag("comment"), text: line }),
    Schema.Struct({ _tag: Schema.tag("speaks"), who: name, lang: Schema.Literals(["es", "pt-BR"]) }),
    Schema.Struct({ _tag: Schema.tag("says"), who: name, chat, text }),
    Schema.Struct({ _tag: Schema.tag("presses"), who: name, chat, key: text }),
    Schema.Struct({
      _tag: Schema.tag("sends"),
      who: name,
      chat,
      kind: Schema.Literals(["image", "audio"]),
      caption: text
    }),
    Schema.Struct({ _tag: Schema.tag("waits"), duration: Schema.Literals(["10m", "1h30m", "1ms"]) }),
    Schema.Struct({
      _tag: Schema.tag("said"),
      chat,
      kind: Schema.Literals(["text", "poll", "image"]),
      text,
      options: Schema.Array(option)
    }),
    Schema.Struct({
      _tag: Schema.tag("said"),
      kind: Schema.Literals(["image", "location"]),
      detail: text,
      text,
      options: Schema.Array(option)
    })
  ])

  it.prop("parse ∘ print is the identity on transcripts", [Schema.Array(entry)], ([entries]) => {
    expect(Result.getOrThrow(Transcript.parse(Transcript.print(entries)))).toEqual(entries)
  })

  const lines = Schema.Array(
    Schema.Union([
      Schema.Literals([
        "> ana: hola",
        "< hola",
        "| otra",
        "  [1] A (a)",
        "  [2] B",
        "",
        "# c",
        "~ 5m",
        "<b> <image> a"
      ]),
      Schema.TemplateLiteral([Schema.Literals([">", "<", "|", "  [1] ", "#", "~", "@"]), Schema.String]),
      Schema.String
    ])
  )
  it.prop("print ∘ parse is the identity on what is accepted", [lines], ([all]) => {
    const written = all.map((one) => `${one}\n`).join("")
    const read = Transcript.parse(written)
    expect(Result.isFailure(read) || Transcript.print(read.success) === written).toBe(true)
  })
})
