/** Runs a command again whenever a source changes. */
import { Console, Effect, FileSystem, Path, Queue, Ref, Stream } from "effect"
import { ChildProcess } from "effect/process"

const sources = /\.(?:[cm]?[jt]sx?|json)$/u
const elsewhere = /(?:^|[\\/])(?:node_modules|dist|\.git)(?:[\\/]|$)/u

/** Several files saved at once are one change. */
const settle = "100 millis"

/**
 * Starts `command` and starts it again after each change of a source beside `file` or below. Ends with the code of a run
 * that ended well by itself; after one that failed it waits for the next change.
 */
export const watch = Effect.fn("botmesh.watch")(function* (file: string, command: string, args: ReadonlyArray<string>) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(path.resolve(file))
  const changes = yield* Queue.sliding<string>(1)
  yield* files.watch(folder, { recursive: true }).pipe(
    Stream.map((event) => path.relative(folder, path.resolve(folder, event.path))),
    Stream.filter((changed) => sources.test(changed) && !elsewhere.test(changed)),
    Stream.runForEach((changed) => Queue.offer(changes, changed)),
    Effect.forkScoped
  )
  const changed = Effect.tap(Queue.take(changes), () => Effect.andThen(Effect.sleep(settle), Queue.clear(changes)))
  const last = yield* Ref.make<number | undefined>(undefined)
  const once = Effect.scoped(
    Effect.gen(function* () {
      const child = yield* ChildProcess.make(command, args, {
        stdin: "inherit",
        stdout: "inherit",
        stderr: "inherit",
        detached: false,
        forceKillAfter: "15 seconds"
      })
      yield* Ref.set(last, yield* child.exitCode)
    })
  )
  for (;;) {
    const name = yield* Effect.raceFirst(Effect.as(once, undefined), changed)
    if (name === undefined) {
      const code = yield* Ref.get(last)
      if (code === 0) return
      yield* Console.error(`It ended with ${code}. Waiting for a change…`)
      yield* Console.error(`${yield* changed} has changed: starting again`)
    } else {
      yield* Console.error(`${name} has changed: starting again`)
    }
  }
}, Effect.scoped)
