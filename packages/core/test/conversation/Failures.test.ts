/** Whatever a run fails with, a conversation that survives it goes on. */
import { Bot } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { recordFailure, replayFailure } from "../../src/conversation/RecordedFailure.ts"

const circle: Record<string, unknown> = {}
circle["self"] = circle
const failures: ReadonlyArray<readonly [string, unknown]> = [
  ["a bigint", { big: 1n }],
  ["nothing", undefined],
  ["a symbol", Symbol("x")],
  ["an object without a prototype", Object.assign(Object.create(null), { at: new Date(0) })],
  [
    "a toString that throws",
    {
      big: 1n,
      toString() {
        throw new Error("planned")
      }
    }
  ],
  ["a circle", circle],
  ["a function", () => 1],
  [
    "a getter that throws",
    Object.defineProperty(new Error("g"), "x", {
      enumerable: true,
      get() {
        throw new Error("planned")
      }
    })
  ],
  [
    "a plain object with a getter that throws",
    {
      get x() {
        throw new Error("planned")
      }
    }
  ],
  ["a message that is no text", Object.assign(new Error("m"), { message: { a: 1n } })],
  ["a tag that is no text", Object.assign(new Error("m"), { _tag: 1n })],
  [
    "a proxy that refuses",
    new Proxy(
      {},
      {
        getPrototypeOf() {
          throw new Error("planned")
        }
      }
    )
  ]
]

for (const [what, failure] of failures) {
  it.effect(`R22: a run that failed with ${what} is survived, and replayed`, () =>
    Effect.gen(function* () {
      const { person, settled } = yield* TestBot.make(
        Bot.make("b", [
          Bot.conversation(
            "go",
            (c) =>
              Effect.gen(function* () {
                const exit = yield* Effect.exit(c.run("x", Effect.fail(failure)))
                yield* c.ask("q", "¿q?")
                yield* c.say(`fin ${exit._tag}`)
              }),
            { persistent: true }
          )
        ])
      )
      expect(yield* person("ana").says("go")).toEqual(["¿q?"])
      yield* TestClock.adjust("11 minutes")
      yield* settled
      expect(yield* person("ana").says("sí")).toEqual(["fin Failure"])
    })
  )
}

it("R22: a recorded failure keeps what a program matches on, and is a copy", () => {
  const error = Object.assign(new Error("no"), { _tag: "Declined", codes: [7] })
  const recorded = recordFailure(error, false)
  error.codes.push(8)
  const again = replayFailure(recorded)
  expect(again).toMatchObject({ _tag: "Declined", message: "no", codes: [7] })
  expect(JSON.parse(JSON.stringify(recorded))).toEqual(recorded)
})
