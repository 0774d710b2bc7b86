/** `botmesh flow`: looks after flow documents. */
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { refused } from "../Refused.ts"
import { around, type DocumentFile, readDocuments } from "./Files.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription(
    "JSON files, a flow document each; the flows they name are looked for among them and beside them"
  ),
  Argument.variadic({ min: 1 })
)
const transport = Flag.String("transport").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("A transport to measure texts and menus against; may be given several times"),
  Flag.between(0, 20)
)
const known = Flag.String("known").pipe(
  Flag.withMetavar("ID"),
  Flag.withDescription("The id of a flow that is no document; may be given several times"),
  Flag.between(0, 1000)
)
const asSvg = Flag.Boolean("svg").pipe(Flag.withDescription("SVG instead of Mermaid"), Flag.withDefault(false))

/** Loaded when a command needs it: the others start faster. */
const flows = Effect.promise(() => import("@botmesh/flows"))

interface Told {
  readonly severity: string
  readonly path: string
  readonly message: string
  readonly suggestion?: string
}
const line = (file: string, { message, path, severity, suggestion }: Told): string =>
  `${file}: ${severity}: ${path === "" ? "" : `${path}: `}${message}${suggestion === undefined ? "" : ` (did you mean ${suggestion}?)`}`

/** Says what is wrong, file by file, and fails when there are errors. */
const report = Effect.fnUntraced(function* (
  read: ReadonlyArray<DocumentFile>,
  issuesOf: (one: DocumentFile) => ReadonlyArray<Told>
) {
  let bad = 0
  for (const one of read) {
    const issues = issuesOf(one)
    if (issues.some(({ severity }) => severity === "error")) bad++
    if (issues.length === 0) yield* Console.log(`${one.file}: ok`)
    for (const issue of issues) yield* Console.log(line(one.file, issue))
  }
  if (bad > 0) return yield* refused(`${bad} of ${read.length} documents have errors`)
})

const validate = Command.make("validate", { files }, (options) =>
  Effect.gen(function* () {
    const { validate } = yield* flows
    const read = yield* readDocuments(options.files)
    const others = yield* around(read)
    yield* report(read, ({ document }) => validate(document, { flows: others }))
  })
).pipe(Command.withDescription("Say what keeps documents from compiling"))

const check = Command.make("check", { files, transport, known }, (options) =>
  Effect.gen(function* () {
    const { check, transports } = yield* flows
    const measured = transports.filter((name) => options.transport.includes(name))
    const strange = options.transport.find((name) => !transports.some((one) => one === name))
    if (strange !== undefined) return yield* refused(`There is no transport ${strange}: give ${transports.join(", ")}`)
    const read = yield* readDocuments(options.files)
    const context = { flows: yield* around(read), known: options.known, transports: measured }
    yield* report(read, ({ document }) => check(document, context).issues)
  })
).pipe(
  Command.withDescription("Say what keeps documents from compiling, and what is most likely a mistake"),
  Command.withExamples([
    { command: "botmesh flow check flows/*.json --transport telegram", description: "All of a folder, for Telegram" }
  ])
)

const schema = Command.make("schema", {}, () =>
  Effect.flatMap(flows, ({ FLOW_DOCUMENT_SCHEMA }) => Console.log(JSON.stringify(FLOW_DOCUMENT_SCHEMA, undefined, 2)))
).pipe(Command.withDescription("Print the JSON Schema of flow documents"))

const diagram = Command.make("diagram", { files, svg: asSvg }, (options) =>
  Effect.gen(function* () {
    const { compile, Diagram } = yield* flows
    const read = yield* readDocuments(options.files)
    const others = yield* around(read)
    for (const { document, file } of read) {
      const compiled = yield* Effect.mapError(compile(document, { flows: others }), (error) =>
        refused(`${file} does not compile:\n${error.issues.map((issue) => line(file, issue)).join("\n")}`)
      )
      const drawn = options.svg ? Diagram.svg(compiled.document) : Diagram.mermaid(compiled.document)
      yield* Console.log(drawn.trimEnd())
    }
  })
).pipe(Command.withDescription("Draw documents as Mermaid flow charts, or as SVG"))

/** Looks after flow documents. Source: E7 */
export const flow = Command.make("flow").pipe(
  Command.withDescription("Flow documents: validate, check, draw them"),
  Command.withSubcommands([validate, check, schema, diagram])
)
