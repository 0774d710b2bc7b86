/** What a document must hold to that a schema of its parts cannot say: sums, levels, and what may stand only once. */
import { normalise } from "@botmesh/core"
import type { FlowDocument } from "../document/Document.ts"
import { errorAt, type FlowIssue, type Place } from "../document/Issue.ts"
import { FLOW_DOCUMENT_LIMITS as limits } from "../document/Limits.ts"
import type { Step } from "../document/Steps.ts"
import { everyStep, type Visited } from "../document/Walk.ts"
import { optionIssues, summaryIssues } from "./Menus.ts"

const sizeIssues = (steps: ReadonlyArray<Visited>): ReadonlyArray<FlowIssue> => {
  const over = steps[limits.steps]
  const deep = steps.find(({ level }) => level > limits.levels)
  return [
    ...(over === undefined
      ? []
      : [errorAt(over.place, `a document has at most ${limits.steps} steps, nested ones included: this is one more`)]),
    ...(deep === undefined
      ? []
      : [errorAt(deep.place.slice(0, -1), `steps are nested deeper than ${limits.levels} levels`)])
  ]
}

/** Things that carry a name which may stand only once. */
const twice = (
  named: ReadonlyArray<{ readonly name: string; readonly place: Place }>,
  what: string
): ReadonlyArray<FlowIssue> => {
  const seen = new Set<string>()
  return named.flatMap(({ name, place }) => {
    const again = seen.has(name)
    seen.add(name)
    return again ? [errorAt(place, `the ${what} "${name}" stands twice`)] : []
  })
}

const triesIssues = (
  question: { readonly maxAttempts?: number; readonly retries?: number },
  place: Place
): ReadonlyArray<FlowIssue> =>
  question.maxAttempts === undefined || question.retries === undefined
    ? []
    : [errorAt([...place, "retries"], "maxAttempts and retries say the same in two ways: keep one of them")]

const stepIssues = (step: Step, place: Place): ReadonlyArray<FlowIssue> => {
  switch (step.kind) {
    case "ask":
      return triesIssues(step, place)
    case "choose":
      return [...triesIssues(step, place), ...optionIssues(step, place)]
    case "form":
      return [
        ...step.fields.flatMap((field, index) => triesIssues(field, [...place, "fields", index])),
        ...twice(
          step.fields.map(({ stateKey }, index) => ({
            name: stateKey,
            place: [...place, "fields", index, "stateKey"]
          })),
          "field"
        ),
        ...summaryIssues(step, place)
      ]
    default:
      return []
  }
}

/** Keywords that could never match, or that match the same texts. */
const triggerIssues = ({ trigger }: FlowDocument): ReadonlyArray<FlowIssue> => {
  if (trigger === undefined) return []
  const [keywords, place]: readonly [string | ReadonlyArray<string>, Place] =
    typeof trigger === "object" && "keywords" in trigger
      ? [trigger.keywords, ["trigger", "keywords"]]
      : [trigger, ["trigger"]]
  const named =
    typeof keywords === "string"
      ? [{ name: normalise(keywords), place }]
      : keywords.map((keyword, index) => ({ name: normalise(keyword), place: [...place, index] }))
  return [
    ...named
      .filter(({ name }) => name === "")
      .map(({ place }) => errorAt(place, "nothing a person writes can match this keyword")),
    ...twice(
      named.filter(({ name }) => name !== ""),
      "keyword"
    )
  ]
}

/** Pure. Source: E2, E6 */
export const ruleIssues = (document: FlowDocument): ReadonlyArray<FlowIssue> => {
  const steps = everyStep(document)
  const ids = steps.flatMap(({ step, place }) =>
    step.id === undefined ? [] : [{ name: step.id, place: [...place, "id"] }]
  )
  return [
    ...sizeIssues(steps),
    ...triggerIssues(document),
    ...twice(ids, "step id"),
    ...twice(
      (document.inputs ?? []).map((name, index) => ({ name, place: ["inputs", index] })),
      "input"
    ),
    ...steps.flatMap(({ step, place }) => stepIssues(step, place))
  ]
}
