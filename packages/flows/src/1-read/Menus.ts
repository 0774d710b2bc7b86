/** Options that a person could not tell apart, or not name, in the menus of a document (B26). */
import { describeMenuIssue, type MenuIssue, menuIssues } from "@botmesh/core"
import { errorAt, type FlowIssue, type Place } from "../document/Issue.ts"
import type { ChooseStep, FormStep } from "../document/Steps.ts"

/** Where an option stands that collides with one before it, among the options. */
const optionPlace = (issue: MenuIssue, options: ChooseStep["options"]): Place => {
  switch (issue.reason) {
    case "no-options":
      return []
    case "same-label":
      return [options.findLastIndex(({ label }) => label === issue.label), "label"]
    case "empty-label":
      return [options.findIndex(({ key }) => key === issue.key), "label"]
    case "same-key":
      return [options.findLastIndex(({ key }) => key === issue.key), "key"]
  }
}

/** The menus of a summary: confirm or correct, then which field. Fields that stand twice are told elsewhere. */
export const summaryIssues = (step: FormStep, place: Place): ReadonlyArray<FlowIssue> => {
  if (step.summary === undefined) return []
  const written = Object.entries(step.labels ?? {}).filter(([key]) => key !== "which")
  const fields = step.fields.map(({ label, stateKey }) => ({ key: stateKey, label: label ?? stateKey }))
  return [
    ...menuIssues(written.map(([key, label]) => ({ key, label })))
      .filter(({ reason }) => reason !== "no-options")
      .map((issue) => errorAt([...place, "labels"], describeMenuIssue(issue))),
    ...(fields.length === 1 ? [] : menuIssues(fields))
      .filter(({ reason }) => reason !== "same-key")
      .map((issue) => {
        const [index = 0] = optionPlace(issue, fields)
        return errorAt([...place, "fields", index], describeMenuIssue(issue))
      })
  ]
}

export const optionIssues = (step: ChooseStep, place: Place): ReadonlyArray<FlowIssue> =>
  menuIssues(step.options).map((issue) =>
    errorAt([...place, "options", ...optionPlace(issue, step.options)], describeMenuIssue(issue))
  )
