/**
 * A question as the engine asks it: what to show, how to read an answer, what to say when it is wrong. Built from a flow
 * step or from `c.ask`, so both behave the same.
 */
import { Duration, Result, type Schema } from "effect"
import type { Content } from "../model/Content.ts"
import type { SavedMessage } from "../model/Checkpoint.ts"
import { type DurationInput, parseDurationUnsafe } from "../model/Duration.ts"
import type { MediaKind } from "../model/Event.ts"
import type { Catalogue, Params, TextKey } from "../i18n/Catalogue.ts"
import { decodeAnswer } from "./Answer.ts"
import { makeMenu } from "./Menu.ts"
import type { AskLimits, Choice, MediaAnswer } from "./Step.ts"

/** Why an answer was refused: a text of the flow's own, or a key of the catalogue. */
export type Refused = { readonly text: string } | { readonly translate: TextKey; readonly params?: Params }

/** A text, or how it is made once it is needed. */
export type Told = string | (() => string)
const told = (text: Told): string => (typeof text === "string" ? text : text())

export interface Question {
  /** Made when the question is shown. */
  readonly content: Content
  /** What a menu offers. */
  readonly choices: ReadonlyArray<Choice> | undefined
  readonly read: (message: SavedMessage, lang: string, catalogue: Catalogue) => Result.Result<unknown, Refused>
  /** Overrides what the reader says of a wrong answer. */
  readonly invalid: string | undefined
  /** Tries after the first. */
  readonly retries: number
  /** ms; `undefined` waits for ever. */
  readonly timeout: number | undefined
  readonly idle: { readonly after: number; readonly text: string } | undefined
  readonly cancel: boolean
  readonly back: boolean
}

export const defaultRetries = 20

export const millis = (input: DurationInput | undefined): number | undefined =>
  input === undefined ? undefined : Duration.toMillis(parseDurationUnsafe(input))

/** The limits of a question, texts already made. */
export interface Limits extends Pick<AskLimits, "retries" | "timeout" | "cancel" | "back"> {
  readonly invalid?: string | undefined
  readonly idle?: { readonly after: DurationInput; readonly say: string } | undefined
}

const idleOf = ({ idle }: Limits): Question["idle"] =>
  idle === undefined ? undefined : { after: millis(idle.after) ?? 0, text: idle.say }

const limited = (limits: Limits, defaultTimeout: number | undefined) => ({
  invalid: limits.invalid,
  retries: limits.retries ?? defaultRetries,
  timeout: millis(limits.timeout) ?? defaultTimeout,
  idle: idleOf(limits),
  cancel: limits.cancel ?? true,
  back: limits.back ?? true
})

const isText = (message: SavedMessage): boolean => message.type === "text" || message.type === "interaction"

/** A question answered by text. Made of what it was asked with, the rest on demand: as long as it waits it is kept. */
class TextQuestion implements Question {
  private readonly text: Told
  private readonly answer: Schema.Decoder<unknown> | undefined
  private readonly validate: ((value: unknown) => boolean | string) | undefined
  private readonly limits: Limits
  readonly timeout: number | undefined
  constructor(
    text: Told,
    answer: Schema.Decoder<unknown> | undefined,
    validate: ((value: unknown) => boolean | string) | undefined,
    limits: Limits,
    defaultTimeout: number | undefined
  ) {
    this.text = text
    this.answer = answer
    this.validate = validate
    this.limits = limits
    this.timeout = millis(limits.timeout) ?? defaultTimeout
  }
  get content(): Content {
    return { _tag: "text", text: told(this.text) }
  }
  get choices(): undefined {
    return undefined
  }
  get invalid(): string | undefined {
    return this.limits.invalid
  }
  get retries(): number {
    return this.limits.retries ?? defaultRetries
  }
  get idle(): Question["idle"] {
    return idleOf(this.limits)
  }
  get cancel(): boolean {
    return this.limits.cancel ?? true
  }
  get back(): boolean {
    return this.limits.back ?? true
  }
  read(message: SavedMessage, lang: string, catalogue: Catalogue): Result.Result<unknown, Refused> {
    if (message.body === "" && !isText(message)) return Result.fail({ translate: "core.answer.text" })
    const decoded = decodeAnswer(this.answer, message.payload ?? message.body, { lang, catalogue })
    if (Result.isFailure(decoded)) {
      const { key, message: own, params } = decoded.failure
      return Result.fail(own === undefined ? { translate: key, params } : { text: own })
    }
    const verdict = this.validate === undefined ? true : this.validate(decoded.success)
    if (verdict === true) return Result.succeed(decoded.success)
    return Result.fail(typeof verdict === "string" ? { text: verdict } : { translate: "core.answer.invalid" })
  }
}

/** @param answer reads and checks the text; the trimmed text itself when absent */
export const textQuestion = (
  text: Told,
  answer: Schema.Decoder<unknown> | undefined,
  validate: ((value: unknown) => boolean | string) | undefined,
  limits: Limits,
  defaultTimeout: number | undefined
): Question => new TextQuestion(text, answer, validate, limits, defaultTimeout)

/** A menu: answered by button, label or number. */
export const menuQuestion = (
  text: Told,
  choices: ReadonlyArray<Choice>,
  limits: Limits,
  defaultTimeout: number | undefined
): Question => {
  const menu = makeMenu(choices)
  return {
    get content(): Content {
      return { _tag: "choices", text: told(text), options: choices }
    },
    choices,
    ...limited(limits, defaultTimeout),
    read: (message) => {
      const choice = menu.find({ text: message.body, payload: message.payload })
      if (choice === undefined) return Result.fail({ translate: "core.answer.choose" })
      return Result.succeed("value" in choice ? choice.value : choice.key)
    }
  }
}

/** A question answered by a file. */
export const mediaQuestion = (
  text: Told,
  kinds: ReadonlyArray<MediaKind>,
  validate: ((value: unknown) => boolean | string) | undefined,
  limits: Limits,
  defaultTimeout: number | undefined
): Question => ({
  get content(): Content {
    return { _tag: "text", text: told(text) }
  },
  choices: undefined,
  ...limited(limits, defaultTimeout),
  read: (message) => {
    const media = mediaAnswer(message)
    if (media === undefined || !kinds.includes(media.kind)) return Result.fail({ translate: "core.answer.media" })
    const verdict = validate === undefined ? true : validate(media)
    if (verdict === true) return Result.succeed(media)
    return Result.fail(typeof verdict === "string" ? { text: verdict } : { translate: "core.answer.invalid" })
  }
})

const mediaAnswer = (message: SavedMessage): MediaAnswer | undefined => {
  const media = message.media
  if (media === undefined) return undefined
  return {
    kind: media.kind,
    caption: message.body,
    native: media.native,
    ...(media.mimetype === undefined ? {} : { mimetype: media.mimetype }),
    ...(media.filename === undefined ? {} : { filename: media.filename })
  }
}
