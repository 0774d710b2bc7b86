import { Bot, Flow, InProcessScheduler, LocalCoordinator, layerNoDurability, MemoryStore } from "@botmesh/core"
import { Simulator } from "@botmesh/core/dev"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"

class PayError extends Schema.TaggedError<PayError>()("PayError", { code: Schema.String }) {
  override get message(): string {
    return `refused with ${this.code}`
  }
}

const signUp = Flow.make("registrar").pipe(
  Flow.ask("name", "¿Tu nombre?"),
  Flow.choose("plan", "¿Plan?", { pro: "Pro", max: "Max" }),
  Flow.say(({ name, plan }) => `Listo, ${name}: ${plan}`),
  Flow.persistent
)
const shop = Bot.make(
  "shop",
  [
    Bot.when("hola", (chat) => chat.reply(`👋 ¡Hola, ${chat.sender}!`)),
    Bot.when("foto", (chat) => chat.photo("https://example.com/a.jpg", "el local")),
    Bot.when("menu", (chat) => chat.choices("¿Qué?", { uno: "Uno", dos: "Dos" })),
    Bot.when("numeros", (chat) => chat.choices("¿Cuántos?", { a: "2", b: "3" })),
    Bot.when("me gusta", (chat) => chat.react("👍")),
    Bot.when("cambia", (chat) => Effect.flatMap(chat.reply("antes"), ({ ref }) => chat.edit(ref, "después"))),
    Bot.when("borra", (chat) => Effect.flatMap(chat.reply("secreto"), ({ ref }) => chat.delete(ref))),
    Bot.when("vota", (chat) => chat.poll("¿Cuándo?", ["lunes", "martes"])),
    Bot.when("paga", () => new PayError({ code: "E7" })),
    Bot.when("vacío", (chat) => chat.reply("  ")),
    Bot.when("soy", (chat) => chat.user.set("club", "oro")),
    Bot.when("humano", (chat) => chat.handOff("pide ayuda")),
    Bot.action("dos", (chat) => chat.reply(`botón ${chat.payload} (${chat.body})`)),
    Bot.onPollVote((chat, vote) => chat.reply(`voto ${vote.options.join("+")}`)),
    Bot.onReaction((chat, { emoji }) => chat.reply(`gracias por ${emoji}`)),
    Bot.onImage((chat) =>
      chat.media === undefined
        ? chat.pass
        : Effect.flatMap(chat.download(chat.media), (bytes) => chat.reply(`imagen de ${bytes.byteLength} bytes`))
    ),
    Bot.command("help", (chat) => chat.reply("ayuda del bot")),
    Bot.command("state", (chat) => chat.reply("estado del bot")),
    Bot.flow(signUp, { trigger: "registrar" }),
    Bot.onIdle("10m", (chat) => chat.reply("¿Sigues ahí?")),
    Bot.onMessage((chat) => chat.reply(`No te entendí: ${chat.body}`))
  ],
  { apology: false, groupMode: "mention" }
)

const running = (terminal: Layer.Layer<Simulator.Terminal>, store = MemoryStore.layer()) =>
  Effect.provide(
    Simulator.run(shop),
    Bot.layer(shop).pipe(
      Layer.provideMerge(Simulator.layer()),
      Layer.provideMerge(
        Layer.mergeAll(store, LocalCoordinator.layer(), layerNoDurability, InProcessScheduler.layer, terminal)
      )
    )
  )

/** What the terminal shows when these lines are typed. */
const session = (input: ReadonlyArray<string | Effect.Effect<unknown>>, store = MemoryStore.layer()) =>
  Effect.suspend(() => {
    const terminal = Simulator.scripted(input)
    return Effect.as(running(terminal.layer, store), terminal)
  })
const typed = (...input: ReadonlyArray<string | Effect.Effect<unknown>>) =>
  Effect.map(session(input), (terminal) => terminal.texts())

it.effect("hands lines to the bot in turn and prints what it says", () =>
  Effect.gen(function* () {
    expect(yield* typed("hola", "", "  registrar ", "Ana", "pro", "/help", "xyz")).toEqual([
      "👋 ¡Hola, you!",
      "¿Tu nombre?",
      "¿Plan?\n1. Pro\n2. Max",
      "Listo, Ana: pro",
      "ayuda del bot",
      "No te entendí: xyz"
    ])
  })
)

it.effect("presses the button of a number, and takes it as a text once something else was said", () =>
  Effect.gen(function* () {
    expect(yield* typed("menu", "2", "2", "numeros", "2", "menu", "3")).toEqual([
      "¿Qué?\n1. Uno\n2. Dos",
      "botón dos (Dos)",
      "No te entendí: 2",
      "¿Cuántos?\n- 2\n- 3",
      "No te entendí: 2",
      "¿Qué?\n1. Uno\n2. Dos",
      "No te entendí: 3"
    ])
  })
)

it.effect("shows files, reactions, edits, deletions and polls in words", () =>
  Effect.gen(function* () {
    expect(yield* typed("foto", "me gusta", "cambia", "borra", "vota", "2")).toEqual([
      "[image: el local]",
      '[reaction 👍 to "me gusta"]',
      "antes",
      '[edit of "antes": después]',
      "secreto",
      '[deleted "secreto"]',
      "[poll: ¿Cuándo?]\n1. lunes\n2. martes",
      "voto 1"
    ])
  })
)

it.effect("sends files and reactions", () =>
  Effect.gen(function* () {
    expect(yield* typed("/react 🎉", "/send image mira", "/react 🎉", "/send pdf", "/react")).toEqual([
      "the bot has said nothing here yet",
      "imagen de 4 bytes",
      "gracias por 🎉",
      "usage: /send KIND [CAPTION], the kind one of image, video, gif, audio, document, sticker",
      "usage: /react EMOJI"
    ])
  })
)

it.effect("shows typed errors by their tag and message, before the next line is read", () =>
  Effect.gen(function* () {
    const terminal = yield* session(["paga", "vacío", "hola"])
    expect(terminal.printed()).toEqual([
      { text: '[error in when "paga"] PayError: refused with E7', tone: "error" },
      {
        text: '[error in when "vacío"] SendError: simulator did not take the message for you (InvalidContent): a text that is empty',
        tone: "error"
      },
      { text: "👋 ¡Hola, you!", tone: "bot" }
    ])
  })
)

it.effect("is somebody else with /as and in a group with /group", () =>
  Effect.gen(function* () {
    expect(yield* typed("/as Bea", "hola", "/group", "hola", "@bot hola", "/as Ana", "/group", "hola", "/as")).toEqual([
      "you are Bea",
      "👋 ¡Hola, Bea!",
      "you are Bea in the group",
      "No te entendí: @bot hola",
      "you are Ana in the group",
      "you are Ana",
      "👋 ¡Hola, Ana!",
      "usage: /as NAME, a name of at most 64 characters"
    ])
  })
)

it.effect("says whose chat it is when a reply goes to another one", () =>
  Effect.gen(function* () {
    expect(yield* typed("hola", "/as Bea", TestClock.adjust("11 minutes"), "/quit", "hola")).toEqual([
      "👋 ¡Hola, you!",
      "you are Bea",
      "(you) ¿Sigues ahí?"
    ])
  })
)

it.effect("tells the state: the conversation, live or stored, a handoff, the profile", () =>
  Effect.gen(function* () {
    const store = yield* Layer.build(MemoryStore.layer())
    const shared = Layer.succeedContext(store)
    const first = yield* session(["/state", "soy", "registrar", "/state"], shared)
    expect(first.texts()).toEqual([
      "you, in a chat of their own\nconversation: none\nprofile: empty",
      "¿Tu nombre?",
      'you, in a chat of their own\nconversation: registrar, step name, waits for "name"\nprofile:\n  club = "oro"'
    ])
    const second = yield* session(["/state", "Ana", "1", "humano", "/state", "//state"], shared)
    expect(second.texts()).toEqual([
      'you, in a chat of their own\nconversation: registrar, step name, waits for "name" (stored, not live)\nprofile:\n  club = "oro"',
      "¿Plan?\n1. Pro\n2. Max",
      "Listo, Ana: pro",
      'you, in a chat of their own\nconversation: none\nthe chat is held by a person: pide ayuda\nprofile:\n  club = "oro"'
    ])
  })
)

it.effect("lists its own commands, and leaves the others to the bot", () =>
  Effect.gen(function* () {
    const [own, bots, escaped] = yield* typed("/sim", "/help", "//state")
    for (const command of ["/sim", "/state", "/as", "/group", "/send", "/react", "/quit"]) {
      expect(own).toContain(command)
    }
    expect([bots, escaped]).toEqual(["ayuda del bot", "estado del bot"])
  })
)

it.effect("ends when the terminal is gone, and does not read on", () =>
  Effect.gen(function* () {
    const left = ["hola", "hola", "hola"]
    const gone = new Simulator.TerminalError({ cause: new Error("EPIPE") })
    const terminal = Layer.succeed(Simulator.Terminal, {
      interactive: false,
      readLine: Effect.sync(() => Option.fromUndefinedOr(left.shift())),
      print: () => gone,
      prompt: () => Effect.void
    })
    expect(yield* Effect.flip(running(terminal))).toBe(gone)
    expect(left).toHaveLength(2)
  })
)
