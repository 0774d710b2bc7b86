import type { CoreTexts } from "./CoreTexts.ts"

export const english: CoreTexts = {
  "core.conversation.timeout": "The time to answer is over. Write to me whenever you like and we start again.",
  "core.conversation.gave-up":
    "I could not understand your answers, so let us leave it here. Write to me whenever you like.",
  "core.conversation.interrupted": "Our conversation was interrupted. Please let us start again.",
  "core.answer.invalid": "That answer is not valid. Please try again.",
  "core.answer.text": "Please answer with a text.",
  "core.answer.media": "Please answer with a file.",
  "core.answer.number": "Please write a number in digits, without a thousands separator.",
  "core.answer.integer": "Please write a whole number.",
  "core.answer.between": "It must be between {minimum} and {maximum}.",
  "core.answer.at-least": "It must be at least {minimum}.",
  "core.answer.at-most": "It must be at most {maximum}.",
  "core.answer.too-short": "That is too short: it needs at least {minimum} characters.",
  "core.answer.too-long": "That is too long: it takes at most {maximum} characters.",
  "core.answer.yes-no": "Please answer yes or no.",
  "core.answer.date": "Please write a date such as 31/12/2026 (day, month, year).",
  "core.answer.choose": "Please choose one of the options.",
  "core.answer.choose-among": "Please choose one of these options: {options}",
  "core.handler.failed": "Sorry, something went wrong. Please try again in a moment.",
  "core.cancelled": "Cancelled.",
  "core.back": "Let us go back to the question before.",
  "core.back-none": "There is no question before this one.",
  "core.words.cancel": "cancel",
  "core.words.back": "back, go back",
  "core.words.yes": "yes, y, yeah, true",
  "core.words.no": "no, n, false"
}
