/**
 * Which stored conversations could not go on with a changed flow: they stand at a step that is gone, or in the middle of
 * one that now does something else (C18, B16).
 */
import type { Flow } from "@botmesh/core"
import type { Checkpoint } from "@botmesh/core/spi"

export interface Lost {
  /** Names the run of the conversation. */
  readonly id: string
  readonly stepId: string
  readonly reason: string
}

/** The first op that a step of each kind records. */
const opOf = (step: Flow.StepOutline): { readonly kind: string; readonly name: string | undefined } | undefined => {
  switch (step.kind) {
    case "ask":
    case "choose":
      return { kind: "ask", name: step.key }
    case "say":
      return { kind: "say", name: "say" }
    case "run":
      return { kind: "run", name: step.key }
    case "delay":
      return { kind: "sleep", name: "delay" }
    default:
      return undefined
  }
}

const reasonOf = (checkpoint: Checkpoint, step: Flow.StepOutline | undefined): string | undefined => {
  if (checkpoint.stepId === "") return undefined
  if (step === undefined) return `step "${checkpoint.stepId}" no longer exists`
  const [first] = checkpoint.ops
  // What a free-form step (a form) does inside cannot be told from outside.
  if (first === undefined || step.kind === "do") return undefined
  const own = opOf(step)
  if (own?.kind === first.kind && own.name === first.name) return undefined
  return `step "${checkpoint.stepId}" no longer does what it was doing: it was at ${first.kind} "${first.name}"`
}

/** Pure. @param flow the id of the flow whose conversations are looked at */
export const lostIn = (
  parked: Iterable<Checkpoint>,
  flow: string,
  steps: ReadonlyArray<Flow.StepOutline>
): ReadonlyArray<Lost> => {
  const known = new Map(steps.map((step) => [step.id, step]))
  return [...parked].flatMap((checkpoint) => {
    if (checkpoint.flow !== flow) return []
    const reason = reasonOf(checkpoint, known.get(checkpoint.stepId))
    return reason === undefined ? [] : [{ id: checkpoint.id, stepId: checkpoint.stepId, reason }]
  })
}
