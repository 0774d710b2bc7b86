/** A migrate that fails: the chat must not be lost with the conversation. */
import { Bot, Flow } from "@botmesh/core"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { State } from "../../src/conversation/Step.ts"
import { live, recorded, sharedStore } from "./lives.ts"

const old = Flow.make("f").pipe(Flow.ask("a", "¿a?"), Flow.ask("b", "¿b?"), Flow.persistent)
const broken: ReadonlyArray<readonly [string, () => State]> = [
  [
    "throws",
    () => {
      throw new Error("planned")
    }
  ],
  [
    "throws what cannot be told",
    () => {
      throw Object.create(null)
    }
  ],
  ["gives nothing", () => JSON.parse("null")],
  ["gives a list", () => JSON.parse("[]")],
  ["gives what is no JSON", () => ({ a: 1n })]
]

for (const [what, migrate] of broken) {
  it.effect(`C18: a migrate that ${what} is changed code: cleared, and the message is new`, () =>
    Effect.gen(function* () {
      const store = sharedStore()
      const one = yield* live(Bot.make("b", [Bot.flow(old, { trigger: "go" })]), { store })
      for (const word of ["go", "1"]) yield* one.person("ana").says(word)
      yield* one.stop
      const flow = old.pipe(Flow.ask("d", "¿d?"), Flow.migrate(migrate))
      const two = yield* live(
        Bot.make("b", [Bot.flow(flow, { trigger: "go" }), Bot.onMessage((chat) => chat.reply("eco"))]),
        { store }
      )
      const events = yield* recorded(two.bot)
      const ana = two.person("ana")
      expect(yield* ana.says("2")).toEqual(["eco"])
      expect((yield* events).flatMap((event) => (event._tag === "conversation:ended" ? [event.outcome] : []))).toEqual([
        "changed"
      ])
      expect(yield* ana.says("3")).toEqual(["eco"])
      expect(yield* ana.says("go")).toEqual(["¿a?"])
      yield* two.stop
    })
  )
}
