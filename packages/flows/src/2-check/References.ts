/** What a document names of others: gotos that lead nowhere, values that a flow does not know. */
import type { FlowDocument } from "../document/Document.ts"
import { errorAt, type FlowIssue, type Place, warningAt } from "../document/Issue.ts"
import type { Step } from "../document/Steps.ts"
import { everyStep } from "../document/Walk.ts"
import { nearest } from "../expr/ExpressionError.ts"

type Find = (id: string) => FlowDocument | undefined

/** The keys a flow fills itself. */
const filledIn = (document: FlowDocument): ReadonlySet<string> =>
  new Set(
    everyStep(document).flatMap(({ step }) => {
      if (step.kind === "form") return step.fields.map(({ stateKey }) => stateKey)
      if (step.kind === "subflow") return Object.keys(step.outputs ?? {})
      return "stateKey" in step && step.stateKey !== undefined ? [step.stateKey] : []
    })
  )

const unknownInputs = (
  inputs: Readonly<Record<string, string>> | undefined,
  target: FlowDocument,
  place: Place
): ReadonlyArray<FlowIssue> =>
  Object.keys(inputs ?? {})
    .filter((key) => target.inputs?.includes(key) !== true)
    .map((key) =>
      warningAt([...place, "inputs", key], `"${key}" is no input of "${target.id}"`, nearest(key, target.inputs ?? []))
    )

const unknownOutputs = (step: Extract<Step, { readonly kind: "subflow" }>, target: FlowDocument, place: Place) => {
  const known = new Set([...filledIn(target), ...(target.inputs ?? [])])
  return Object.entries(step.outputs ?? {})
    .filter(([, from]) => !known.has(from))
    .map(([key, from]) =>
      warningAt([...place, "outputs", key], `"${target.id}" never fills "${from}"`, nearest(from, known))
    )
}

/**
 * Pure.
 *
 * @param known every flow there is; undefined when that is not known
 * @param find documents by id
 */
export const referenceIssues = (
  document: FlowDocument,
  known: ReadonlySet<string> | undefined,
  find: Find
): ReadonlyArray<FlowIssue> =>
  everyStep(document).flatMap(({ place, step }) => {
    if (step.kind === "goto") {
      const target = step.target === document.id ? document : find(step.target)
      const lost = known !== undefined && !known.has(step.target)
      const nowhere = lost
        ? [errorAt([...place, "target"], `there is no flow "${step.target}"`, nearest(step.target, known))]
        : []
      return target === undefined ? nowhere : [...nowhere, ...unknownInputs(step.inputs, target, place)]
    }
    if (step.kind !== "subflow") return []
    const target = find(step.flow)
    return target === undefined
      ? []
      : [...unknownInputs(step.inputs, target, place), ...unknownOutputs(step, target, place)]
  })
