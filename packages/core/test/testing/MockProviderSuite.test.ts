import {
  Ambiguous,
  AuthFailed,
  InvalidContent,
  RateLimited,
  type SendReason,
  Transient,
  Unreachable
} from "@botmesh/core/spi"
import { MockProvider, ProviderSuite } from "@botmesh/core/testing"
import { Effect, Schedule } from "effect"

const bytes = new Uint8Array([1, 2, 3])

const setup: Parameters<typeof ProviderSuite.suite>[1] = Effect.gen(function* () {
  const mock = yield* MockProvider.make()
  const fault = (reason: SendReason) => mock.faults.fail(reason)
  const scope = yield* Effect.scope
  return {
    provider: mock.provider,
    chatId: "1",
    // Offers again what was not taken, as a webhook's sender does.
    say: (texts) =>
      mock
        .deliver(texts.map((text) => mock.inbound.text({ chat: "1", body: text })))
        .pipe(Effect.retry(Schedule.spaced("1 millis")), Effect.orDie, Effect.forkIn(scope), Effect.asVoid),
    shown: Effect.sync(() => mock.texts("1")),
    calls: Effect.sync(() => mock.sent().length + mock.presences().length),
    faults: {
      RateLimited: fault(new RateLimited({ retryAfter: 7000, detail: "slow" })),
      Unreachable: fault(new Unreachable({ detail: "blocked" })),
      AuthFailed: fault(new AuthFailed({ detail: "no" })),
      InvalidContent: fault(new InvalidContent({ detail: "bad" })),
      Transient: fault(new Transient({ detail: "down" })),
      Ambiguous: fault(new Ambiguous({ detail: "cut" }))
    },
    file: { media: { kind: "document", native: bytes }, bytes },
    longText: "a".repeat(100_000)
  }
})

ProviderSuite.suite("the mock provider", setup, {
  deviations: [
    {
      reason: "it takes texts of any length",
      tests: ["splits what is too long, in order, each part in the receipt"]
    }
  ]
})
