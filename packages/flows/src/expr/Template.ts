/**
 * Texts with places, `Hola {{ name }}`: one pass, so what a person wrote is never expanded (DOC-09), and bounded output.
 *
 * Source: E4
 */
import { Result } from "effect"
import { ExpressionError, nearest } from "./ExpressionError.ts"
import { compilePath, type KeyOf, ownKeys, type Path, type Read, roots } from "./Path.ts"
import { bounded, maxTextMade, textOf, type Value } from "./Value.ts"

export interface Template {
  readonly source: string
  readonly paths: ReadonlyArray<Path>
  /** The text, filled. Never throws. */
  readonly render: (...args: Parameters<Read>) => string
  /** The text itself where nothing is to be filled in. */
  readonly constant: string | undefined
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 0xa0
const isKey = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 58) ||
  code === 95 ||
  code === 45 ||
  code === 36

interface Place {
  readonly path: Path
  /** The index after the closing braces. */
  readonly end: number
}

const fail = (problem: string, at: number, suggestion?: string): never => {
  throw new ExpressionError(suggestion === undefined ? { problem, at } : { problem, at, suggestion })
}

/** One place, from its opening braces on. */
const readPlace = (source: string, open: number, names: ReadonlySet<string>): Place => {
  let at = open + 2
  const skip = (): void => {
    while (isSpace(source.charCodeAt(at))) at++
  }
  const key = (): string => {
    const from = at
    while (isKey(source.charCodeAt(at))) at++
    if (at === from) {
      if (at >= source.length) fail("a {{ is not closed", open)
      fail("expected the name of a value: {{ name }}", at)
    }
    return source.slice(from, at)
  }
  skip()
  const start = at
  const segments = [key()]
  for (;;) {
    const code = source.charCodeAt(at)
    if (code === 46) {
      at++
      segments.push(key())
    } else if (code === 91) {
      at++
      segments.push(key())
      if (source.charCodeAt(at++) !== 93) fail('expected "]" after the index', at - 1)
    } else break
  }
  skip()
  if (source.charCodeAt(at) !== 125 || source.charCodeAt(at + 1) !== 125) {
    fail(
      at >= source.length ? "a {{ is not closed" : "a place holds one path: expected }}",
      at >= source.length ? open : at
    )
  }
  return { path: rooted(segments, start, names), end: at + 2 }
}

const rooted = (segments: ReadonlyArray<string>, at: number, names: ReadonlySet<string>): Path => {
  const [head = "", ...rest] = segments
  if (!head.startsWith("$")) return { root: "$state", segments }
  if (!names.has(head)) fail(`there is no ${head} here; known are ${[...names].join(" ")}`, at, nearest(head, names))
  if (head === "$state" && rest.length === 0) fail("$state needs a key: {{ $state.name }}", at)
  return { root: head, segments: rest }
}

/** A template taken apart: texts as they are, paths to be filled in. */
export interface TemplateTree {
  readonly source: string
  readonly pieces: ReadonlyArray<string | Path>
}

/** Pure. */
export const parseTemplate = (
  source: string,
  names: ReadonlySet<string> = roots
): Result.Result<TemplateTree, ExpressionError> => {
  if (!source.includes("{{")) return Result.succeed({ source, pieces: [source] })
  const pieces: Array<string | Path> = []
  try {
    let from = 0
    for (let open = source.indexOf("{{"); open >= 0; open = source.indexOf("{{", from)) {
      const { end, path } = readPlace(source, open, names)
      if (open > from) pieces.push(source.slice(from, open))
      pieces.push(path)
      from = end
    }
    if (from < source.length) pieces.push(source.slice(from))
    return Result.succeed({ source, pieces })
  } catch (error) {
    if (error instanceof ExpressionError) return Result.fail(error)
    throw error
  }
}

const isPath = (piece: string | Path): piece is Path => typeof piece !== "string"

/**
 * Pure.
 *
 * @param keyOf where the keys it names stand in the state
 * @param show how a value is written where a place stands
 */
export const templateOf = (
  { pieces, source }: TemplateTree,
  keyOf: KeyOf,
  show: (value: Value) => string = textOf
): Template => {
  const paths = pieces.filter(isPath)
  if (paths.length === 0) return { source, paths, render: () => source, constant: source }
  const reads = pieces.map((piece) => (isPath(piece) ? compilePath(piece, keyOf) : piece))
  return { source, paths, render: renderer(reads, show), constant: undefined }
}

/**
 * Compiles a text with places, in time linear in its length. A place holds a path into the state (`{{ name }}`,
 * `{{ order.items[0].name }}`) or one of `$body`, `$from`, `$sender`, `$isGroup`; what is not there shows as nothing.
 *
 * @returns the template, or where and why it cannot be compiled
 *
 * Pure. Source: E4
 */
export const compileTemplate = (
  source: string,
  options: { readonly names?: ReadonlySet<string>; readonly keyOf?: KeyOf } = {}
): Result.Result<Template, ExpressionError> =>
  Result.map(parseTemplate(source, options.names), (tree) => templateOf(tree, options.keyOf ?? ownKeys))

const renderer =
  (pieces: ReadonlyArray<string | Read>, show: (value: Value) => string): Template["render"] =>
  (state, at) => {
    let text = ""
    for (const piece of pieces) {
      text += typeof piece === "string" ? piece : show(piece(state, at))
      if (text.length > maxTextMade) return bounded(text)
    }
    return text
  }
