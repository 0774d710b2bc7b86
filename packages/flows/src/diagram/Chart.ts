/** A document as a flow chart: what is shown of each step, and where it leads. */
import type { FlowDocument } from "../document/Document.ts"
import type { Step } from "../document/Steps.ts"
import { branchesOf } from "../document/Walk.ts"

export type Shape = "say" | "question" | "decision" | "work" | "leave"

export interface ChartBranch {
  /** The words on the way to it. */
  readonly label: string
  readonly steps: ReadonlyArray<ChartStep>
}
export interface ChartStep {
  readonly label: string
  readonly shape: Shape
  readonly branches: ReadonlyArray<ChartBranch>
  /** Whether the next step may follow without any of the branches. */
  readonly passes: boolean
}

const shapeOf = (step: Step): Shape => {
  switch (step.kind) {
    case "say":
    case "media":
      return "say"
    case "ask":
    case "choose":
    case "form":
      return "question"
    case "condition":
    case "guard":
      return "decision"
    case "goto":
    case "end":
      return "leave"
    case "handoff":
      return step.allowReturn === true ? "work" : "leave"
    default:
      return "work"
  }
}

const maxLabel = 48
/** On one line, cut on a whole character. */
const short = (text: string): string => {
  const line = text.replaceAll(/\s+/gu, " ").trim()
  const characters = [...line]
  return characters.length <= maxLabel ? line : `${characters.slice(0, maxLabel - 1).join("")}…`
}

const wordsOf = (step: Step): string => {
  switch (step.kind) {
    case "say":
    case "choose":
      return step.text
    case "ask":
      return `${step.text} → ${step.stateKey}`
    case "delay":
      return `wait ${step.duration}${typeof step.duration === "number" ? " ms" : ""}`
    case "goto":
      return `go to ${step.target}`
    case "end":
      return step.text ?? "end"
    case "condition":
    case "guard":
      return step.if
    case "media":
      return `${step.type}: ${step.caption ?? step.url}`
    case "form":
      return `form: ${step.fields.map(({ stateKey }) => stateKey).join(", ")}`
    case "subflow":
      return `subflow ${step.flow}`
    case "http":
      return `${step.method} ${step.url} → ${step.stateKey}`
    case "handoff":
      return `hand off${step.to === undefined ? "" : ` to ${step.to}`}`
    case "ai":
      return `ai ${step.model} → ${step.stateKey}`
  }
}

const branchLabel = (step: Step, index: number, key: string | number | undefined): string => {
  switch (step.kind) {
    case "choose":
      return step.options.filter(({ steps }) => steps !== undefined)[index]?.label ?? ""
    case "condition":
      return key === "then" ? "yes" : "no"
    case "guard":
      return "no"
    default:
      return "fails"
  }
}

const passes = (step: Step): boolean => {
  switch (step.kind) {
    case "goto":
    case "end":
      return false
    case "handoff":
      return step.allowReturn === true
    case "condition":
      return step.else === undefined
    case "choose":
      return step.options.some(({ steps }) => steps === undefined)
    default:
      return true
  }
}

const chartStep = (step: Step): ChartStep => ({
  label: short(wordsOf(step)),
  shape: shapeOf(step),
  branches: branchesOf(step).map(({ place, steps }, index) => {
    const drawn = steps.map(chartStep)
    const label = short(branchLabel(step, index, place[0]))
    // What a guard refuses ends.
    return { label, steps: step.kind === "guard" ? [...drawn, ended] : drawn }
  }),
  passes: passes(step)
})
const ended: ChartStep = { label: "end", shape: "leave", branches: [], passes: false }

/** Pure. */
export const chartOf = (document: FlowDocument): ReadonlyArray<ChartStep> => [
  ...document.steps.map(chartStep),
  ...(document.steps.at(-1)?.kind === "end" ? [] : [ended])
]
