/** Rings of gotos in which nobody is waited for: the engine stops them, but only once a person is in one (DOC-01). */
import type { FlowDocument } from "../document/Document.ts"
import { errorAt, type FlowIssue, warningAt } from "../document/Issue.ts"
import { type Jump, passages, passSteps } from "./Passages.ts"

/** A way back from a flow to where the search began; undefined when there is none. */
interface Ring {
  readonly ids: ReadonlyArray<string>
  readonly always: boolean
}
const ringFrom = (
  jump: Jump,
  home: string,
  jumpsOf: (id: string) => ReadonlyArray<Jump>,
  seen: Set<string>
): Ring | undefined => {
  if (jump.target === home) return { ids: [home], always: jump.always }
  if (seen.has(jump.target)) return undefined
  seen.add(jump.target)
  for (const next of jumpsOf(jump.target)) {
    const ring = ringFrom(next, home, jumpsOf, seen)
    if (ring !== undefined) return { ids: [jump.target, ...ring.ids], always: jump.always && ring.always }
  }
  return undefined
}

/**
 * Pure.
 *
 * @param flow another document by its id: where gotos lead, and what subflows hold
 */
export const loopIssues = (
  document: FlowDocument,
  flow: (id: string) => FlowDocument | undefined
): ReadonlyArray<FlowIssue> => {
  const known = new Map<string, ReadonlyArray<Jump>>()
  const subflow = passages(flow)
  const jumpsOf = (id: string): ReadonlyArray<Jump> => {
    const found = known.get(id)
    if (found !== undefined) return found
    const target = id === document.id ? document : flow(id)
    const jumps = target === undefined ? [] : passSteps(target.steps, ["steps"], subflow).jumps
    known.set(id, jumps)
    return jumps
  }
  return jumpsOf(document.id).flatMap((jump) => {
    const ring = ringFrom(jump, document.id, jumpsOf, new Set())
    if (ring === undefined) return []
    const way = [document.id, ...ring.ids].join(" → ")
    return ring.always
      ? [errorAt(jump.place, `this goes round without waiting for anybody: ${way}`)]
      : [warningAt(jump.place, `this may go round without waiting for anybody: ${way}`)]
  })
}
