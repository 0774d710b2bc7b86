/** The texts and words the engine itself says or understands; a catalogue may replace each in any language. */
export const coreKeys = [
  "core.conversation.timeout",
  "core.conversation.gave-up",
  "core.conversation.interrupted",
  "core.answer.invalid",
  "core.answer.text",
  "core.answer.media",
  "core.answer.number",
  "core.answer.integer",
  "core.answer.between",
  "core.answer.at-least",
  "core.answer.at-most",
  "core.answer.too-short",
  "core.answer.too-long",
  "core.answer.yes-no",
  "core.answer.date",
  "core.answer.choose",
  "core.answer.choose-among",
  "core.handler.failed",
  "core.cancelled",
  "core.back",
  "core.back-none",
  "core.words.cancel",
  "core.words.back",
  "core.words.yes",
  "core.words.no"
] as const

/** A key of a built-in text. Source: B3, B13, B25, C18. */
export type CoreKey = (typeof coreKeys)[number]

/** One language's built-in texts. Keys of `core.words` hold words, separated by commas, compared in normal form. */
export type CoreTexts = { readonly [key in CoreKey]: string }
