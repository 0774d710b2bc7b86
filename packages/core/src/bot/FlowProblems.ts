/** What is wrong with a flow by itself (B26): found when it is registered, not when somebody meets it. */
import { Result } from "effect"
import { startsEmpty } from "../conversation/Input.ts"
import type { AnyFlow } from "../conversation/Flow.ts"
import { describeMenuIssue, menuIssues } from "../conversation/Menu.ts"
import type { Step } from "../conversation/Step.ts"
import { parseDuration } from "../model/Duration.ts"

/** Every problem, in words; none when the flow can run. @param triggered a message can start it */
export const flowProblems = (flow: AnyFlow, triggered: boolean): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const duration = (input: unknown, what: string) => {
    if (input === undefined) return
    const parsed = parseDuration(input, `flow "${flow.id}": ${what}`)
    if (Result.isFailure(parsed)) problems.push(parsed.failure.message)
  }
  const check = (step: Step): void => {
    switch (step._tag) {
      case "ask":
      case "choose": {
        duration(step.options.timeout, `timeout of "${step.key}"`)
        duration(step.options.idle?.after, `idle of "${step.key}"`)
        const { retries } = step.options
        if (retries !== undefined && (!Number.isInteger(retries) || retries < 0 || retries > 20)) {
          problems.push(`flow "${flow.id}": retries of "${step.key}" must be 0 to 20, got ${String(retries)}`)
        }
        if (step._tag === "choose" && typeof step.choices !== "function") {
          for (const issue of menuIssues(step.choices)) {
            problems.push(`flow "${flow.id}": options of "${step.key}": ${describeMenuIssue(issue)}`)
          }
        }
        return
      }
      case "delay":
        return duration(step.duration, "delay")
      case "branch":
        for (const steps of Object.values(step.branches)) steps.forEach(check)
        return
      default:
        return
    }
  }
  if (flow.id === "") problems.push("a flow has an empty id")
  if (flow.steps.length === 0) problems.push(`flow "${flow.id}" has no steps`)
  if (triggered && !startsEmpty(flow.id, flow.options)) {
    problems.push(
      `flow "${flow.id}" needs its input, which a message cannot bring: start it by trigger or goto, or make its fields optional`
    )
  }
  duration(flow.options.timeout, "timeout")
  flow.steps.forEach(check)
  return problems
}
