/** Options as an inline keyboard, one a row: labels are whole, keys are whole (a key that does not fit goes by a token). */
import { type ChoicesContent, InvalidContent, type Outgoing } from "@botmesh/core/spi"
import { Result } from "effect"
import { dataOf } from "../Buttons.ts"
import { limits } from "../Limits.ts"
import type { Params } from "../native/Api.ts"
import type { Plan } from "./Call.ts"
import { quote } from "./Target.ts"
import { inOrder, texts } from "./Text.ts"

const keyboard = (content: ChoicesContent): Params => ({
  reply_markup: {
    inline_keyboard: content.options.map((option) => [{ text: option.label, callback_data: dataOf(option.key) }])
  }
})

export const choices = (message: Outgoing, content: ChoicesContent): Result.Result<Plan, InvalidContent> => {
  const count = content.options.length
  if (count === 0) return Result.fail(new InvalidContent({ detail: "choices without options" }))
  if (count > limits.buttons) {
    return Result.fail(new InvalidContent({ detail: `${count} options, at most ${limits.buttons} fit a keyboard` }))
  }
  return Result.flatMap(quote(message), (first) =>
    inOrder(
      texts(message, content.text, first, keyboard(content)),
      content.options.map((option) => option.key)
    )
  )
}
