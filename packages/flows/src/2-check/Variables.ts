/** What is read before any path has asked it, and what is compared with what it can never be. */
import type { FlowDocument } from "../document/Document.ts"
import { type FlowIssue, type Place, warningAt } from "../document/Issue.ts"
import { type Source, sourcesOf, type Sources } from "../document/Sources.ts"
import type { FormField, Step } from "../document/Steps.ts"
import { branchesOf, everyStep } from "../document/Walk.ts"
import { nearest } from "../expr/ExpressionError.ts"
import { pathsOf } from "../expr/Expression.ts"
import type { Path } from "../expr/Path.ts"
import { anything, either, type Type, typeIssues, typeOfAnswer } from "./Types.ts"

/** The keys that some path has filled, with what they may hold. */
type Known = ReadonlyMap<string, Type>

const together = (branches: ReadonlyArray<Known>): Known => {
  const all = new Map<string, Type>()
  for (const branch of branches) {
    for (const [key, type] of branch) {
      const before = all.get(key)
      all.set(key, before === undefined ? type : either(before, type))
    }
  }
  return all
}
const put = (known: Known, entries: Iterable<readonly [string, Type]>): Known => new Map([...known, ...entries])

/** What a step by itself leaves in the state. */
const filledBy = (step: Step): ReadonlyArray<readonly [string, Type]> => {
  switch (step.kind) {
    case "ask":
      return [[step.stateKey, typeOfAnswer(step.answer)]]
    case "choose":
      return step.stateKey === undefined
        ? []
        : [[step.stateKey, { kind: "text", texts: step.options.map(({ key }) => key) }]]
    case "form":
      return step.fields.map(filledByField)
    case "subflow":
      return Object.keys(step.outputs ?? {}).map((key) => [key, anything])
    case "http":
      return [[step.stateKey, anything]]
    case "ai":
      return [[step.stateKey, step.output === undefined ? { kind: "text" } : anything]]
    default:
      return []
  }
}
const filledByField = ({ answer, stateKey }: FormField): readonly [string, Type] => [stateKey, typeOfAnswer(answer)]

class Reading {
  readonly issues: Array<FlowIssue> = []
  private readonly sources: Sources
  /** Keys that some step fills, wherever it stands. */
  private readonly ever: ReadonlySet<string>

  constructor(sources: Sources, ever: ReadonlySet<string>) {
    this.sources = sources
    this.ever = ever
  }

  steps(steps: ReadonlyArray<Step>, place: Place, before: Known): Known {
    let known = before
    steps.forEach((step, index) => {
      known = this.step(step, [...place, index], known)
    })
    return known
  }

  private step(step: Step, place: Place, before: Known): Known {
    for (const source of sourcesOf(step)) {
      const own = ownKeys(step, source)
      this.source(source, place, own.length === 0 ? before : put(before, own))
    }
    const filled = put(before, filledBy(step))
    const branches = branchesOf(step)
    if (branches.length === 0) return filled
    const failing = step.kind === "http" || step.kind === "ai"
    return together([
      filled,
      ...branches.map((branch) => this.steps(branch.steps, [...place, ...branch.place], failing ? before : filled))
    ])
  }

  private source(source: Source, at: Place, known: Known): void {
    const place = [...at, ...source.place]
    const { text } = source
    if (source.type === "template") {
      for (const piece of this.sources.template(text).pieces)
        if (typeof piece !== "string") this.path(piece, place, known)
      return
    }
    const expr = source.type === "answer" ? this.sources.answer(text) : this.sources.expression(text)
    for (const path of pathsOf(expr)) this.path(path, place, known)
    this.issues.push(...typeIssues(expr, (path) => typeAt(path, known), place))
  }

  private path(path: Path, place: Place, known: Known): void {
    if (path.root !== "$state") return
    const { segments } = path
    const [head = ""] = segments
    if (known.has(head) || known.has(segments.join("."))) return
    if (this.ever.has(head) || this.ever.has(segments.join("."))) {
      this.issues.push(warningAt(place, `"${head}" is read here before any path has asked it`))
      return
    }
    const like = nearest(head, [...known.keys(), ...this.ever])
    this.issues.push(
      warningAt(place, `nothing asks "${head}": name it in inputs if whoever starts the flow brings it`, like)
    )
  }
}

const typeAt = ({ root, segments }: Path, known: Known): Type => {
  if (root === "$isGroup") return { kind: "boolean" }
  if (root !== "$state") return { kind: "text" }
  const type = known.get(segments.join("."))
  return type ?? anything
}

/** A question's own validation and the later fields of a form see what is being answered. */
const ownKeys = (step: Step, source: Source): ReadonlyArray<readonly [string, Type]> => {
  if (step.kind === "ask") return source.place[0] === "validate" ? filledBy(step) : []
  if (step.kind !== "form") return []
  const [where, index] = source.place
  if (where !== "fields" || typeof index !== "number") return filledBy(step)
  return step.fields.slice(0, source.place[2] === "validate" ? index + 1 : index).map(filledByField)
}

/** Pure. */
export const variableIssues = (document: FlowDocument, sources: Sources): ReadonlyArray<FlowIssue> => {
  const ever = new Set(everyStep(document).flatMap(({ step }) => filledBy(step).map(([key]) => key)))
  const reading = new Reading(sources, ever)
  reading.steps(document.steps, ["steps"], new Map((document.inputs ?? []).map((key) => [key, anything])))
  return reading.issues
}
