/** Logs to pino, console or any object with debug, info, warn and error (B24). */
import { Cause, type Layer, Logger, type LogLevel, References } from "effect"

/** The context object first, the message second: how pino wants it. An error stands under `err`. */
export interface LoggerLike {
  readonly debug: (context: object, message?: string) => void
  readonly info: (context: object, message?: string) => void
  readonly warn: (context: object, message?: string) => void
  readonly error: (context: object, message?: string) => void
}

const method = (level: LogLevel.LogLevel): keyof LoggerLike => {
  switch (level) {
    case "Fatal":
    case "Error":
      return "error"
    case "Warn":
      return "warn"
    case "Info":
      return "info"
    default:
      return "debug"
  }
}

const isContext = (part: unknown): part is object =>
  typeof part === "object" && part !== null && !Cause.isCause(part) && !(part instanceof Error)

/** The first error among what was logged: one that was given, else what a cause comes to. */
const errorOf = (parts: ReadonlyArray<unknown>, cause: Cause.Cause<unknown>): { readonly err?: unknown } => {
  const given = parts.find((part) => part instanceof Error)
  if (given !== undefined) return { err: given }
  const causes = [cause, ...parts.filter(Cause.isCause)].filter((found) => found.reasons.length > 0)
  return causes[0] === undefined ? {} : { err: Cause.squash(causes[0]) }
}
const isWord = (part: unknown): boolean => !isContext(part) && !Cause.isCause(part) && !(part instanceof Error)

/** Replaces Effect's own loggers by `logger`. Annotations are part of the context. */
export const layerLike = (logger: LoggerLike): Layer.Layer<never> =>
  Logger.layer([
    Logger.make(({ cause, fiber, logLevel, message }) => {
      const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
      const annotations = fiber.getRef(References.CurrentLogAnnotations)
      const context = Object.assign({}, annotations, ...parts.filter(isContext), errorOf(parts, cause))
      logger[method(logLevel)](context, parts.filter(isWord).map(String).join(" "))
    })
  ])
