/** The kinds of values that documents hold, each with the words that say what is wanted. */
import { parseDuration } from "@botmesh/core"
import { Result, Schema } from "effect"
import { FLOW_DOCUMENT_LIMITS as limits } from "./Limits.ts"

/** Ids of flows and steps, state keys, option keys, goto targets (E1). */
export const Id = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/u, {
    message: "expected 1 to 64 letters of a to z, digits, _ . : or -, the first a letter or a digit"
  })
).annotate({ identifier: "Id" })

const text = (max: number, what: string) =>
  Schema.String.check(
    Schema.isMinLength(1, { message: `${what} may not be empty` }),
    Schema.isMaxLength(max, { message: `${what} has at most ${max} characters` })
  )

/** A text with places `{{ path }}`. */
export const Text = text(limits.text, "a text").annotate({ identifier: "Text" })
export const Label = text(limits.label, "a label").annotate({ identifier: "Label" })
export const Expr = text(limits.expression, "an expression").annotate({ identifier: "Expression" })
export const Name = text(limits.label, "a name")
export const Keyword = text(limits.label, "a keyword")

/** A time with a unit, or whole milliseconds; `most` in ms. */
export const duration = (most: number, words: string) => {
  const message = `expected a duration of more than 0 and at most ${words}: '30s', '5m', '1h', or milliseconds`
  return Schema.Union([Schema.String.check(Schema.isMaxLength(64)), Schema.Finite])
    .check(
      Schema.makeFilter(
        (input: string | number) =>
          Result.isSuccess(parseDuration(input, "duration", { zero: "refuse", max: most })) || message
      )
    )
    .annotate({ message })
}
export const Timeout = duration(limits.timeout, "7 days").annotate({ identifier: "Timeout" })
export const Delay = duration(limits.delay, "5 minutes").annotate({ identifier: "Delay" })

export const whole = (minimum: number, maximum: number) =>
  Schema.Int.check(
    Schema.isBetween({ minimum, maximum }, { message: `expected a whole number from ${minimum} to ${maximum}` })
  )

export const listOf = <S extends Schema.Top>(item: S, least: number, most: number, what: string) =>
  Schema.Array(item).check(
    Schema.isMinLength(least, { message: `expected at least ${least} ${what}` }),
    Schema.isMaxLength(most, { message: `expected at most ${most} ${what}` })
  )

export const byId = <S extends Schema.Top>(value: S, most: number, what: string) =>
  Schema.Record(Id, value).check(Schema.isMaxProperties(most, { message: `expected at most ${most} ${what}` }))
