import { Simulator } from "@botmesh/core/dev"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option, PlatformError, Sink, Stdio, Stream } from "effect"

const stdio = (
  chunks: ReadonlyArray<string | Uint8Array>,
  written: Array<string>,
  terminal: boolean
): Layer.Layer<Stdio.Stdio> =>
  Stdio.layerTest({
    stdinIsTerminal: Effect.succeed(terminal),
    stdoutIsTerminal: Effect.succeed(terminal),
    stdin: Stream.fromIterable(
      chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk))
    ),
    stdout: () => Sink.forEach((text) => Effect.sync(() => void written.push(String(text))))
  })

const withTerminal = <A, E>(
  layer: Layer.Layer<Stdio.Stdio>,
  use: (terminal: Simulator.TerminalShape) => Effect.Effect<A, E>
) => Effect.provide(Effect.flatMap(Simulator.Terminal, use), Simulator.layerStdio.pipe(Layer.provide(layer)))

const readAll = (terminal: Simulator.TerminalShape) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    for (;;) {
      const line = yield* terminal.readLine
      if (Option.isNone(line)) return lines
      lines.push(line.value)
    }
  })

it.effect("reads whole lines, however the input is cut, also the last one without an end", () =>
  Effect.gen(function* () {
    const bytes = new TextEncoder().encode("año\r\nfin")
    const chunks = ["ho", "la\nregis", "trar\n\n", bytes.slice(0, 2), bytes.slice(2)]
    expect(yield* withTerminal(stdio(chunks, [], false), readAll)).toEqual(["hola", "registrar", "", "año", "fin"])
  })
)

it.effect("writes plain lines and no prompt where nobody sits before it", () =>
  Effect.gen(function* () {
    const written: Array<string> = []
    yield* withTerminal(stdio([], written, false), (terminal) =>
      Effect.andThen(terminal.prompt("you"), terminal.print("hola\n1. uno", "bot"))
    )
    expect(written).toEqual(["hola\n1. uno\n"])
  })
)

it.effect("prompts a person, and puts the prompt back after what comes in between", () =>
  Effect.gen(function* () {
    const written: Array<string> = []
    yield* withTerminal(stdio(["x\n"], written, true), (terminal) =>
      Effect.gen(function* () {
        yield* terminal.prompt("you")
        yield* terminal.print("hola", "bot")
        yield* terminal.readLine
        yield* terminal.print("adiós", "note")
      })
    )
    expect(written).toEqual(["you> ", "\r\u001b[2K\u001b[36mhola\u001b[0m\nyou> ", "\u001b[2madiós\u001b[0m\n"])
  })
)

it.effect("fails when the terminal is gone", () =>
  Effect.gen(function* () {
    const gone = PlatformError.systemError({ _tag: "Unknown", module: "Stdio", method: "stdout" })
    const closed = Stdio.layerTest({ stdin: Stream.fail(gone), stdout: () => Sink.fail(gone) })
    const read = yield* Effect.flip(withTerminal(closed, (terminal) => terminal.readLine))
    const wrote = yield* Effect.flip(withTerminal(closed, (terminal) => terminal.print("hola", "bot")))
    expect([read._tag, wrote._tag]).toEqual(["TerminalError", "TerminalError"])
  })
)
