/**
 * A payment that is not made twice. `Flow.run` records its result once it has succeeded and never runs again after that.
 * A run that a crash cut is started again with the same `op.id`: give it to the bank as the idempotency key.
 */
import { Bot, Flow } from "@botmesh/core"
import { Context, Effect, Layer, Schema } from "effect"

export class CardRefused extends Schema.TaggedError<CardRefused>()("CardRefused", { code: Schema.String }) {}

/** What the bank offers. It charges once for each key, however often it is asked. */
export class Payments extends Context.Service<
  Payments,
  { readonly charge: (plan: string, options: { readonly key: string }) => Effect.Effect<string, CardRefused> }
>()("example/Payments") {}

const order = Flow.make("order").pipe(
  Flow.choose("plan", "Which plan?", { pro: "Pro", max: "Max" }),
  Flow.run("receipt", ({ plan }, op) => Payments.use((payments) => payments.charge(plan, { key: op.id }))),
  Flow.say(({ receipt }) => `Paid. Receipt ${receipt}`),
  Flow.persistent
)

// `Payments` is now a requirement of `Bot.layer(payment)`, and `CardRefused` an error that `Bot.onError` is typed with.
export const payment = Bot.make("payment", [Bot.flow(order, { trigger: "buy" })]).pipe(
  Bot.onError((error, chat) =>
    error._tag === "CardRefused" ? chat.reply(`The bank said no (${error.code})`) : Effect.fail(error)
  )
)

/** A bank in memory. */
export const layer = Layer.sync(Payments, () => {
  const receipts = new Map<string, string>()
  return {
    charge: (plan, { key }) =>
      Effect.sync(() => {
        const receipt = receipts.get(key) ?? `${plan}-${receipts.size + 1}`
        receipts.set(key, receipt)
        return receipt
      })
  }
})

export default payment
