/**
 * Older versions of documents, brought to the one that is read. Version 1 knew the seven basic kinds of steps with the
 * fields that version 2 kept as they were; what came later is refused in it.
 *
 * Source: E1
 */
import { Predicate } from "effect"
import { documentVersion } from "../document/Document.ts"
import { errorAt, type FlowIssue, type Place } from "../document/Issue.ts"
import { basicKinds } from "../document/Steps.ts"

/** Keys that version 2 brought to what version 1 knew, by kind of step; of all kinds: `id`. */
const newKeys: Readonly<Record<string, ReadonlyArray<string>>> = {
  ask: ["answer"],
  choose: ["maxAttempts", "retries"],
  goto: ["inputs"]
}
const known: ReadonlySet<unknown> = new Set(basicKinds)

const isObject = Predicate.isObject

const listAt = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const field = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

const needs = "needs version 2 of flow documents"

const stepIssues = (step: unknown, place: Place): ReadonlyArray<FlowIssue> => {
  const kind = field(step, "kind")
  if (typeof kind === "string" && !known.has(kind)) {
    return [errorAt([...place, "kind"], `a step of kind "${kind}" ${needs}`)]
  }
  const late = ["id", ...(typeof kind === "string" && Object.hasOwn(newKeys, kind) ? (newKeys[kind] ?? []) : [])]
  return [
    ...late
      .filter((key) => field(step, key) !== undefined)
      .map((key) => errorAt([...place, key], `the key "${key}" ${needs}`)),
    ...["then", "else"].flatMap((key) => stepsIssues(field(step, key), [...place, key])),
    ...listAt(field(step, "options")).flatMap((option, index) =>
      stepsIssues(field(option, "steps"), [...place, "options", index, "steps"])
    )
  ]
}
const stepsIssues = (steps: unknown, place: Place): ReadonlyArray<FlowIssue> =>
  listAt(steps).flatMap((step, index) => stepIssues(step, [...place, index]))

/** A document of the version that is read, and what an older one may not hold. Pure. */
export const migrate = (
  document: unknown
): { readonly document: unknown; readonly issues: ReadonlyArray<FlowIssue> } => {
  if (field(document, "version") !== 1 || !isObject(document)) return { document, issues: [] }
  const late = field(document, "inputs") === undefined ? [] : [errorAt(["inputs"], `the key "inputs" ${needs}`)]
  return {
    document: { ...document, version: documentVersion },
    issues: [...late, ...stepsIssues(field(document, "steps"), ["steps"])]
  }
}
