/** What the compiler infers of flows and conversations as users write them; checked by the build, run by nobody. */
import { type Bot, Flow, type MediaAnswer, type OpFailure } from "@botmesh/core"
import { Context, Effect, Schema } from "effect"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare const ok: <_ extends true>() => void
type ErrorsOf<F> = F extends Flow.Flow<infer _S, infer E, infer _R> ? E : never
type ServicesOf<F> = F extends Flow.Flow<infer _S, infer _E, infer R> ? R : never

class PayError extends Schema.TaggedError<PayError>()("PayError", { code: Schema.String }) {}
class Payments extends Context.Service<
  Payments,
  { readonly charge: (plan: string) => Effect.Effect<{ readonly id: string }, PayError> }
>()("types/Payments") {}
type Item = { readonly sku: string; readonly price: number }
class Catalog extends Context.Service<
  Catalog,
  { readonly all: Effect.Effect<ReadonlyArray<{ readonly key: string; readonly label: string; readonly value: Item }>> }
>()("types/Catalog") {}

const Age = Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 99 }))
/** A part of a pipe given a name, and a part that any flow can take. */
const askName = Flow.ask("name", "¿Tu nombre?")
const address = <S, E, R>(flow: Flow.Flow<S, E, R>) => flow.pipe(Flow.ask("street", "?"), Flow.ask("city", "?"))

export const signUp = Flow.make("registrar").pipe(
  askName,
  Flow.ask("age", ({ name }) => `¿Tu edad, ${name}?`, {
    answer: Age,
    retries: 2,
    invalid: "Entre 18 y 99, por favor",
    timeout: "10m",
    validate: (age, { name }) => age > name.length || "raro"
  }),
  Flow.choose("plan", ({ name }) => `¿Plan para ${name}?`, { pro: "Pro", max: "Max" }),
  Flow.choose("item", "¿Qué llevas?", () => Catalog.use((catalog) => catalog.all)),
  Flow.run("charge", ({ plan, item }, op) => Payments.use((pay) => pay.charge(`${op.id}${plan}${item.sku}`))),
  Flow.run("when", () => Effect.succeed(new Date(0)), { result: Schema.Date }),
  Flow.when(
    ({ plan }) => plan === "max",
    (flow) => flow.pipe(Flow.ask("vat", "NIF?"), address),
    (flow) => flow.pipe(Flow.say("bien"))
  ),
  Flow.match("plan", {
    pro: (flow) => flow.pipe(Flow.ask("seats", "?", { answer: Schema.Int })),
    max: (flow) => flow.pipe(Flow.say(({ charge }) => charge.id))
  }),
  Flow.form({ email: { text: "mail?" }, size: { text: "talla?", answer: Schema.Int } }),
  Flow.do("extra", (c) =>
    Effect.gen(function* () {
      const n = yield* c.ask("n", `¿cuántos, ${c.state.name}?`, { answer: Schema.Int })
      return yield* c.run("double", Effect.succeed(n * 2))
    })
  ),
  Flow.askMedia("photo", ({ email }) => `¿foto, ${email}?`, { kinds: ["image"] }),
  Flow.say(
    ({ name, plan, vat, seats, size, when, extra, photo }) =>
      `Listo, ${name}: ${plan} ${vat?.length} ${seats?.toFixed()} ${size.toFixed()} ${when.toISOString()} ${extra.toFixed()} ${photo.kind}`
  ),
  Flow.persistent
)
type State = Flow.StateOf<typeof signUp>
ok<Equal<State["name"], string>>()
ok<Equal<State["age"], number>>()
ok<Equal<State["plan"], "pro" | "max">>()
ok<Equal<State["item"], Item>>()
ok<Equal<State["charge"], { readonly id: string }>>()
ok<Equal<State["when"], Date>>()
ok<Equal<State["vat"], string | undefined>>()
ok<Equal<State["street"], string | undefined>>()
ok<Equal<State["seats"], number | undefined>>()
ok<Equal<State["email"], string>>()
ok<Equal<State["size"], number>>()
ok<Equal<State["extra"], number>>()
ok<Equal<State["photo"], MediaAnswer>>()

ok<Equal<ServicesOf<typeof signUp>, Payments | Catalog>>()
ok<Equal<Extract<ErrorsOf<typeof signUp>, PayError>, PayError>>()
// What `c.ask` and `c.run` of the free-form step fail with is part of the flow's errors.
ok<Equal<Extract<ErrorsOf<typeof signUp>, OpFailure>, OpFailure>>()

const plain = Flow.make("plain").pipe(
  Flow.ask("a", "?"),
  Flow.say(({ a }) => a),
  Flow.delay("1h"),
  Flow.goto("registrar")
)
ok<Equal<ErrorsOf<typeof plain>, never>>()
ok<Equal<ServicesOf<typeof plain>, never>>()

export const withInput = Flow.make("input", { input: Schema.Struct({ since: Schema.Date }) }).pipe(
  Flow.say(({ since }) => since.toISOString())
)

export const free = (c: Parameters<Parameters<typeof Bot.conversation>[1]>[0]) =>
  Effect.gen(function* () {
    const liked = yield* c.ask("liked", "¿Qué te gustó?")
    const stars = yield* c.ask("stars", "¿1 a 5?", { answer: Schema.Int })
    const plan = yield* c.choose("plan", "¿Plan?", { pro: "Pro", max: "Max" })
    const picked = yield* c.choose("item", "¿Cuál?", [{ key: "a", label: "A", value: { n: 1 } }])
    const at = yield* c.run("at", Effect.succeed(new Date(0)), { result: Schema.Date })
    const charged = yield* c.run("pay", (op) => Payments.use((pay) => pay.charge(op.id)))
    ok<Equal<typeof liked, string>>()
    ok<Equal<typeof stars, number>>()
    ok<Equal<typeof plan, "pro" | "max">>()
    ok<Equal<typeof picked, { n: number }>>()
    ok<Equal<typeof at, Date>>()
    yield* c.say(`${liked.toUpperCase()} ${stars.toFixed()} ${plan} ${picked.n} ${charged.id} ${at.getTime()}`)
  })
ok<Equal<Effect.Services<ReturnType<typeof free>>, Payments>>()

// ---- what must not compile

Flow.make("x").pipe(
  Flow.ask("a", "?"),
  // @ts-expect-error a key nobody asked
  Flow.say(({ b }) => b)
)
Flow.make("x").pipe(
  Flow.ask("n", "?", { answer: Schema.Int }),
  // @ts-expect-error a number is no text
  Flow.say(({ n }) => n)
)
Flow.make("x").pipe(
  // @ts-expect-error a Date is not JSON and names no Schema
  Flow.run("d", () => Effect.succeed(new Date(0)))
)
Flow.make("x").pipe(
  Flow.choose("plan", "?", { pro: "Pro", max: "Max" }),
  // @ts-expect-error one branch is missing
  Flow.match("plan", { pro: (flow) => flow.pipe(Flow.say("pro")) })
)
Flow.make("x").pipe(
  Flow.when(
    () => true,
    (flow) => flow.pipe(Flow.ask("vat", "?"))
  ),
  // @ts-expect-error what only a branch asks may be missing
  Flow.say(({ vat }) => vat.toUpperCase())
)
// @ts-expect-error what the answer is checked with takes what the answer is
Flow.make("x").pipe(Flow.ask("n", "?", { answer: Schema.Int, validate: (n) => n.startsWith("1") }))

Flow.make("x").pipe(
  Flow.ask("name", "?"),
  Flow.do("loop", (c) =>
    Effect.gen(function* () {
      yield* c.checkpoint({ ...c.state, round: 1 })
      // @ts-expect-error the state a step starts over from is the state it began with
      yield* c.checkpoint({ round: 2 })
      return null
    })
  )
)
