import { describe, expect, it } from "@effect/vitest"
import { Store } from "@botmesh/core"
import { check, compile } from "@botmesh/flows"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { type AnyStep, ask, botOf, documentOf, say, sharedStore } from "./kit/Documents.ts"

const persistent = { persistent: true, id: "order", trigger: "pedido" }
const before = documentOf(
  [ask("name"), ask("what"), ask("old"), say("Antes: {{ name }} {{ what }} {{ old }}")],
  persistent
)
/** One step inserted, one removed, one changed. */
const after = documentOf(
  [
    ask("name"),
    ask("phone"),
    ask("what", { text: "¿Qué, {{ name }}?", answer: "integer" }),
    say("Después: {{ name }} {{ phone }} {{ what }}")
  ],
  persistent
)
const people = (prefix: string) => Array.from({ length: 100 }, (_, n) => `${prefix}${n}`)

describe("B16: a flow swapped under people", () => {
  it.effect("100 live conversations keep their version, 100 dormant ones go on at their steps", () =>
    Effect.gen(function* () {
      const store = sharedStore()
      const scope = yield* Scope.make()
      const first = yield* Scope.provide(botOf([before], { store }), scope)
      // Dormant ones: a third at each question.
      for (const [n, id] of people("d").entries()) {
        const person = first.person(id)
        yield* person.says("pedido")
        if (n % 3 > 0) yield* person.says(`D${n}`)
        if (n % 3 > 1) yield* person.says("7")
      }
      yield* Scope.close(scope, Exit.void)

      const { bot, person } = yield* botOf([before], { store })
      for (const id of people("l")) {
        yield* person(id).says("pedido")
        yield* person(id).says(id.toUpperCase())
      }
      expect(bot.conversations.list()).toHaveLength(100)

      const services = yield* Layer.build(store)
      const parked = (yield* Context.get(services, Store).checkpoints("default/docs", { limit: 1000 })).items
      const { lost } = check(after, { parked: parked.map(({ checkpoint }) => checkpoint) })
      // Those at the question that is gone: a third of the dormant ones.
      expect(lost).toHaveLength(33)
      expect(new Set(lost.map(({ stepId }) => stepId))).toEqual(new Set(["old"]))

      const { flow, trigger } = yield* compile(after)
      yield* bot.flows.replace(flow, trigger)
      expect(bot.flows.list()).toEqual([{ id: "order", kind: "flow", steps: 4, persistent: true }])

      for (const id of people("l")) {
        expect(yield* person(id).says("pan")).toEqual(["¿old?"])
        expect(yield* person(id).says("1")).toEqual([`Antes: ${id.toUpperCase()} pan 1`])
      }
      for (const [n, id] of people("d").entries()) {
        const dormant = person(id)
        if (n % 3 === 0) {
          expect(yield* dormant.says("Ana")).toEqual(["¿phone?"])
          expect(yield* dormant.says("600")).toEqual(["¿Qué, Ana?"])
          expect(yield* dormant.says("2")).toEqual(["Después: Ana 600 2"])
        } else if (n % 3 === 1) {
          expect(yield* dormant.says("3")).toEqual([`Después: D${n}  3`])
        } else {
          // Its step is gone: it is dropped, the message is new.
          expect(yield* dormant.says("pedido")).toEqual(["¿name?"])
        }
      }
      expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 100 + 34 + 33, changed: 33 })
      const fresh = person("eva")
      yield* fresh.says("pedido")
      expect(yield* fresh.says("Eva")).toEqual(["¿phone?"])
    })
  )
  it.effect("register, replace, unregister; another trigger takes the place of the old one", () =>
    Effect.gen(function* () {
      const { bot, person } = yield* botOf([documentOf([say("uno")])])
      const ana = person("ana")
      const two = yield* compile(documentOf([say("dos")], { trigger: { keywords: ["va", "ve"], match: "startsWith" } }))
      expect((yield* Effect.flip(bot.flows.register(two.flow, two.trigger))).problems[0]).toContain("registered twice")
      yield* bot.flows.replace(two.flow, two.trigger)
      expect(yield* ana.says("go")).toEqual([])
      expect(yield* ana.says("ve ya")).toEqual(["dos"])
      expect(yield* bot.flows.unregister("doc")).toBe(true)
      expect(yield* bot.flows.unregister("doc")).toBe(false)
      expect(yield* ana.says("ve ya")).toEqual([])
    })
  )
})

describe("E1, E8: step ids are stable", () => {
  const idsOf = Effect.fnUntraced(function* (steps: ReadonlyArray<AnyStep>) {
    const store = sharedStore()
    const { person } = yield* botOf([documentOf(steps, { persistent: true })], { store })
    yield* person("ana").says("go")
    const services = yield* Layer.build(store)
    const page = yield* Context.get(services, Store).checkpoints("default/docs", { limit: 10 })
    return page.items.map(({ checkpoint }) => checkpoint.stepId)
  })
  it.effect("what stands before, between or behind a question does not move it", () =>
    Effect.gen(function* () {
      expect(yield* idsOf([ask("a")])).toEqual(["a"])
      expect(
        yield* idsOf([say("x"), { kind: "condition", if: "false", then: [ask("b")] }, say("y"), ask("a"), ask("c")])
      ).toEqual(["a"])
      expect(yield* idsOf([say("x"), ask("a", { id: "mine" })])).toEqual(["mine"])
      const [inside] = yield* idsOf([say("x"), { kind: "condition", if: "true", then: [ask("a")] }])
      expect(inside).toMatch(/^condition:[a-z0-9]+\/then\/a$/u)
      // A question put before the condition moves nothing in it.
      const inserted = [
        say("y"),
        { kind: "condition", if: "$isGroup", then: [ask("b")] },
        { kind: "condition", if: "true", then: [say("z"), ask("a")] }
      ]
      expect(yield* idsOf(inserted)).toEqual([inside])
      expect(yield* idsOf([{ kind: "condition", id: "c", if: "true", then: [say("z"), ask("a")] }])).toEqual([
        "c/then/a"
      ])
    })
  )
})
