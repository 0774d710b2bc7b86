/** An order: a branch that only large orders take, and a last word before anything is ordered. */
import { Flow } from "@botmesh/core"
import { Schema } from "effect"
import type { OrderTexts } from "./texts.ts"

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))
const large = 10

/** @param id the flow's id */
export const order = (id: string, texts: OrderTexts) => {
  const products = { coffee: texts.coffee, tea: texts.tea, cocoa: texts.cocoa }
  return Flow.make(id).pipe(
    Flow.choose("product", texts.product, products),
    Flow.ask("amount", texts.amount, { answer: Amount }),
    Flow.when(
      ({ amount }) => amount > large,
      (f) => f.pipe(Flow.ask("company", texts.company))
    ),
    Flow.ask("address", texts.address),
    Flow.choose(
      "confirmed",
      ({ address, amount, company, product }) =>
        texts.confirm(
          `${amount} × ${products[product]} → ${company === undefined ? address : `${company}, ${address}`}`
        ),
      { yes: texts.yes, no: texts.no }
    ),
    Flow.match("confirmed", {
      yes: (f) => f.pipe(Flow.say(texts.done)),
      no: (f) => f.pipe(Flow.say(texts.dropped))
    }),
    Flow.timeout("1d"),
    Flow.persistent
  )
}
