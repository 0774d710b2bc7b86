/**
 * Third phase: finds the subflows of a document and theirs. A subflow is copied in where it is used, so a ring of subflows
 * cannot be, and what the copies come to is bounded.
 *
 * Source: E8
 */
import { Result } from "effect"
import type { Checked, Found, Linked } from "../document/Checked.ts"
import { errorAt, type FlowIssue, type Place } from "../document/Issue.ts"
import { FLOW_DOCUMENT_LIMITS as limits } from "../document/Limits.ts"
import { everyStep } from "../document/Walk.ts"
import { nearest } from "../expr/ExpressionError.ts"

export interface Others {
  readonly find: (id: string) => Found
  readonly ids: () => ReadonlyArray<string>
}

type Outcome = Result.Result<Linked, ReadonlyArray<FlowIssue>>

/** What was linked on the way, or why not: a document used often is linked once, however it went. */
type Known = Map<string, Outcome>

const unknown = (id: string, others: Others, place: Place): FlowIssue => {
  const ids = others.ids()
  const known = ids.length === 0 ? "no other documents were given" : `there are ${ids.slice(0, 20).join(", ")}`
  return errorAt(place, `there is no flow document "${id}": ${known}`, nearest(id, ids))
}

const linkOne = (id: string, place: Place, others: Others, around: ReadonlyArray<string>, known: Known): Outcome => {
  if (around.includes(id)) {
    const ring = [...around.slice(around.indexOf(id)), id].join(" → ")
    return Result.fail([errorAt(place, `a subflow may not use itself: ${ring}`)])
  }
  if (around.length > limits.subflowLevels) return Result.fail([tooDeep(place)])
  const found = others.find(id)
  if (found === undefined) return Result.fail([unknown(id, others, place)])
  const linked =
    known.get(id) ?? ("issues" in found ? Result.fail(found.issues) : linkIn(found, others, [...around, id], known))
  known.set(id, linked)
  if (Result.isSuccess(linked)) return linked
  const [first] = linked.failure
  const why = first === undefined ? "" : `: ${first.path === "" ? "" : `${first.path}: `}${first.message}`
  return Result.fail([errorAt(place, `the subflow "${id}" does not compile${why}`)])
}

const tooDeep = (place: Place): FlowIssue =>
  errorAt(place, `subflows stand in one another at most ${limits.subflowLevels} levels deep`)

const linkIn = (checked: Checked, others: Others, around: ReadonlyArray<string>, known: Known): Outcome => {
  const issues: Array<FlowIssue> = []
  const subflows = new Map<string, Linked>()
  const steps = everyStep(checked.document)
  let size = steps.length
  let levels = 0
  for (const { place, step } of steps) {
    if (step.kind !== "subflow") continue
    const where = [...place, "flow"]
    const linked = linkOne(step.flow, where, others, around, known)
    if (Result.isFailure(linked)) {
      issues.push(...linked.failure)
      continue
    }
    subflows.set(step.flow, linked.success)
    size += linked.success.size
    levels = Math.max(levels, linked.success.levels + 1)
    // Linked before, less deep: its own levels come on top of those around it.
    if (around.length - 1 + levels > limits.subflowLevels) return Result.fail([...issues, tooDeep(where)])
    if (size > limits.linkedSteps) {
      return Result.fail([
        ...issues,
        errorAt(where, `with its subflows copied in the document has more than ${limits.linkedSteps} steps`)
      ])
    }
  }
  return issues.length > 0 ? Result.fail(issues) : Result.succeed({ ...checked, subflows, size, levels })
}

/** Pure. */
export const link = (checked: Checked, others: Others): Outcome =>
  linkIn(checked, others, [checked.document.id], new Map())
