/** Goes through the steps of a document, nested ones too, in the order they are written. */
import type { FlowDocument } from "./Document.ts"
import type { Place } from "./Issue.ts"
import type { Step } from "./Steps.ts"

export interface Branch {
  readonly steps: ReadonlyArray<Step>
  /** Where they stand, from the step. */
  readonly place: Place
}

/** The branches a step holds. */
export const branchesOf = (step: Step): ReadonlyArray<Branch> => {
  switch (step.kind) {
    case "choose":
      return step.options.flatMap(({ steps }, index) =>
        steps === undefined ? [] : [{ steps, place: ["options", index, "steps"] }]
      )
    case "condition":
      return [
        { steps: step.then, place: ["then"] },
        ...(step.else === undefined ? [] : [{ steps: step.else, place: ["else"] }])
      ]
    case "guard":
    case "http":
    case "ai":
      return step.else === undefined ? [] : [{ steps: step.else, place: ["else"] }]
    default:
      return []
  }
}

export interface Visited {
  readonly step: Step
  readonly place: Place
  /** 1 for the steps of the document itself. */
  readonly level: number
}

/** Every step, parents first. Steps below `deepest` are not entered. */
export const everyStep = (document: FlowDocument, deepest = Number.POSITIVE_INFINITY): ReadonlyArray<Visited> => {
  const found: Array<Visited> = []
  const walk = (steps: ReadonlyArray<Step>, place: Place, level: number): void => {
    steps.forEach((step, index) => {
      const own = [...place, index]
      found.push({ step, place: own, level })
      if (level >= deepest) return
      for (const branch of branchesOf(step)) walk(branch.steps, [...own, ...branch.place], level + 1)
    })
  }
  walk(document.steps, ["steps"], 1)
  return found
}
