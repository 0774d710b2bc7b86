/** Branches of one handler may be different effects; its errors and services are those of all of them. */
import { Effect, Schema } from "effect"
import { Bot, type CoordinationUnavailableError, Flow, type SendFailure, type StoreError } from "../../src/index.ts"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Errors<D> = D extends Bot.Definition<infer _Id, infer E, infer _R> ? E : never

class Sold extends Schema.TaggedError<Sold>()("Sold", { item: Schema.String }) {}
class Closed extends Schema.TaggedError<Closed>()("Closed", {}) {}

const branches = Bot.make("branches", [
  Bot.when("a", (chat) => (chat.isGroup ? chat.reply("a") : chat.abortConversation)),
  Bot.onMessage((chat) => (chat.isGroup ? chat.reply("b") : Effect.fail(new Sold({ item: "b" })))),
  Bot.before("message", (chat) => (chat.isGroup ? chat.stop : Effect.succeed(chat.with({ body: "c" }))))
])
export const all: Equal<Errors<typeof branches>, SendFailure | StoreError | CoordinationUnavailableError | Sold> = true

const recovered = Bot.make("recovered", [
  Bot.when("a", () => Effect.fail(new Sold({ item: "a" }))),
  Bot.when("b", () => Effect.fail(new Closed()))
]).pipe(Bot.onError((error, chat) => (error._tag === "Sold" ? chat.reply(error.item) : Effect.fail(error))))
export const left: Equal<Errors<typeof recovered>, SendFailure | Closed> = true

// @ts-expect-error a before hook gives back a chat or nothing
Bot.before("message", () => Effect.succeed(1))
// @ts-expect-error a handler gives back an effect
Bot.onMessage((chat) => chat.body)

/** What a validator checks is typed by the schema, whether the text is plain or made of the state. */
export const validated = Flow.make("validated").pipe(
  Flow.ask("age", "Age?", { answer: Schema.Int, validate: (age) => age.toFixed() !== "66" || "Really?" }),
  Flow.ask("name", "Name?", { validate: (name) => name.length > 1 }),
  Flow.ask("older", ({ name }) => name, { answer: Schema.Int, validate: (older, { age }) => older > age })
)
