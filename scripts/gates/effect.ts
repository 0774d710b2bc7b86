import { isAbsolute, relative } from "node:path"
import { command } from "./command.ts"
import type { Gate } from "./gate.ts"
import { isRecord } from "./source.ts"

export interface Diagnostic {
  readonly file: string
  readonly line: number
  readonly severity: string
  readonly name: string
  readonly message: string
}

const isDiagnostic = (value: unknown): value is Diagnostic =>
  isRecord(value) &&
  typeof value["file"] === "string" &&
  typeof value["line"] === "number" &&
  typeof value["severity"] === "string" &&
  typeof value["name"] === "string" &&
  typeof value["message"] === "string"

/**
 * Which diagnostics fail: in what is shipped or shown, warnings too (`--strict`); in tests, scripts and benchmarks only
 * errors (floating effects and the like), for tests fail and provide on purpose in ways a program should not.
 */
export const effectFailures = (diagnostics: ReadonlyArray<Diagnostic>): ReadonlyArray<string> =>
  diagnostics
    .filter(({ file, severity }) => {
      const strict = /^(?:packages|examples)\/[^/]+\/(?:src|bin)\//u.test(file)
      return severity === "error" || (strict && severity === "warning")
    })
    .map(({ file, line, message, name }) => `${file}:${line} ${name}: ${message}`)

/** Reads the JSON that `effect-tsgo diagnostics` prints; paths become relative to the root. */
export const readDiagnostics = (text: string, root: string): ReadonlyArray<Diagnostic> => {
  const value: unknown = JSON.parse(text)
  const list = isRecord(value) ? value["diagnostics"] : undefined
  if (!Array.isArray(list) || !list.every(isDiagnostic))
    throw new Error(`unknown output of effect-tsgo: ${text.slice(0, 300)}`)
  return list.map((found) => ({ ...found, file: isAbsolute(found.file) ? relative(root, found.file) : found.file }))
}

/** Floating effects, missing `return yield*`, chained provides … in one program over sources and tests. */
export const effectProblems = async (project: string, root: string, tools: string): Promise<ReadonlyArray<string>> => {
  const args = ["diagnostics", "--project", project, "--strict", "--format", "json"]
  const result = await command("effect-tsgo", args, { cwd: root, tools })
  if (!result.stdout.trimStart().startsWith("{"))
    return [`effect-tsgo: exit code ${result.code}\n${result.stdout}${result.stderr}`]
  return effectFailures(readDiagnostics(result.stdout, root))
}

export const effect: Gate = {
  name: "effect",
  run: async (root) => ({ problems: await effectProblems("tsconfig.effect.json", root, root), notes: [] })
}
