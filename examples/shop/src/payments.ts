/** Where the shop is paid. A service, so that the bot does not know how: here every charge is a line of a file. */
import { Context, Effect, FileSystem, Layer, Schema } from "effect"

export class PayError extends Schema.TaggedError<PayError>()("PayError", { code: Schema.String }) {
  override get message(): string {
    return `The payment was refused (${this.code})`
  }
}

export interface PaymentsShape {
  /** Charges the price of a plan. @param key a repeat under the same key is one payment to a real provider */
  readonly charge: (
    plan: string,
    options: { readonly key: string }
  ) => Effect.Effect<{ readonly paid: string }, PayError>
}

export class Payments extends Context.Service<Payments, PaymentsShape>()("shop/Payments") {
  /**
   * Takes 300 ms, as a call over the network would, and appends the key to `file` in the middle of it. The line is on the
   * disk (fsync) before the answer comes. So the file tells which charges were tried, and how often.
   */
  static readonly layerLog = (file: string): Layer.Layer<Payments, never, FileSystem.FileSystem> =>
    Layer.effect(
      Payments,
      Effect.map(FileSystem.FileSystem, (files) => {
        const append = Effect.fnUntraced(function* (line: string) {
          const log = yield* files.open(file, { flag: "a" })
          yield* log.writeAll(new TextEncoder().encode(line))
          yield* log.sync
        }, Effect.scoped)
        return Payments.of({
          charge: Effect.fn("Payments.charge")(function* (plan, { key }) {
            yield* Effect.sleep("150 millis")
            yield* Effect.mapError(append(`${key}\n`), () => new PayError({ code: "unavailable" }))
            yield* Effect.sleep("150 millis")
            return { paid: plan }
          })
        })
      })
    )
}
