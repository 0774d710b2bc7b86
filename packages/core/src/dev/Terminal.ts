/** Lines in, lines out: what the simulator needs of a terminal. Tests give it a script instead. */
import { Context, Effect, Layer, type Option, Pull, Schema, Stdio, Stream } from "effect"

/** The terminal is gone (a closed pipe). */
export class TerminalError extends Schema.TaggedError<TerminalError>()("TerminalError", {
  cause: Schema.Defect()
}) {
  override get message(): string {
    return "The terminal cannot be read or written any more"
  }
}

/** What a line is: the bot's own words, a remark of the simulator, or an error. It decides about colour only. */
export type Tone = "bot" | "note" | "error"

export interface TerminalShape {
  /** A person sits before it: there is a prompt, and colour. */
  readonly interactive: boolean
  /** The next line without its end; none once the input has ended. */
  readonly readLine: Effect.Effect<Option.Option<string>, TerminalError>
  /** Prints one or more whole lines. */
  readonly print: (text: string, tone: Tone) => Effect.Effect<void, TerminalError>
  /** Asks for the next line, in front of which it says `label`. Nothing when not interactive. */
  readonly prompt: (label: string) => Effect.Effect<void, TerminalError>
}

/** Where the simulator talks. Source: B21. */
export class Terminal extends Context.Service<Terminal, TerminalShape>()("@botmesh/core/dev/Terminal") {}

const colours: Readonly<Record<Tone, string>> = { bot: "\u001b[36m", note: "\u001b[2m", error: "\u001b[31m" }
const plain = "\u001b[0m"
/** Back to the start of the line, and empties it. */
const wipe = "\r\u001b[2K"

const make = Effect.fnUntraced(function* () {
  const stdio = yield* Stdio.Stdio
  const interactive = (yield* stdio.stdinIsTerminal) && (yield* stdio.stdoutIsTerminal)
  const lines = yield* Stream.toPull(Stream.splitLines(Stream.decodeText(stdio.stdin)))
  const failed = (cause: unknown) => new TerminalError({ cause })
  let read: ReadonlyArray<string> = []
  let label: string | undefined

  const next = Effect.suspend((): Effect.Effect<Option.Option<string>, TerminalError> => {
    const [first, ...rest] = read
    read = rest
    return first === undefined ? more : Effect.succeedSome(first)
  })
  const more: Effect.Effect<Option.Option<string>, TerminalError> = Effect.mapError(
    Pull.catchDone(
      Effect.flatMap(lines, (chunk) => {
        read = chunk
        return next
      }),
      () => Effect.succeedNone
    ),
    failed
  )
  // A write of its own each time: a reply is on its way before its receipt is.
  const write = (text: string): Effect.Effect<void, TerminalError> =>
    Effect.mapError(Stream.run(Stream.succeed(text), stdio.stdout()), failed)

  return Terminal.of({
    interactive,
    readLine: Effect.tap(next, () =>
      Effect.sync(() => {
        label = undefined
      })
    ),
    print: (text, tone) => {
      if (!interactive) return write(`${text}\n`)
      const shown = `${colours[tone]}${text}${plain}\n`
      return write(label === undefined ? shown : `${wipe}${shown}${label}`)
    },
    prompt: (asked) => {
      if (!interactive) return Effect.void
      label = `${asked}> `
      return write(label)
    }
  })
})

/**
 * The process's own terminal, or whatever stands at its standard input and output: a pipe is read line by line, and a
 * pipe that is written to sees neither prompts nor colour.
 */
export const layerStdio: Layer.Layer<Terminal, never, Stdio.Stdio> = Layer.effect(Terminal, make())

export interface Script {
  readonly layer: Layer.Layer<Terminal>
  /** All that the bot and the simulator said so far. */
  readonly printed: () => ReadonlyArray<{ readonly text: string; readonly tone: Tone }>
  readonly texts: () => ReadonlyArray<string>
}

/**
 * A terminal for tests: reads these lines, then ends; keeps what is printed. An effect among the lines is run when its
 * turn comes (let time pass, look at something).
 */
export const scripted = (
  input: ReadonlyArray<string | Effect.Effect<unknown>>,
  options: { readonly interactive?: boolean } = {}
): Script => {
  const left = [...input]
  const printed: Array<{ readonly text: string; readonly tone: Tone }> = []
  const readLine: Effect.Effect<Option.Option<string>> = Effect.suspend(() => {
    const next = left.shift()
    if (next === undefined) return Effect.succeedNone
    return typeof next === "string" ? Effect.succeedSome(next) : Effect.andThen(next, readLine)
  })
  return {
    layer: Layer.succeed(Terminal, {
      interactive: options.interactive ?? false,
      readLine,
      print: (text, tone) => Effect.sync(() => void printed.push({ text, tone })),
      prompt: () => Effect.void
    }),
    printed: () => printed,
    texts: () => printed.map(({ text }) => text)
  }
}
