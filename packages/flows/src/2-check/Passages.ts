/**
 * What is met on the way through a document without waiting for anybody: its gotos, and whether its end is reached.
 *
 * Source: DOC-01
 */
import { parseDuration } from "@botmesh/core"
import { Duration, Result } from "effect"
import type { FlowDocument } from "../document/Document.ts"
import type { Place } from "../document/Issue.ts"
import { FLOW_DOCUMENT_LIMITS as limits } from "../document/Limits.ts"
import type { Step } from "../document/Steps.ts"

/** A goto that is reached without waiting for anybody. */
export interface Jump {
  readonly target: string
  readonly place: Place
  /** Taken whatever is answered. */
  readonly always: boolean
}

/** A sleep up to this holds the turn, ms. */
const shortSleep = 5_000
const isLong = (input: string | number): boolean => {
  const parsed = parseDuration(input, "duration")
  return Result.isSuccess(parsed) && Duration.toMillis(parsed.success) > shortSleep
}

const waits = (step: Step): boolean => {
  switch (step.kind) {
    case "ask":
    case "choose":
    case "form":
      return true
    case "delay":
      return isLong(step.duration)
    case "handoff":
      return step.allowReturn === true
    default:
      return false
  }
}

export interface Passage {
  readonly jumps: ReadonlyArray<Jump>
  /** Whether the end of the steps is reached without a wait: by every way, by some, by none. */
  readonly through: "always" | "maybe" | "never"
}

const both = (one: Passage["through"], other: Passage["through"]): Passage["through"] => (one === other ? one : "maybe")

const merge = (branches: ReadonlyArray<Passage>): Passage => ({
  jumps: branches.flatMap(({ jumps }) =>
    jumps.map((jump) => ({ ...jump, always: jump.always && branches.length === 1 }))
  ),
  through: branches.map(({ through }) => through).reduce(both)
})

const straight: Passage = { jumps: [], through: "always" }
const stop: Passage = { jumps: [], through: "never" }

/** What a subflow comes to, by its id. */
export type PassageOf = (id: string) => Passage

const passStep = (step: Step, place: Place, subflow: PassageOf): Passage => {
  if (waits(step)) return stop
  switch (step.kind) {
    case "goto":
      return { jumps: [{ target: step.target, place: [...place, "target"], always: true }], through: "never" }
    case "end":
    case "handoff":
      return stop
    case "condition":
      return merge([
        passSteps(step.then, [...place, "then"], subflow),
        passSteps(step.else ?? [], [...place, "else"], subflow)
      ])
    case "guard":
    case "http":
    case "ai": {
      const other = passSteps(step.else ?? [], [...place, "else"], subflow)
      return merge([straight, step.kind === "guard" ? { ...other, through: "never" } : other])
    }
    case "subflow": {
      const { jumps, through } = subflow(step.flow)
      return { jumps: jumps.map((jump) => ({ ...jump, place: [...place, "flow"] })), through }
    }
    default:
      return straight
  }
}

export const passSteps = (steps: ReadonlyArray<Step>, place: Place, subflow: PassageOf): Passage => {
  const jumps: Array<Jump> = []
  let through: Passage["through"] = "always"
  for (const [index, step] of steps.entries()) {
    const passage = passStep(step, [...place, index], subflow)
    jumps.push(...passage.jumps.map((jump) => ({ ...jump, always: jump.always && through === "always" })))
    if (passage.through === "never") return { jumps, through: "never" }
    through = both(through, passage.through)
  }
  return { jumps, through }
}

/** One jump for each target: what a subflow used often comes to must not grow with its uses. */
const byTarget = (jumps: ReadonlyArray<Jump>): ReadonlyArray<Jump> => {
  const found = new Map<string, Jump>()
  for (const jump of jumps) if (jump.always || !found.has(jump.target)) found.set(jump.target, jump)
  return [...found.values()]
}

/** Each document is gone through once; a subflow in itself, or too deep, does not compile and is told elsewhere. */
export const passages = (flow: (id: string) => FlowDocument | undefined): PassageOf => {
  const known = new Map<string, Passage>()
  let levels = 0
  const subflow: PassageOf = (id) => {
    const before = known.get(id)
    if (before !== undefined) return before
    const document = flow(id)
    if (document === undefined || levels > limits.subflowLevels) return straight
    known.set(id, straight)
    levels++
    const { jumps, through } = passSteps(document.steps, [], subflow)
    levels--
    const passage = { jumps: byTarget(jumps), through }
    known.set(id, passage)
    return passage
  }
  return subflow
}
