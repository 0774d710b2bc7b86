/**
 * Golden transcripts: a conversation as a readable text, recorded once and replayed as a test ever after (B22).
 *
 * ```
 * # A comment. The clock starts at 0.
 * @ ana: es
 * > ana: registrar
 * < ¿Tu nombre?
 * > ana: Ana
 * < ¿Plan?
 *   [1] Pro (pro)
 *   [2] Max (max)
 * ~ 10m
 * < Se acabó el tiempo de espera.
 * ```
 *
 * `>` is somebody who writes (`> ana@family: hola` in a group, `> ana: [pro]` presses a button, `> ana: <image> look`
 * sends a file), `<` what the bot says (`<luis> …` in another chat than that of the last writer), `~` the clock, `@` the
 * language a transport reports, `|` one more line of a text. A text that begins with `<`, `[` or `\` has a `\` before it.
 */
import { Config, Effect, FileSystem, type PlatformError, Schema, TextDiff } from "effect"
import { TestClock } from "effect/testing"
import type { Content } from "../model/Content.ts"
import { parseDurationUnsafe } from "../model/Duration.ts"
import type { NotAcceptingError } from "../spi/Provider.ts"
import type { Sent } from "./mock/Mock.ts"
import type { Person, TestBot } from "./TestBot.ts"
import { type Entry, type Option, parse, print, type Transcript, TranscriptError } from "./transcript/Format.ts"

export { type Entry, parse, print, type Transcript, TranscriptError } from "./transcript/Format.ts"

/** The bot did not say what the transcript holds; `diff` is a unified diff of the two texts. Source: B22. */
export class TranscriptMismatch extends Schema.TaggedError<TranscriptMismatch>()("TranscriptMismatch", {
  name: Schema.String,
  diff: Schema.String
}) {
  override get message(): string {
    return `The bot says something else than ${this.name} (- the transcript, + the bot):\n${this.diff}`
  }
}

type Said = Extract<Entry, { readonly _tag: "said" }>
type Act = Extract<Entry, { readonly _tag: "says" | "presses" | "sends" | "waits" }>

const isAct = (entry: Entry): entry is Act =>
  entry._tag === "says" || entry._tag === "presses" || entry._tag === "sends" || entry._tag === "waits"

/** Line ends of texts are all one here: a transcript is read line by line. */
const words = (text: string): string => text.replaceAll(/\r\n?/gu, "\n")

const described = (content: Content): Pick<Said, "kind" | "detail" | "text" | "options"> => {
  const plain = (kind: string, text: string, detail?: string, options: ReadonlyArray<Option> = []) => ({
    kind,
    text: words(text),
    options,
    ...(detail === undefined ? {} : { detail })
  })
  switch (content._tag) {
    case "text":
      return plain("text", content.text)
    case "choices":
      return plain("text", content.text, undefined, content.options)
    case "edit":
      return plain("edit", content.text)
    case "poll":
      return plain(
        "poll",
        content.question,
        content.multiple === true ? "multiple" : undefined,
        content.options.map((label) => ({ label }))
      )
    case "media": {
      const { source } = content
      return plain(content.kind, content.caption ?? "", source._tag === "url" ? source.url : content.filename)
    }
    case "location":
      return plain(
        "location",
        content.location.name ?? "",
        `${content.location.latitude},${content.location.longitude}`
      )
    case "contact":
      return plain("contact", content.contact.name, content.contact.phones.join(" ") || undefined)
    case "reaction":
      return plain("reaction", content.emoji)
    case "delete":
      return plain("delete", "")
  }
}

/** Who acts in a bot under test: people by name, each with the buttons they saw last. */
class Stage {
  /** The chat of whoever acted last. */
  private here: string | undefined = undefined
  private readonly people = new Map<string, Person>()
  private readonly langs = new Map<string, string>()
  private readonly menus = new Map<string, ReadonlyArray<Option>>()
  private readonly bot: TestBot<unknown>
  constructor(bot: TestBot<unknown>) {
    this.bot = bot
  }

  speaks(who: string, lang: string): void {
    this.langs.set(who, lang)
    this.people.clear()
  }
  private person(who: string, chat: string): Person {
    const name = `${who} ${chat}`
    const lang = this.langs.get(who)
    const found = this.people.get(name) ?? this.bot.person(who, { chat, ...(lang === undefined ? {} : { lang }) })
    this.people.set(name, found)
    return found
  }
  act(entry: Act): Effect.Effect<unknown, NotAcceptingError> {
    if (entry._tag === "waits") {
      return Effect.andThen(TestClock.adjust(parseDurationUnsafe(entry.duration)), this.bot.settled)
    }
    const chat = entry.chat ?? entry.who
    this.here = chat
    const person = this.person(entry.who, chat)
    switch (entry._tag) {
      case "says":
        return person.says(entry.text)
      case "presses":
        return person.presses(entry.key, this.menus.get(chat)?.find((option) => option.key === entry.key)?.label)
      case "sends":
        return person.sendsMedia(entry.kind, entry.caption)
    }
  }
  heard({ message: { chatId, content } }: Sent): Said {
    const said = described(content)
    if (content._tag === "choices") this.menus.set(chatId, content.options)
    return { _tag: "said", ...(chatId === this.here ? {} : { chat: chatId }), ...said }
  }
}

/** The act and what the bot says to it, among the comments where the transcript has it. */
const segment = (act: Act, rest: Transcript, said: ReadonlyArray<Said>): Transcript => {
  const first = rest.findIndex((entry) => entry._tag === "said")
  const others = (entries: Transcript) => entries.filter((entry) => entry._tag !== "said")
  return first < 0
    ? [act, ...said, ...rest]
    : [act, ...others(rest.slice(0, first)), ...said, ...others(rest.slice(first))]
}

const perform = Effect.fnUntraced(function* (script: Transcript, bot: TestBot<unknown>) {
  const stage = new Stage(bot)
  const begin = script.findIndex(isAct)
  const head = begin < 0 ? script : script.slice(0, begin)
  const found: Array<Entry> = head.filter((entry) => entry._tag !== "said")
  for (const entry of head) if (entry._tag === "speaks") stage.speaks(entry.who, entry.lang)
  // What the bot said before belongs to nobody's act.
  yield* bot.mock.takeSent
  for (let at = begin; at >= 0 && at < script.length; ) {
    const act = script[at]
    if (act === undefined || !isAct(act)) break
    const next = script.findIndex((entry, index) => index > at && isAct(entry))
    const rest = script.slice(at + 1, next < 0 ? undefined : next)
    yield* stage.act(act)
    const said = (yield* bot.mock.takeSent).map((sent) => stage.heard(sent))
    found.push(...segment(act, rest, said))
    for (const entry of rest) if (entry._tag === "speaks") stage.speaks(entry.who, entry.lang)
    at = next < 0 ? script.length : next
  }
  // An id that the text form cannot hold shows here, not in the review of an unreadable file.
  return yield* Effect.fromResult(parse(print(found)))
})

const read = (script: string | Transcript): Effect.Effect<Transcript, TranscriptError> =>
  typeof script === "string" ? Effect.fromResult(parse(script)) : Effect.succeed(script)

/**
 * Plays the acts of a script (`>`, `~`, `@`) and writes down what the bot says to each; comments stay where they are,
 * `<` lines of the script are replaced. Print the result with `Transcript.print`.
 *
 * @param bot under TestClock, running
 * @param script a text or its entries
 *
 * Fails with `TranscriptError` for a script that cannot be read. Source: B22.
 */
export const record = Effect.fnUntraced(function* (bot: TestBot<unknown>, script: string | Transcript) {
  return yield* perform(yield* read(script), bot)
})

const spoken = (transcript: Transcript): string =>
  print(transcript.filter((entry) => entry._tag !== "comment" && entry._tag !== "blank"))

const compare = (name: string, wanted: Transcript, got: Transcript): Effect.Effect<void, TranscriptMismatch> => {
  if (spoken(wanted) === spoken(got)) return Effect.void
  const edits = TextDiff.lines(print(wanted), print(got), { maxEdits: 1000 })
  return Effect.fail(new TranscriptMismatch({ name, diff: TextDiff.unified(edits) }))
}

/**
 * Plays a transcript and compares what the bot says, line by line. Comments and blank lines do not count.
 *
 * @param script a text or its entries
 * @param bot under TestClock, running, with nothing of these people yet
 * @param name of the transcript, for the failure
 *
 * Fails with `TranscriptMismatch`, whose message is a diff, or `TranscriptError`. Source: B22.
 */
export const replay = Effect.fnUntraced(function* (
  script: string | Transcript,
  bot: TestBot<unknown>,
  name = "the transcript"
) {
  const wanted = yield* read(script)
  yield* compare(name, wanted, yield* perform(wanted, bot))
})

/** `UPDATE_TRANSCRIPTS=true`: the run writes files anew instead of comparing. */
const updating = Config.Boolean("UPDATE_TRANSCRIPTS").pipe(Config.withDefault(false))

export interface ReplayFileOptions {
  /** Writes what the bot says now into the file. Default: the environment variable `UPDATE_TRANSCRIPTS`. */
  readonly update?: boolean
}

/**
 * `replay` for a file. A new one needs only the `>` lines: run it once with `update`, then read what was written.
 *
 * @param path of the file
 *
 * Fails as `replay`, with `PlatformError` when the file cannot be read or written, with `ConfigError` when the variable
 * is no boolean. Source: B22.
 */
export const replayFile = Effect.fnUntraced(function* (
  path: string,
  bot: TestBot<unknown>,
  options: ReplayFileOptions = {}
): Effect.fn.Return<
  void,
  TranscriptError | TranscriptMismatch | NotAcceptingError | PlatformError.PlatformError | Config.ConfigError,
  FileSystem.FileSystem
> {
  const files = yield* FileSystem.FileSystem
  const text = yield* files.readFileString(path)
  const wanted = yield* Effect.mapError(
    read(text),
    (error) => new TranscriptError({ line: error.line, detail: `${error.detail} (${path})` })
  )
  const got = yield* perform(wanted, bot)
  if (!(options.update ?? (yield* updating))) return yield* compare(path, wanted, got)
  const written = print(got)
  if (written !== text) yield* files.writeFileString(path, written)
})
