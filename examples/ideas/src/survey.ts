/**
 * A free-form conversation: a program that asks. Every `c.…` is an op in a log, so a restart in the middle of it repeats
 * none of them: the program runs from the top, the ops that are done give their recorded results, and it goes on at the
 * first one that is missing. Plain code between two ops does run again.
 */
import { Bot, type Conv } from "@botmesh/core"
import { Effect, Schema } from "effect"

const Stars = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))

const one = (c: Conv<{}>) =>
  Effect.gen(function* () {
    const stars = yield* c.ask("stars", "From 1 to 5?", { answer: Stars })
    // Branching is plain code. It must decide by answers, results and state: those are the same in a replay.
    if (stars >= 4) return { stars, why: "" }
    return { stars, why: yield* c.ask("why", "What went wrong?") }
  })

export const survey = Bot.make("survey", [
  Bot.conversation(
    "survey",
    (c) =>
      Effect.gen(function* () {
        yield* c.idle("1h", "Are you still there? Two more questions.")
        const { stars, why } = yield* one(c)
        // The clock and chance are ops too: a replay sees the same values.
        const at = yield* c.now
        const coupon = yield* c.run("coupon", Effect.succeed(`THANKS-${stars}`))
        yield* c.say(`Noted at ${at}: ${stars} stars${why === "" ? "" : ` (${why})`}. Your coupon: ${coupon}`)
      }),
    { persistent: true }
  )
])

export default survey
