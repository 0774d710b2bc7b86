/** What the compiler infers of handlers, plugins and bots; checked by the build, run by nobody. */
import { Bot, Flow, Plugin, type Provider, type SendFailure } from "@botmesh/core"
import { Context, Effect, Layer, Schema, type Scope, Stream } from "effect"
import { free, signUp } from "./Flow.types.ts"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare const ok: <_ extends true>() => void
type ErrorsOf<D> = D extends Bot.Definition<infer _I, infer E, infer _R> ? E : never
type ServicesOf<D> = D extends Bot.Definition<infer _I, infer _E, infer R> ? R : never

class InvoiceError extends Schema.TaggedError<InvoiceError>()("InvoiceError", {}) {}
class Whisper extends Context.Service<Whisper, { readonly text: (body: string) => Effect.Effect<string> }>()(
  "types/Whisper"
) {}
class Mail extends Context.Service<Mail, { readonly send: Effect.Effect<void> }>()("types/Mail") {}
declare const sendInvoice: Effect.Effect<void, InvoiceError, Mail>

const slash = Plugin.make(
  "slash",
  Effect.gen(function* () {
    const whisper = yield* Whisper
    yield* Effect.acquireRelease(Effect.void, () => Effect.void)
    return [Bot.command("help", (chat) => Effect.flatMap(whisper.text("h"), chat.reply))]
  })
)
ok<Equal<typeof slash extends Plugin.Plugin<infer E, infer _R> ? E : never, SendFailure>>()
ok<Equal<typeof slash extends Plugin.Plugin<infer _E, infer R> ? R : never, Whisper | Scope.Scope>>()

const cyclic = Flow.make("menu").pipe(Flow.choose("go", "?", { a: "A" }), Flow.goto("registrar"))
const raw = Bot.make(
  "shop",
  [
    Bot.when("hola", (chat) => chat.reply("👋 ¡Hola!")),
    Bot.when(/pedido (\d+)/u, (chat) => chat.reply(chat.match?.[1] ?? "")),
    Bot.when(["a", "b"], () => sendInvoice),
    Bot.when({ pattern: "factura", match: "contains" }, () => sendInvoice),
    Bot.command("reset", (chat) => chat.abortConversation),
    Bot.flow(signUp, { trigger: "registrar" }),
    Bot.flow(cyclic),
    Bot.plugin(slash),
    Bot.conversation("encuesta", free),
    Bot.before("message", (chat) =>
      Effect.map(
        Whisper.use((whisper) => whisper.text(chat.body)),
        (body) => chat.with({ body })
      )
    ),
    Bot.onMessage((chat) => chat.reply("No te entendí"))
  ],
  { settle: "1m", groupMode: "mention" }
)
ok<Equal<Extract<ErrorsOf<typeof raw>, { readonly _tag: "PayError" }>["code"], string>>()
ok<Equal<Extract<ErrorsOf<typeof raw>, InvoiceError>, InvoiceError>>()
type Names<R> = R extends { readonly key: infer K } ? K : never
ok<Equal<Extract<ServicesOf<typeof raw>, Scope.Scope>, never>>()
ok<Equal<Extract<ServicesOf<typeof raw>, Mail>, Mail>>()
ok<Equal<Extract<Names<ServicesOf<typeof raw>>, "types/Whisper">, Names<Whisper>>>()

// `Bot.onError` sees the union, and takes out what it answers for.
const shop = raw.pipe(
  Bot.onError((error, chat) =>
    error._tag === "PayError" ? Effect.asVoid(chat.reply(`Pago: ${error.code}`)) : Effect.fail(error)
  )
)
ok<Equal<Extract<ErrorsOf<typeof shop>, { readonly _tag: "PayError" }>, never>>()
ok<Equal<Extract<ErrorsOf<typeof shop>, InvoiceError>, InvoiceError>>()

// The layer needs what the handlers need, and the definition is the key of its own service.
const layer = Bot.layer(shop)
type Needs = Layer.Services<typeof layer>
ok<Equal<Extract<Needs, Mail>, Mail>>()
ok<Equal<Extract<Needs, Provider>, Provider>>()
ok<Equal<Extract<Needs, Scope.Scope>, never>>()
ok<Equal<Layer.Success<typeof layer>, Bot.Running<"shop">>>()

export const program = Effect.gen(function* () {
  const bot = yield* shop
  yield* bot.plug(slash)
  yield* bot.events.pipe(
    Stream.runForEach((event) => (event._tag === "error" ? Effect.log(event.error._tag) : Effect.void))
  )
})
ok<Equal<Extract<Effect.Services<typeof program>, Bot.Running<"shop">>, Bot.Running<"shop">>>()

const help = Bot.make("help", [Bot.onMessage((chat) => chat.reply("x"))])
ok<Equal<ServicesOf<typeof help>, never>>()
ok<Equal<ErrorsOf<typeof help>, SendFailure>>()
declare const provider: Layer.Layer<Provider>
declare const local: Layer.Layer<Bot.Spi>
declare const mail: Layer.Layer<Mail>
const whisper = Layer.succeed(Whisper, { text: Effect.succeed })

const small = Bot.make("small", [
  Bot.when("factura", () => sendInvoice),
  Bot.before("message", (chat) =>
    Effect.as(
      Whisper.use((service) => service.text("")),
      chat
    )
  )
])
export const Main = Bot.layer(small).pipe(Layer.provide([provider, local, mail, whisper]))

// ---- what must not compile

// A forgotten service stays in the type of the layer, so nothing that launches it compiles.
type Launches<L> = L extends Layer.Layer<Bot.Running<"small">, infer _E, never> ? true : false
export const mute = Bot.layer(small).pipe(Layer.provide([provider, local, whisper]))
ok<Equal<Layer.Services<typeof mute>, Mail>>()
ok<Equal<Launches<typeof mute>, false>>()
export const deaf = Bot.layer(small).pipe(Layer.provide([local, mail, whisper]))
ok<Equal<Layer.Services<typeof deaf>, Provider>>()
ok<Equal<Launches<typeof Main>, true>>()

// @ts-expect-error a duration that is a boolean
export const wrongSettle = Bot.make("x", [], { settle: true })
// @ts-expect-error not a group mode
export const wrongMode = Bot.make("x", [], { groupMode: "some" })
// @ts-expect-error a handler returns an effect
Bot.when("hola", () => "hola")
// @ts-expect-error an error no handler has
export const wrongError = help.pipe(Bot.onError((e) => (e._tag === "PayError" ? Effect.void : Effect.fail(e))))
