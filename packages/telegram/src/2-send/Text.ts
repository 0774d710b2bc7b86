/** Texts, alone or under something: split at the limits, the parts in order. */
import { InvalidContent, type Outgoing, splitText } from "@botmesh/core/spi"
import { Result } from "effect"
import { limits } from "../Limits.ts"
import type { Params } from "../native/Api.ts"
import type { Call, Plan } from "./Call.ts"
import { quote, target } from "./Target.ts"

/** Telegram refuses a message that is only white space; a long text may well have such a part. */
const pieces = (text: string): ReadonlyArray<string> =>
  splitText(text, limits.text, "utf16").filter((part) => part.trim() !== "")

/** The messages of a text. Only the first quotes, only the last carries `extra`. Empty for a blank text. */
export const texts = (message: Outgoing, text: string, first: Params, extra: Params = {}): ReadonlyArray<Call> => {
  const parts = pieces(text)
  return parts.map((part, index) => ({
    method: "sendMessage",
    params: {
      ...target(message),
      text: part,
      ...(index === 0 ? first : {}),
      ...(index === parts.length - 1 ? extra : {})
    }
  }))
}

export const inOrder = (
  calls: ReadonlyArray<Call>,
  keys: ReadonlyArray<string> = []
): Result.Result<Plan, InvalidContent> => {
  const [first, ...rest] = calls
  return first === undefined
    ? Result.fail(new InvalidContent({ detail: "the text is empty" }))
    : Result.succeed({ calls: [first, ...rest], keys })
}

export const text = (message: Outgoing, value: string): Result.Result<Plan, InvalidContent> =>
  Result.flatMap(quote(message), (first) => inOrder(texts(message, value, first)))

/** A caption is one piece; what does not fit follows as text. */
export const caption = (value: string): { readonly caption: string; readonly rest: string } => {
  const head = splitText(value, limits.caption, "utf16")[0] ?? ""
  return { caption: head, rest: value.slice(head.length) }
}
