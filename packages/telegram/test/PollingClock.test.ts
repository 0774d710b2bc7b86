/** The waits of polling, by the clock: the client is a script in memory, time is the test's. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { recordingHost } from "@botmesh/core/testing"
import * as BotApi from "./BotApi.ts"
import { polling } from "./Setup.ts"

const { faults } = BotApi

type Step = BotApi.Fault | "empty" | "silence"

const target = Object.assign(new BotApi.BotApi(), { url: "http://api.test" })

const ok = (result: unknown): Response => new Response(JSON.stringify({ ok: true, result }))

const perform = (step: Step): Effect.Effect<Response> => {
  if (step === "empty") return Effect.succeed(ok([]))
  if (step === "silence" || step._tag !== "answer") return Effect.never
  const body = typeof step.body === "string" ? step.body : JSON.stringify(step.body)
  return Effect.succeed(new Response(body, { status: step.status }))
}

/** Starts polling against a script for `getUpdates`, the first step being the start's own question; gives when each was asked. */
const run = Effect.fnUntraced(function* (script: ReadonlyArray<Step>) {
  const asked: Array<number> = []
  const steps = [...script]
  const client = HttpClient.make((request, url) =>
    Effect.gen(function* () {
      if (!url.pathname.endsWith("/getUpdates")) return ok(url.pathname.endsWith("/getMe") ? target.me : true)
      asked.push(yield* Clock.currentTimeMillis)
      return yield* perform(steps.shift() ?? "silence")
    }).pipe(Effect.map((response) => HttpClientResponse.fromWeb(request, response)))
  )
  const provider = yield* polling(
    target,
    { standBack: undefined, pollTimeout: undefined },
    Layer.succeed(HttpClient.HttpClient, client)
  )
  yield* provider.start(recordingHost())
  return asked
})

const gaps = (times: ReadonlyArray<number>): ReadonlyArray<number> =>
  times.slice(1).map((time, index) => time - (times[index] ?? 0))

describe("waits", () => {
  it.effect("stands back at least 15 s when another poller took the session over", () =>
    Effect.gen(function* () {
      const asked = yield* run(["empty", faults.takenOver, faults.takenOver])
      yield* TestClock.adjust("14 seconds")
      expect(asked.length).toBe(2)
      yield* TestClock.adjust("40 seconds")
      expect(asked.length).toBe(4)
      for (const gap of gaps(asked.slice(1))) expect(gap).toBeGreaterThanOrEqual(15_000)
    })
  )

  it.effect("waits what a limit says, not less", () =>
    Effect.gen(function* () {
      const asked = yield* run(["empty", faults.rateLimited(7), faults.rateLimited(40)])
      yield* TestClock.adjust("2 minutes")
      const [first, second] = gaps(asked.slice(1))
      expect(first).toBe(7000)
      expect(second).toBe(40_000)
    })
  )

  it.effect("backs off exponentially, jittered, up to about 30 s, and from the start again after a success", () =>
    Effect.gen(function* () {
      const down = Array.from({ length: 10 }, () => faults.badGateway)
      const asked = yield* run(["empty", ...down, "empty", faults.badGateway])
      yield* TestClock.adjust("10 minutes")
      const waits = gaps(asked.slice(1))
      const within = (wait: number | undefined, millis: number) => {
        expect(wait).toBeGreaterThanOrEqual(millis * 0.8)
        expect(wait).toBeLessThanOrEqual(millis * 1.2)
      }
      for (const [index, millis] of [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000].entries()) {
        within(waits[index], millis)
      }
      // Ten failures, then an empty answer at once followed by the next question, then the first wait again.
      expect(waits[10]).toBe(0)
      within(waits[11], 500)
    })
  )

  it.effect("a question that nobody answers ends 10 s after its time and is asked again", () =>
    Effect.gen(function* () {
      const asked = yield* run(["empty", "silence", "empty"])
      yield* TestClock.adjust("39 seconds")
      expect(asked.length).toBe(2)
      yield* TestClock.adjust("2 seconds")
      expect(asked.length).toBeGreaterThan(2)
    })
  )
})
