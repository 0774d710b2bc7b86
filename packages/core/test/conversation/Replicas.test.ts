import { expect, it } from "@effect/vitest"
import { Bot, Flow } from "@botmesh/core"
import { makeInbound } from "@botmesh/core/testing"
import { Effect, Layer } from "effect"
import * as CoordinatorHub from "../../src/memory/CoordinatorHub.ts"
import { live, recorded, sharedStore } from "./lives.ts"

it.effect("R6: a copy parked here is not used once another replica has held its turn", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const hub = CoordinatorHub.make()
    const coordinator = Layer.orDie(CoordinatorHub.layer(hub))
    const inbound = makeInbound()
    const text = (body: string) => inbound.text({ chat: "ana", body })
    const flow = Flow.make("f").pipe(
      Flow.ask("a", "¿a?"),
      Flow.ask("b", "¿b?"),
      Flow.ask("c", "¿c?"),
      Flow.say(({ a, b, c }) => `${a}${b}${c}`),
      Flow.persistent
    )
    const definition = Bot.make("b", [Bot.flow(flow, { trigger: "go" })])
    const one = yield* live(definition, { store, coordinator })
    const two = yield* live(definition, { store, coordinator: Layer.fresh(coordinator) })
    const events = yield* recorded(one.bot)
    expect(yield* one.person("ana").does(text("go"))).toEqual(["¿a?"])
    expect(yield* two.person("ana").does(text("1"))).toEqual(["¿b?"])
    // Here it is still parked at the first question; the answer is the second one's.
    expect(one.bot.conversations.list()).toMatchObject([{ accepts: "a" }])
    expect(yield* one.person("ana").does(text("2"))).toEqual(["¿c?"])
    expect(yield* one.person("ana").does(text("3"))).toEqual(["123"])
    expect(two.bot.conversations.list()).toMatchObject([{ accepts: "b" }])
    expect(yield* two.person("ana").does(text("x"))).toEqual([])
    expect(two.bot.conversations.list()).toEqual([])
    expect((yield* events).filter((event) => event._tag === "error")).toEqual([])
    yield* one.stop
    yield* two.stop
  })
)
