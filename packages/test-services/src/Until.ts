import { Effect } from "effect"
import { execute } from "./Program.ts"
import { ServiceError } from "./ServiceError.ts"

/** A pause by a program of its own: it passes under a test clock too. */
const pause = execute({ command: "sleep", env: {} }, ["0.1"])

/** Asks again each 100 ms until it is so; fails after about 30 s with what it waits for. */
export const until = (what: string, isSo: Effect.Effect<boolean, ServiceError>): Effect.Effect<void, ServiceError> => {
  const attempt = (left: number): Effect.Effect<void, ServiceError> =>
    Effect.flatMap(
      // A server that is not up yet refuses the question: that is a no.
      Effect.orElseSucceed(isSo, () => false),
      (yes) => {
        if (yes) return Effect.void
        return left === 0
          ? Effect.fail(new ServiceError({ message: `waited in vain for ${what}` }))
          : Effect.andThen(pause, attempt(left - 1))
      }
    )
  return attempt(300)
}
