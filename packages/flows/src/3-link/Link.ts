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

/** What was linked on the way: a document used often is linked once. */
type Known = Map<string, Linked>

const unknown = (id: string, others: Others, place: Place): FlowIssue => {
  const ids = others.ids()
  const known = ids.length === 0 ? "no other documents were given" : `there are ${ids.slice(0, 20).join(", ")}`
  return errorAt(place, `there is no flow document "${id}": ${known}`, nearest(id, ids))
}

const linkOne = (
  id: string,
  place: Place,
  others: Others,
  around: ReadonlyArray<string>,
  known: Known
): Result.Result<Linked, ReadonlyArray<FlowIssue>> => {
  if (around.includes(id)) {
    const ring = [...around.slice(around.indexOf(id)), id].join(" → ")
    return Result.fail([errorAt(place, `a subflow may not use itself: ${ring}`)])
  }
  const done = known.get(id)
  if (done !== undefined) return Result.succeed(done)
  const found = others.find(id)
  if (found === undefined) return Result.fail([unknown(id, others, place)])
  const linked = "issues" in found ? Result.fail(found.issues) : linkIn(found, others, [...around, id], known)
  if (Result.isFailure(linked)) {
    const [first] = linked.failure
    const why = first === undefined ? "" : `: ${first.path === "" ? "" : `${first.path}: `}${first.message}`
    return Result.fail([errorAt(place, `the subflow "${id}" does not compile${why}`)])
  }
  known.set(id, linked.success)
  return linked
}

const linkIn = (
  checked: Checked,
  others: Others,
  around: ReadonlyArray<string>,
  known: Known
): Result.Result<Linked, ReadonlyArray<FlowIssue>> => {
  const issues: Array<FlowIssue> = []
  const subflows = new Map<string, Linked>()
  const steps = everyStep(checked.document)
  let size = steps.length
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
    if (size > limits.linkedSteps) {
      return Result.fail([
        ...issues,
        errorAt(where, `with its subflows copied in the document has more than ${limits.linkedSteps} steps`)
      ])
    }
  }
  return issues.length > 0 ? Result.fail(issues) : Result.succeed({ ...checked, subflows, size })
}

/** Pure. */
export const link = (checked: Checked, others: Others): Result.Result<Linked, ReadonlyArray<FlowIssue>> =>
  linkIn(checked, others, [checked.document.id], new Map())
