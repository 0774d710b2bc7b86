/** From anything at all to a flow, or to every reason why not: the phases in their order. */
import type { Flow, Pattern } from "@botmesh/core"
import { Effect, Predicate, Result } from "effect"
import { read } from "./1-read/Read.ts"
import { parseSources } from "./2-check/Parsing.ts"
import { link, type Others } from "./3-link/Link.ts"
import { emit } from "./4-emit/Emit.ts"
import type { Checked, Found, Linked } from "./document/Checked.ts"
import type { FlowDocument, FlowDocumentV1 } from "./document/Document.ts"
import { FlowDocumentError, type FlowIssue } from "./document/Issue.ts"
import { everyStep } from "./document/Walk.ts"

export interface CompileOptions {
  /** The documents that `subflow` steps may name. The document itself need not be among them. */
  readonly flows?: Iterable<unknown>
}

/** A flow made of a document. */
export interface CompiledFlow {
  readonly id: string
  /** The document as it was read: of the current version. */
  readonly document: FlowDocument
  /** For `bot.flows.register` and `replace`, or `Bot.flow`. */
  readonly flow: Flow.Flow<Flow.State, unknown, never>
  /** What starts it; an empty list when nothing does. */
  readonly trigger: Pattern
  /** The ids of the documents it uses as subflows, theirs included. */
  readonly subflows: ReadonlyArray<string>
}

/** The id a raw document claims to have. */
export const claimedId = (document: unknown): string | undefined => {
  const id: unknown =
    Predicate.isObject(document) && Object.hasOwn(document, "id") ? Reflect.get(document, "id") : undefined
  return typeof id === "string" ? id : undefined
}

/** Reads and checks one document. */
export const checked = (input: unknown): Result.Result<Checked, ReadonlyArray<FlowIssue>> => {
  const document = read(input)
  if (Result.isFailure(document)) return Result.fail(document.failure)
  const { issues, sources } = parseSources(document.success)
  return issues.length > 0 ? Result.fail(issues) : Result.succeed({ document: document.success, sources })
}

/** Documents by id, each read when it is first asked for. */
export const othersIn = (flows: Iterable<unknown>): Others => {
  const raw = new Map<string, unknown>()
  for (const document of flows) {
    const id = claimedId(document)
    if (id !== undefined && !raw.has(id)) raw.set(id, document)
  }
  const known = new Map<string, Found>()
  return {
    ids: () => [...raw.keys()],
    find: (id) => {
      if (!raw.has(id)) return undefined
      const before = known.get(id)
      if (before !== undefined) return before
      const result = checked(raw.get(id))
      const found = Result.isSuccess(result) ? result.success : { issues: result.failure }
      known.set(id, found)
      return found
    }
  }
}

const linked = (input: unknown, others: Others): Result.Result<Linked, ReadonlyArray<FlowIssue>> =>
  Result.flatMap(checked(input), (document) => link(document, others))

const triggerOf = ({ trigger }: FlowDocument): Pattern => {
  if (trigger === undefined) return []
  if (typeof trigger === "string") return [trigger]
  if (!("keywords" in trigger)) return trigger
  const { keywords, match = "equals", scope = "all" } = trigger
  const all = typeof keywords === "string" ? [keywords] : keywords
  return all.map((pattern) => ({ pattern, match, scope }))
}

const subflowsOf = (whole: Linked): ReadonlyArray<string> => {
  const found = new Set<string>()
  const walk = ({ subflows }: Linked): void => {
    for (const [id, child] of subflows) {
      if (found.has(id)) continue
      found.add(id)
      walk(child)
    }
  }
  walk(whole)
  return [...found]
}

/** @internal Several documents are compiled against the same others. */
export const compileAmong = (input: unknown, others: Others): Result.Result<CompiledFlow, FlowDocumentError> =>
  Result.mapBoth(linked(input, others), {
    onSuccess: (whole) => ({
      id: whole.document.id,
      document: whole.document,
      flow: emit(whole),
      trigger: triggerOf(whole.document),
      subflows: subflowsOf(whole)
    }),
    onFailure: (issues) => new FlowDocumentError({ document: claimedId(input)?.slice(0, 64) ?? "", issues })
  })

/**
 * Compiles a document, of version 1 or 2, with its subflows copied in.
 *
 * Fails with `FlowDocumentError`, which tells every problem with its place; trying again gives the same. Linear in the
 * size of the documents, and never throws. Source: E7, E8
 */
export const compile = (
  document: unknown,
  options: CompileOptions = {}
): Effect.Effect<CompiledFlow, FlowDocumentError> =>
  Effect.suspend(() => Effect.fromResult(compileAmong(document, othersIn(options.flows ?? []))))

/** Every problem that keeps a document from compiling; none when `compile` succeeds. Never throws. Source: E7 */
export const validate = (document: unknown, options: CompileOptions = {}): ReadonlyArray<FlowIssue> => {
  const result = linked(document, othersIn(options.flows ?? []))
  return Result.isFailure(result) ? result.failure : []
}

/**
 * Whether something is a flow document by itself: of version 1 or 2, with every part in order. Its subflows are not looked
 * for. Never throws. Source: E7
 */
export const isFlowDocument = (document: unknown): document is FlowDocument | FlowDocumentV1 =>
  Result.isSuccess(checked(document))

/** The ids of the documents that a document names as subflows. */
export const usedBy = (document: FlowDocument): ReadonlyArray<string> => [
  ...new Set(everyStep(document).flatMap(({ step }) => (step.kind === "subflow" ? [step.flow] : [])))
]
