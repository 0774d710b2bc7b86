import { Bot, Flow, MemoryStore } from "@botmesh/core"
import { type Checkpoint, Store } from "@botmesh/core/spi"
import { TestBot } from "@botmesh/core/testing"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"

const signUp = Flow.make("registrar").pipe(
  Flow.ask("name", "¿Tu nombre?"),
  Flow.ask("city", "¿Tu ciudad?"),
  Flow.say(({ city, name }) => `Listo, ${name} de ${city}`),
  Flow.persistent
)
const shop = Bot.make("shop", [Bot.flow(signUp, { trigger: "registrar" }), Bot.onMessage((chat) => chat.reply("?"))])

/** What the store holds when the process was killed after the start was stored, before the question was known to be out. */
const cut: Checkpoint = {
  format: 1,
  id: "ana/registrar/m1",
  visit: 1,
  flow: "registrar",
  version: "any",
  stepId: "name",
  state: {},
  ops: [{ kind: "ask", name: "name", done: false }],
  pending: [],
  origin: { id: "m1", from: "ana", sender: "ana", isGroup: false, type: "text", body: "registrar" },
  trail: [],
  cuts: 0,
  applied: ["m1"],
  revision: 1,
  fence: 1
}

const resumed = Effect.fnUntraced(function* (checkpoint: Checkpoint) {
  const store = Context.get(yield* Layer.build(MemoryStore.layer()), Store)
  expect(yield* store.setCheckpointIf("default/shop", "ana", checkpoint)).toBe(true)
  const { person } = yield* TestBot.make(shop, { store: Layer.succeed(Store, store) })
  return person("ana")
})

it.effect("R2: a start said again after a crash at the start is no answer: the question is asked", () =>
  Effect.gen(function* () {
    const ana = yield* resumed(cut)
    expect(yield* ana.says("Registrar ")).toEqual(["¿Tu nombre?"])
    expect(yield* ana.says("Ana")).toEqual(["¿Tu ciudad?"])
    expect(yield* ana.says("registrar")).toEqual(["Listo, Ana de registrar"])
  })
)

it.effect("R2: any other message is the answer, for the question may have been seen", () =>
  Effect.gen(function* () {
    const ana = yield* resumed(cut)
    expect(yield* ana.says("Ana")).toEqual(["¿Tu ciudad?"])
  })
)

it.effect("R2: a start said again is an answer where the question is known to have been asked", () =>
  Effect.gen(function* () {
    const ana = yield* resumed({
      ...cut,
      ops: [{ kind: "ask", name: "name", done: false, attempts: 1 }],
      wait: { kind: "ask", op: "name" }
    })
    expect(yield* ana.says("registrar")).toEqual(["¿Tu ciudad?"])
  })
)
