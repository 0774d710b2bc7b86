import { Result, type Schema } from "effect"
export const decodeAnswer = (_s: Schema.Decoder<unknown> | undefined, text: string, _lang: string): Result.Result<unknown, { readonly translate: string }> => Result.succeed(text.trim())
export const encodeState = (_s: unknown, value: unknown): Result.Result<unknown, string> => Result.succeed(value)
export const decodeState = (_s: unknown, value: unknown): Result.Result<unknown, string> => Result.succeed(value)
