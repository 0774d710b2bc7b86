/** A flow: steps in order, its state typed by what it asks, kept in the store so that a restart does not lose it. */
import { Bot, Flow } from "@botmesh/core"
import { Schema } from "effect"

const Age = Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 99 }))

export const registration = Flow.make("registration").pipe(
  Flow.ask("name", "What is your name?", { validate: (name) => name.length >= 2 || "At least two letters, please" }),
  // `answer` reads the text as a number and checks it; three wrong answers end the flow.
  Flow.ask("age", ({ name }) => `How old are you, ${name}?`, {
    answer: Age,
    retries: 2,
    invalid: "Between 18 and 99, please",
    timeout: "10m",
    onTimeout: { say: "I was waiting for your age. Write “sign up” to start again." }
  }),
  Flow.choose("plan", "Which plan?", { pro: "Pro", max: "Max" }),
  // What only one branch asks is optional afterwards: `vat?: string`.
  Flow.when(
    ({ plan }) => plan === "max",
    (f) => f.pipe(Flow.ask("vat", "Your VAT number?"))
  ),
  Flow.say(({ name, plan, vat }) => `Welcome ${name}: ${plan}${vat === undefined ? "" : ` (${vat})`}`),
  Flow.persistent
)

export const signUp = Bot.make("sign-up", [
  Bot.flow(registration, { trigger: "sign up" }),
  Bot.onMessage((chat) => chat.reply("Write “sign up”"))
])

export default signUp
