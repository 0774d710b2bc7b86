/**
 * Group commit: what many fibers write at one moment goes to the file together, since a commit costs far more than a row.
 *
 * GC1 a write ends after the commit that holds it.
 * GC2 one that fails takes none of the others with it; a commit that fails fails all that it held.
 * GC3 no transaction stays open while other fibers run.
 */
import type { StoreError } from "@botmesh/core/spi"
import { Effect, Fiber, type Scope } from "effect"

/** Writes of one commit: a few milliseconds in which no other fiber runs. */
const most = 256

interface Write {
  /** Does it inside a transaction; gives back what it failed with. */
  readonly attempt: () => { readonly cause: unknown } | undefined
  /** Does it on its own. */
  readonly alone: Effect.Effect<void>
  readonly ended: () => void
  readonly failed: (error: StoreError) => void
}

export interface Group {
  /** Does `f` with whatever else is to be written now. @param f all of it or, when it throws, nothing */
  readonly add: <A>(operation: string, f: () => A) => Effect.Effect<A, StoreError>
}

export interface GroupOptions {
  /** Runs `f` as soon as nobody else's transaction is open, again while the file is locked. */
  readonly run: <A>(operation: string, f: () => A) => Effect.Effect<A, StoreError>
  /** Runs `f` in a transaction. */
  readonly atomically: (f: () => void) => void
  readonly isTransaction: () => boolean
  readonly error: (operation: string, cause: unknown) => StoreError
}

/** Closing the scope waits for what is being written. */
export const makeGroup = Effect.fnUntraced(function* (
  options: GroupOptions
): Effect.fn.Return<Group, never, Scope.Scope> {
  const { atomically, error, isTransaction, run } = options
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const waiting: Array<Write> = []
  let writing: Fiber.Fiber<void> | undefined

  const together = (writes: ReadonlyArray<Write>): void =>
    atomically(() => {
      for (const write of writes) {
        const failed = write.attempt()
        // A full disk or a broken one has ended the transaction, and with it what the others wrote.
        if (failed !== undefined && !isTransaction()) throw failed.cause
      }
    })
  const commit = (writes: ReadonlyArray<Write>): Effect.Effect<void> => {
    const [first] = writes
    if (first !== undefined && writes.length === 1) return first.alone
    return Effect.match(
      run("commit", () => together(writes)),
      {
        onSuccess: () => {
          for (const write of writes) write.ended()
        },
        onFailure: (failure) => {
          for (const write of writes) write.failed(failure)
        }
      }
    )
  }
  /** Lets the others that want to write now come first. */
  const drain: Effect.Effect<void> = Effect.suspend(() => {
    if (waiting.length > 0) return Effect.flatMap(commit(waiting.splice(0, most)), () => drain)
    writing = undefined
    return Effect.void
  })

  yield* Effect.addFinalizer(() => (writing === undefined ? Effect.void : Fiber.await(writing)))
  return {
    add: <A>(operation: string, f: () => A) =>
      Effect.callback<A, StoreError>((resume) => {
        let outcome: Effect.Effect<A, StoreError>
        waiting.push({
          attempt: () => {
            try {
              outcome = Effect.succeed(f())
              return undefined
            } catch (cause) {
              outcome = Effect.fail(error(operation, cause))
              return { cause }
            }
          },
          alone: Effect.map(Effect.exit(run(operation, f)), resume),
          ended: () => resume(outcome),
          failed: (failure) => resume(Effect.fail(failure))
        })
        writing ??= fork(Effect.andThen(Effect.yieldNow, drain))
      })
  }
})
