/** Reads flow documents from files. */
import { Effect, FileSystem, Path } from "effect"
import { refused } from "../Refused.ts"

export interface DocumentFile {
  readonly file: string
  readonly document: unknown
}

const parsed = (file: string, text: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => refused(`${file} is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  })

/** One document. Fails, in words, when the file is missing or no JSON. */
export const readDocument = Effect.fn("botmesh.readDocument")(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(files.readFileString(file), () => refused(`There is no file ${file} to read`))
  return { file, document: yield* parsed(file, text) } satisfies DocumentFile
})

/** Several, in the order given. */
export const readDocuments = (files: ReadonlyArray<string>) => Effect.forEach(files, readDocument)

/** What the flows they name are looked for among: the given ones, then what stands beside them. */
export const around = Effect.fn("botmesh.around")(function* (given: ReadonlyArray<DocumentFile>) {
  const path = yield* Path.Path
  const found = new Map(given.map((one) => [path.resolve(one.file), one]))
  for (const { file } of given) {
    for (const other of yield* besides(file)) if (!found.has(other.file)) found.set(other.file, other)
  }
  return [...found.values()].map(({ document }) => document)
})

/** The other JSON files of a file's folder that can be read: among them are the flows it names. */
export const besides = Effect.fn("botmesh.besides")(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(path.resolve(file))
  const names = yield* Effect.orElseSucceed(files.readDirectory(folder), (): ReadonlyArray<string> => [])
  const others = names.filter((name) => name.endsWith(".json") && name !== path.basename(file)).sort()
  const found = yield* Effect.forEach(others, (name) => Effect.option(readDocument(path.join(folder, name))))
  return found.flatMap((one) => (one._tag === "Some" ? [one.value] : []))
})
