/**
 * The text form of a transcript: what a person reads in a review, and what a parser reads back without a doubt.
 *
 * TF1 each entry has one way to be written; a line that means something but is written otherwise is refused, so
 *     `print(parse(text))` is `text`.
 * TF2 every refusal names its line, counted from 1.
 */
import { Result, Schema } from "effect"
import { formatDuration, parseDuration } from "../../model/Duration.ts"
import type { MediaKind } from "../../model/Event.ts"

export interface Option {
  readonly label: string
  /** Absent in a poll, whose options have no key. */
  readonly key?: string
}

/** A person and where they write; without a chat it is their private one. */
interface By {
  readonly who: string
  readonly chat?: string
}

export type Entry =
  | { readonly _tag: "blank" }
  | { readonly _tag: "comment"; readonly text: string }
  /** From here on this person's transport reports this language. */
  | { readonly _tag: "speaks"; readonly who: string; readonly lang: string }
  | ({ readonly _tag: "says"; readonly text: string } & By)
  | ({ readonly _tag: "presses"; readonly key: string } & By)
  | ({ readonly _tag: "sends"; readonly kind: MediaKind; readonly caption: string } & By)
  /** The clock goes on; as `formatDuration` prints it. */
  | { readonly _tag: "waits"; readonly duration: string }
  | {
      readonly _tag: "said"
      /** Absent when it is the chat of the person who acted last. */
      readonly chat?: string
      /** `text`, or the tag of another content. */
      readonly kind: string
      /** What tells one content of a kind from another: a URL, an emoji, a place. */
      readonly detail?: string
      readonly text: string
      readonly options: ReadonlyArray<Option>
    }

export type Transcript = ReadonlyArray<Entry>

/** A line of a transcript that cannot be read. Source: B22. */
export class TranscriptError extends Schema.TaggedError<TranscriptError>()("TranscriptError", {
  /** Counted from 1. */
  line: Schema.Int,
  detail: Schema.String
}) {
  override get message(): string {
    return `Transcript line ${this.line}: ${this.detail}`
  }
}

const mediaKinds: ReadonlyArray<MediaKind> = ["image", "video", "gif", "audio", "document", "sticker"]

// ---------------------------------------------------------------- print

const quoted = '"(?:[^"\\\\]|\\\\.)*"'
const plainKey = /^[^\s()[\]"]+$/u
const plainDetail = /^[^\s<>"](?:[^<>"\n]*[^\s<>"])?$/u
const looksKeyed = new RegExp(` \\((?:[^\\s()[\\]"]+|${quoted})\\)$`, "u")

const key = (value: string): string => (plainKey.test(value) ? value : JSON.stringify(value))
const detail = (value: string): string => (plainDetail.test(value) ? value : JSON.stringify(value))

const isPlainLabel = (label: string): boolean =>
  label !== "" && label.trim() === label && !label.includes("\n") && !label.startsWith('"') && !looksKeyed.test(label)

const option = ({ key: own, label }: Option, index: number): string => {
  const shown = isPlainLabel(label) ? label : JSON.stringify(label)
  return `  [${index + 1}] ${shown}${own === undefined ? "" : ` (${key(own)})`}`
}

/** Text behind a head, on as many lines as it has; the first one must not look like a tag or a button. */
const body = (head: string, text: string): ReadonlyArray<string> => {
  const [first = "", ...rest] = text.split("\n")
  return [first === "" ? head : `${head} ${first}`, ...rest.map((line) => (line === "" ? "|" : `| ${line}`))]
}
const escaped = (text: string): string => (/^[\\<[]/u.test(text) ? `\\${text}` : text)

const by = ({ chat, who }: By): string => `> ${who}${chat === undefined ? "" : `@${chat}`}:`

const linesOf = (entry: Entry): ReadonlyArray<string> => {
  switch (entry._tag) {
    case "blank":
      return [""]
    case "comment":
      return [entry.text === "" ? "#" : `# ${entry.text}`]
    case "speaks":
      return [`@ ${entry.who}: ${entry.lang}`]
    case "says":
      return body(by(entry), escaped(entry.text))
    case "presses":
      return [`${by(entry)} [${key(entry.key)}]`]
    case "sends":
      return body(`${by(entry)} <${entry.kind}>`, entry.caption)
    case "waits":
      return [`~ ${entry.duration}`]
    case "said": {
      const head = entry.chat === undefined ? "<" : `<${entry.chat}>`
      const tag = entry.detail === undefined ? `<${entry.kind}>` : `<${entry.kind} ${detail(entry.detail)}>`
      const words = entry.kind === "text" ? body(head, escaped(entry.text)) : body(`${head} ${tag}`, entry.text)
      return [...words, ...entry.options.map(option)]
    }
  }
}

/** A transcript as text, a line break at its end. Pure. Source: B22. */
export const print = (transcript: Transcript): string =>
  transcript.flatMap((entry) => linesOf(entry).map((line) => `${line}\n`)).join("")

// ---------------------------------------------------------------- parse

const optionLine = new RegExp(`^  \\[\\d+\\] (${quoted}|.*?)(?: \\(([^\\s()[\\]"]+|${quoted})\\))?$`, "u")
const tagged = new RegExp(`^<([A-Za-z]+)(?: (${quoted}|[^<>"]+))?>([ \\n].*)?$`, "su")
const button = new RegExp(`^\\[([^\\s()[\\]"]+|${quoted})\\]$`, "u")
const person = /^> ([^\s:@<>]+)(?:@([^\s:@<>]+))?:([ \n].*)?$/su
const language = /^@ ([^\s:@<>]+): (\S+)$/u
const bot = /^<(?:([^\s<>]+)>)?([ \n].*)?$/su

/** The text behind a head: after a blank, or on the next line. */
const behind = (rest: string | undefined): string => rest?.replace(/^ /u, "") ?? ""

const unquoted = (text: string): string => {
  if (!text.startsWith('"')) return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "string" ? value : text
  } catch {
    // No JSON after all: printed again it is quoted, which the caller sees and refuses (TF1).
    return text
  }
}
const unescaped = (text: string): string => (text.startsWith("\\") ? text.slice(1) : text)

/** An entry of several lines: its head, what goes on behind it, and the options of a menu. */
interface Group {
  readonly line: number
  readonly lines: ReadonlyArray<string>
  readonly text: string
  readonly options: ReadonlyArray<Option>
}

const continues = (line: string): boolean => line.startsWith("|") || line.startsWith("  [")

const optionOf = (line: string): Option => {
  const [, label = line, own] = optionLine.exec(line) ?? []
  return own === undefined ? { label: unquoted(label) } : { label: unquoted(label), key: unquoted(own) }
}

const groups = (lines: ReadonlyArray<string>): ReadonlyArray<Group> => {
  const found: Array<Group> = []
  for (let at = 0; at < lines.length; ) {
    let end = at + 1
    while (end < lines.length && continues(lines[end] ?? "")) end++
    const own = lines.slice(at, end)
    const words = own.filter((line, index) => index === 0 || line.startsWith("|"))
    const text = words.map((line, index) => (index === 0 ? line : line.replace(/^\| ?/u, ""))).join("\n")
    const options = own.slice(1).filter((line) => line.startsWith("  ["))
    found.push({ line: at + 1, lines: own, text, options: options.map(optionOf) })
    at = end
  }
  return found
}

const isMedia = (kind: string): kind is MediaKind => mediaKinds.some((known) => known === kind)

const personOf = (text: string): Entry | string => {
  const [found, who, chat, rest] = person.exec(text) ?? []
  if (found === undefined || who === undefined) return "expected `> NAME: text`, or `> NAME@GROUP: text`"
  const words = behind(rest)
  const writer = { who, ...(chat === undefined ? {} : { chat }) }
  const pressed = button.exec(words)?.[1]
  if (pressed !== undefined) return { _tag: "presses", ...writer, key: unquoted(pressed) }
  const [, kind, , caption] = tagged.exec(words) ?? []
  if (kind === undefined) return { _tag: "says", ...writer, text: unescaped(words) }
  return isMedia(kind)
    ? { _tag: "sends", ...writer, kind, caption: behind(caption) }
    : `nobody can send <${kind}>: known are ${mediaKinds.join(", ")}; a text that begins so is written \\<`
}

const saidOf = ({ options, text }: Group): Entry | string => {
  const [found, chat, rest] = bot.exec(text) ?? []
  if (found === undefined) return "expected `< text`, or `<CHAT> text`"
  const words = behind(rest)
  const where = chat === undefined ? {} : { chat }
  const [, kind, about, caption] = tagged.exec(words) ?? []
  return kind === undefined
    ? { _tag: "said", ...where, kind: "text", text: unescaped(words), options }
    : {
        _tag: "said",
        ...where,
        kind,
        ...(about === undefined ? {} : { detail: unquoted(about) }),
        text: behind(caption),
        options
      }
}

const entryOf = (group: Group): Entry | string => {
  const [text = ""] = group.lines
  switch (text[0]) {
    case undefined:
      return { _tag: "blank" }
    case "#":
      return { _tag: "comment", text: text.replace(/^# ?/u, "") }
    case "@": {
      const [, who, lang] = language.exec(text) ?? []
      return who === undefined || lang === undefined ? "expected `@ NAME: LANGUAGE`" : { _tag: "speaks", who, lang }
    }
    case ">":
      return personOf(group.text)
    case "~": {
      const duration = parseDuration(text.slice(1), "", { zero: "refuse" })
      return Result.isSuccess(duration)
        ? { _tag: "waits", duration: formatDuration(duration.success) }
        : "expected `~ DURATION`, such as `~ 10m`"
    }
    case "<":
      return saidOf(group)
    default:
      return "a line begins with > (somebody writes), < (the bot says), ~ (time passes), @ (a language) or # (a comment)"
  }
}

/**
 * Reads a transcript. Strict: there is one way to write each thing (TF1), and the last line ends with a line break.
 *
 * @returns the entries, or the first line that cannot be read
 *
 * Pure. Source: B22.
 */
export const parse = (text: string): Result.Result<Transcript, TranscriptError> => {
  const lines = text.split("\n")
  const fail = (line: number, what: string) => Result.fail(new TranscriptError({ line, detail: what }))
  if (lines.pop() !== "") return fail(lines.length + 1, "the last line has no line break")
  const carriage = lines.findIndex((line) => line.endsWith("\r"))
  if (carriage >= 0) return fail(carriage + 1, "it ends with a carriage return: lines end with \\n alone")
  const entries: Array<Entry> = []
  for (const group of groups(lines)) {
    const entry = entryOf(group)
    if (typeof entry === "string") return fail(group.line, entry)
    const canonical = linesOf(entry)
    const wrong = group.lines.findIndex((line, index) => line !== canonical[index])
    if (wrong >= 0) {
      const wanted = canonical[wrong]
      return fail(
        group.line + wrong,
        wanted === undefined ? "it belongs to nothing above it" : `write it as: ${wanted}`
      )
    }
    entries.push(entry)
  }
  return Result.succeed(entries)
}
