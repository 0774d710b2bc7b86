/**
 * The documents of a bot as a set: what a change of one means for the others. All that is touched compiles, or nothing
 * changes; saving and swapping are the caller's, in that order.
 *
 * Source: E8
 */
import { Effect, Result, Schema } from "effect"
import { checked, claimedId, compileAmong, type CompiledFlow, othersIn, usedBy } from "./Compile.ts"
import { FlowDocumentError } from "./document/Issue.ts"

/** A document that others use as a subflow may not be removed. */
export class FlowInUseError extends Schema.TaggedError<FlowInUseError>()("FlowInUseError", {
  document: Schema.String,
  /** The documents that use it, directly or through another. */
  users: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `Flow document "${this.document}" is used as a subflow by ${this.users.join(", ")}`
  }
}

/** What a change of the set comes to: the new set, and every flow that has to be swapped for it, the changed one first. */
export interface DocumentsChange {
  readonly documents: ReadonlyMap<string, unknown>
  readonly compiled: ReadonlyArray<CompiledFlow>
}

/** The ids a document names as subflows; none of one that is not in order. */
const named = (document: unknown): ReadonlySet<string> => {
  const result = checked(document)
  return new Set(Result.isSuccess(result) ? usedBy(result.success.document) : [])
}

/**
 * The documents that use one as a subflow, directly or through another. Pure. Source: E8
 */
export const usersOf = (documents: ReadonlyMap<string, unknown>, id: string): ReadonlyArray<string> => {
  const uses = new Map([...documents].map(([own, document]) => [own, named(document)]))
  const found = new Set<string>()
  const waiting = [id]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [user, ids] of uses) {
      if (!ids.has(next) || found.has(user)) continue
      found.add(user)
      waiting.push(user)
    }
  }
  return [...found]
}

/**
 * Puts a document into the set, new or in place of the one of its id, and compiles it and all that use it.
 *
 * Fails with `FlowDocumentError` of the first that does not compile; then nothing has changed. Pure, safe to repeat.
 * Source: E8
 */
export const put = (
  documents: ReadonlyMap<string, unknown>,
  document: unknown
): Effect.Effect<DocumentsChange, FlowDocumentError> =>
  Effect.suspend(() => {
    const id = claimedId(document) ?? ""
    const next = new Map(documents).set(id, document)
    const others = othersIn(next.values())
    const own = compileAmong(document, others)
    if (Result.isFailure(own)) return Effect.fail(own.failure)
    const compiled = [own.success]
    for (const user of usersOf(next, id)) {
      if (user === id) continue
      const result = compileAmong(next.get(user), others)
      if (Result.isFailure(result)) return Effect.fail(result.failure)
      compiled.push(result.success)
    }
    return Effect.succeed({ documents: next, compiled })
  })

/**
 * Takes a document out of the set; undefined when it was not in it. Fails with `FlowInUseError` while another uses it.
 * Pure, safe to repeat. Source: E8
 */
export const remove = (
  documents: ReadonlyMap<string, unknown>,
  id: string
): Effect.Effect<ReadonlyMap<string, unknown> | undefined, FlowInUseError> =>
  Effect.suspend(() => {
    if (!documents.has(id)) return Effect.undefined
    const users = usersOf(documents, id).filter((user) => user !== id)
    if (users.length > 0) return Effect.fail(new FlowInUseError({ document: id, users }))
    const next = new Map(documents)
    next.delete(id)
    return Effect.succeed(next)
  })

/**
 * Compiles a whole set, each against all. Fails with the problems of every document that does not compile, each path
 * behind the id of its document. Pure, safe to repeat. Source: E8
 */
export const compileAll = (
  documents: Iterable<unknown>
): Effect.Effect<ReadonlyArray<CompiledFlow>, FlowDocumentError> =>
  Effect.suspend(() => {
    const all = [...documents]
    const others = othersIn(all)
    const results = all.map((document) => compileAmong(document, others))
    const failures = results.filter(Result.isFailure).map(({ failure }) => failure)
    if (failures.length > 0) {
      const issues = failures.flatMap((failure) =>
        failure.issues.map((issue) => ({ ...issue, path: `${failure.document}: ${issue.path}` }))
      )
      return Effect.fail(new FlowDocumentError({ document: failures.map((one) => one.document).join(", "), issues }))
    }
    return Effect.succeed(results.filter(Result.isSuccess).map(({ success }) => success))
  })
