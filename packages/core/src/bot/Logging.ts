/** Logs to pino, console or any object with debug, info, warn and error (B24). */
import { Cause, type Layer, Logger, type LogLevel } from "effect"

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

const isContext = (part: unknown): part is object => typeof part === "object" && part !== null && !Cause.isCause(part)

/** Replaces Effect's own loggers by `logger`. */
export const layerLike = (logger: LoggerLike): Layer.Layer<never> =>
  Logger.layer([
    Logger.make(({ cause, logLevel, message }) => {
      const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
      const causes = [cause, ...parts.filter(Cause.isCause)].filter((found) => found.reasons.length > 0)
      const err = causes.map((found) => Cause.squash(found))[0]
      const context = Object.assign({}, ...parts.filter(isContext), err === undefined ? {} : { err })
      const text = parts
        .filter((part) => !isContext(part) && !Cause.isCause(part))
        .map(String)
        .join(" ")
      logger[method(logLevel)](context, text)
    })
  ])
