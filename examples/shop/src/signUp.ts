/** The sign-up: three questions, a payment, an answer. It goes on where it was after a restart. */
import { Flow } from "@botmesh/core"
import { Schema } from "effect"
import { Payments } from "./payments.ts"
import type { SignUpTexts } from "./texts.ts"

const Age = Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 99 }))

/** @param id the flow's id; stored conversations name it, so it stays the same over releases */
export const signUp = (id: string, texts: SignUpTexts) =>
  Flow.make(id).pipe(
    Flow.ask("name", texts.name),
    Flow.ask("age", texts.age, {
      answer: Age,
      invalid: texts.ageAgain,
      idle: { after: "5m", say: texts.idle },
      timeout: "1d"
    }),
    Flow.choose("plan", texts.plan, { pro: "Pro", max: "Max" }, { timeout: "1d" }),
    // Recorded once it succeeded. One that a crash cut short runs again under the same `op.id`.
    Flow.run("charge", ({ plan }, op) => Payments.use((payments) => payments.charge(plan, { key: op.id }))),
    Flow.say(({ name, plan }) => texts.done(name, plan)),
    Flow.persistent
  )
