/** Steps that nothing leads to: behind a goto, an end, or branches that all leave. */
import type { FlowDocument } from "../document/Document.ts"
import { type FlowIssue, type Place, warningAt } from "../document/Issue.ts"
import type { Sources } from "../document/Sources.ts"
import type { Step } from "../document/Steps.ts"
import { branchesOf } from "../document/Walk.ts"

/** What a condition is known to be before anything runs. */
const constantOf = (sources: Sources, text: string): boolean | undefined => {
  const expr = sources.expression(text)
  return expr._tag === "literal" && typeof expr.value === "boolean" ? expr.value : undefined
}

/** Whether what stands behind a step can be reached; `inside` tells it of each of its branches. */
const goesOn = (step: Step, sources: Sources, inside: (steps: ReadonlyArray<Step> | undefined) => boolean): boolean => {
  switch (step.kind) {
    case "goto":
    case "end":
      return false
    case "handoff":
      return step.allowReturn === true
    case "condition": {
      const known = constantOf(sources, step.if)
      return (known !== false && inside(step.then)) || (known !== true && inside(step.else))
    }
    case "guard":
      return constantOf(sources, step.if) !== false
    case "choose":
      return step.options.some((option) => inside(option.steps))
    default:
      return true
  }
}

/** Branches that a constant condition never takes. */
const deadBranches = (step: Step, place: Place, sources: Sources): ReadonlyArray<FlowIssue> => {
  if (step.kind !== "condition" && step.kind !== "guard") return []
  const known = constantOf(sources, step.if)
  if (known === undefined) return []
  const dead = known ? "else" : "then"
  const steps = step.kind === "guard" ? (known ? step.else : undefined) : known ? step.else : step.then
  return [
    warningAt([...place, "if"], `the condition is always ${known}`),
    ...(steps === undefined || steps.length === 0
      ? []
      : [warningAt([...place, dead], "these steps are never reached: the condition never leads here")])
  ]
}

/** Pure. */
export const reachIssues = (document: FlowDocument, sources: Sources): ReadonlyArray<FlowIssue> => {
  const issues: Array<FlowIssue> = []
  const walk = (steps: ReadonlyArray<Step>, place: Place): boolean => {
    let reached = true
    steps.forEach((step, index) => {
      const own = [...place, index]
      const before = steps[index - 1]
      if (!reached && before !== undefined && goesOnBefore.get(before) === true) {
        issues.push(warningAt(own, "this step is never reached: the one before it never goes on"))
      }
      issues.push(...deadBranches(step, own, sources))
      const through = new Map<ReadonlyArray<Step>, boolean>()
      for (const branch of branchesOf(step)) through.set(branch.steps, walk(branch.steps, [...own, ...branch.place]))
      const on = goesOn(step, sources, (branch) => branch === undefined || (through.get(branch) ?? true))
      goesOnBefore.set(step, reached && !on)
      reached = reached && on
    })
    return reached
  }
  /** Whether a step is the first that does not go on: only what follows it directly is told. */
  const goesOnBefore = new Map<Step, boolean>()
  walk(document.steps, ["steps"])
  return issues
}
