/** What else the test kit can do: golden transcripts, a transport that misbehaves, and seeds that shuffle what runs when. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { RateLimited } from "@botmesh/core/spi"
import { forAllSeeds, TestBot, Transcript } from "@botmesh/core/testing"
import { hello } from "../src/hello.ts"
import { menu } from "../src/menu.ts"
import { signUp } from "../src/sign-up.ts"

it.effect("testing: a golden transcript", () =>
  Effect.gen(function* () {
    const path = fileURLToPath(new URL("transcripts/booking.txt", import.meta.url))
    yield* Transcript.replayFile(path, yield* TestBot.make(menu))
  }).pipe(Effect.provide(NodeFileSystem.layer))
)

it.effect("testing: a send that the transport refuses is counted and told, and the bot goes on", () =>
  Effect.gen(function* () {
    const { bot, mock, person } = yield* TestBot.make(hello)
    const ana = person("ana")
    yield* mock.faults.fail(new RateLimited({ retryAfter: 1000, detail: "slow down" }))
    expect(yield* ana.says("hola")).toEqual([])
    expect(bot.metrics.snapshot().sendFailed.RateLimited).toBe(1)
    expect(yield* ana.says("hola")).toEqual(["👋 ¡Hola!"])
  })
)

it.effect("testing: a webhook that is delivered twice is handled once", () =>
  Effect.gen(function* () {
    const { bot, mock, person } = yield* TestBot.make(hello)
    yield* mock.faults.duplicate(true)
    expect(yield* person("ana").says("hola")).toEqual(["👋 ¡Hola!"])
    expect(bot.metrics.snapshot().dropped.duplicate).toBe(1)
  })
)

it.effect("testing: three people at once, in 20 random orders", () =>
  forAllSeeds(20, () =>
    Effect.gen(function* () {
      const { person } = yield* TestBot.make(signUp)
      const all = yield* Effect.forEach(
        ["ana", "luis", "eva"],
        (id) => {
          const one = person(id)
          return Effect.andThen(one.says("sign up"), Effect.andThen(one.says(`${id} García`), one.says("31")))
        },
        { concurrency: 3 }
      )
      expect(all.flat().filter((text) => text === "Which plan?")).toHaveLength(3)
    })
  )
)
