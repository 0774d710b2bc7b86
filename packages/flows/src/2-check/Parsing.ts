/** The expressions, templates, results and addresses of a document: each parses, or its place is told. */
import { Result } from "effect"
import type { FlowDocument } from "../document/Document.ts"
import { errorAt, type FlowIssue, type Place } from "../document/Issue.ts"
import { everySource, Sources } from "../document/Sources.ts"
import { everyStep } from "../document/Walk.ts"
import { parseTemplate } from "../expr/Template.ts"
import { templateAddressProblem } from "../net/Address.ts"

/** @param whole whether all of it may be one place */
const urlIssues = (url: string, place: Place, whole: boolean): ReadonlyArray<FlowIssue> => {
  const tree = parseTemplate(url)
  const problem = Result.isFailure(tree) ? undefined : templateAddressProblem(tree.success, whole)
  return problem === undefined ? [] : [errorAt(place, problem)]
}

const resultIssues = (path: string | undefined, place: Place): ReadonlyArray<FlowIssue> => {
  if (path === undefined) return []
  const parsed = parseTemplate(`{{ ${path} }}`)
  return Result.isSuccess(parsed) && parsed.success.pieces.length === 1 && !path.includes("$")
    ? []
    : [errorAt(place, "expected a path into the response: data.items[0].status")]
}

/** The sources of a document, parsed, and what is wrong with them. Pure. */
export const parseSources = (
  document: FlowDocument
): { readonly sources: Sources; readonly issues: ReadonlyArray<FlowIssue> } => {
  const sources = new Sources()
  const issues = everySource(document).flatMap((source) => {
    const error = sources.parse(source)
    return error === undefined ? [] : [errorAt(source.place, error.message, error.suggestion)]
  })
  const others = everyStep(document).flatMap(({ place, step }) => {
    if (step.kind === "media") return urlIssues(step.url, [...place, "url"], true)
    if (step.kind !== "http") return []
    return [...urlIssues(step.url, [...place, "url"], false), ...resultIssues(step.result, [...place, "result"])]
  })
  return { sources, issues: [...issues, ...others] }
}
