/** What must hold of every document, whatever is in it. */
import { Flow } from "@botmesh/core"
import { check, compile, type FlowIssue, isFlowDocument, validate } from "@botmesh/flows"
import { Effect, Result } from "effect"
import { Dice } from "./Dice.ts"
import { around, someDocument, someMutant } from "./Generate.ts"

/** `steps[0].then[1]["odd key"]` as keys. */
const keysOf = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([A-Za-z_$][\w$]*)/gu)].map(([, quoted, index, name]) =>
    quoted === undefined ? (index ?? name ?? "") : String(JSON.parse(`"${quoted}"`))
  )

const has = (document: unknown, keys: ReadonlyArray<string>): boolean => {
  let value: unknown = document
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !(key in value)) return false
    value = Reflect.get(value, key)
  }
  return true
}

const placeExists = (document: unknown, { path }: FlowIssue): boolean => {
  const keys = keysOf(path)
  return has(document, keys) || has(document, keys.slice(0, -1))
}

const options = { flows: around }

/** What is wrong with how a document is treated; undefined when all is well. @param whole all that can be asked of it */
export const problemWith = (document: unknown, valid: boolean, whole = true): string | undefined => {
  const issues = validate(document, options)
  const compiled = Effect.runSync(Effect.result(compile(document, options)))
  if (Result.isSuccess(compiled) !== (issues.length === 0)) return "validate and compile differ"
  if (Result.isFailure(compiled) && JSON.stringify(compiled.failure.issues) !== JSON.stringify(issues))
    return "other issues"
  if (valid && issues.length > 0) return `a valid document is refused: ${JSON.stringify(issues[0])}`
  const lost = issues.find((issue) => !placeExists(document, issue))
  if (lost !== undefined) return `no such place: ${lost.path} (${lost.message})`
  if (!whole) return undefined
  const report = check(document, { ...options, transports: ["telegram", "instagram"] })
  const told = report.issues.find((issue) => !placeExists(document, issue))
  if (told !== undefined) return `check names no such place: ${told.path}`
  if (!isFlowDocument(document) && issues.length === 0) return "it compiles and is no document"
  if (Result.isSuccess(compiled)) {
    const { steps } = Flow.outline(compiled.success.flow)
    if (new Set(steps.map(({ id }) => id)).size !== steps.length) return "two steps of one id"
    if (Result.isFailure(Effect.runSync(Effect.result(compile(compiled.success.document, options)))))
      return "what was read does not compile"
  }
  return undefined
}

export interface Finding {
  readonly seed: number
  readonly problem: string
  readonly document: unknown
}

const attempt = (document: unknown, valid: boolean, whole: boolean): string | undefined => {
  try {
    return problemWith(document, valid, whole)
  } catch (error) {
    return `it throws ${String(error)}`
  }
}

/** Tries documents of consecutive seeds, and asks the whole of every so many. */
export const fuzz = (kind: "valid" | "mutated", from: number, count: number, every = 1): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  for (let seed = from; seed < from + count && found.length < 5; seed++) {
    const dice = new Dice(seed)
    const document = kind === "valid" ? someDocument(dice) : someMutant(dice)
    const problem = attempt(document, kind === "valid", seed % every === 0)
    if (problem !== undefined) found.push({ seed, problem, document })
  }
  return found
}
