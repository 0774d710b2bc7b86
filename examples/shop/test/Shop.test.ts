/** The shop's bot, without a process: what it says to whom. */
import { TestBot } from "@botmesh/core/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { PayError, Payments } from "../src/payments.ts"
import { shop } from "../src/shop.ts"

const charged: Array<string> = []
const paying = Layer.succeed(Payments, {
  charge: (plan, { key }) =>
    plan === "max"
      ? new PayError({ code: "E51" })
      : Effect.sync(() => {
          charged.push(key)
          return { paid: plan }
        })
})
const withShop = <A, E>(use: (test: TestBot.TestBot<unknown>) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    return yield* use(yield* TestBot.make(shop))
  }).pipe(Effect.provide(paying))

const menu = "¿Qué hacemos?"

it.effect("greets with a menu whose buttons do what they say", () =>
  withShop(({ person }) =>
    Effect.gen(function* () {
      const ana = person("ana")
      expect(yield* ana.says("¡Hola!")).toEqual(["No te entendí. Escribe «menú» o /help."])
      expect(yield* ana.says("HOLA")).toEqual(["👋 ¡Hola!", menu])
      expect(yield* ana.says("menu")).toEqual([menu])
      expect(yield* ana.presses("sign-up")).toEqual(["¿Tu nombre?"])
      expect(yield* ana.says("/reset")).toEqual(["Empezamos de nuevo."])
      expect(yield* ana.says("/reset")).toEqual(["No había nada a medias."])
      expect(yield* ana.presses("order")).toEqual(["¿Qué te llevas?"])
      yield* ana.says("/reset")
      expect(yield* ana.presses("survey")).toEqual(["¿Qué te gustó de la tienda?"])
    })
  )
)

it.effect("signs up, charges once under a key of its own, and says when the payment failed", () =>
  withShop(({ person }) =>
    Effect.gen(function* () {
      const ana = person("ana")
      for (const line of ["registrar", "Ana", "31"]) yield* ana.says(line)
      expect(yield* ana.presses("pro", "Pro")).toEqual(["Listo, Ana: pro"])
      expect(charged).toEqual([expect.stringMatching(/^ana\/registrar\/.*:charge$/u)])
      for (const line of ["registrar", "Ana", "31"]) yield* ana.says(line)
      expect(yield* ana.says("max")).toEqual(["No se pudo cobrar (E51). No se te ha cargado nada."])
    })
  )
)

it.effect("reminds a person who does not answer, once, and waits on", () =>
  withShop(({ person, settled }) =>
    Effect.gen(function* () {
      const ana = person("ana")
      yield* ana.says("registrar")
      yield* ana.says("Ana")
      yield* TestClock.adjust("6 minutes")
      yield* settled
      expect(yield* ana.sees).toEqual(["¿Sigues ahí? Te espero."])
      yield* TestClock.adjust("2 hours")
      yield* settled
      expect(yield* ana.sees).toEqual([])
      expect(yield* ana.says("31")).toEqual(["¿Plan?"])
    })
  )
)

it.effect("takes an order, asks companies for their name, and orders nothing without a yes", () =>
  withShop(({ person }) =>
    Effect.gen(function* () {
      const ana = person("ana")
      expect(yield* ana.says("pedido")).toEqual(["¿Qué te llevas?"])
      expect(yield* ana.says("té")).toEqual(["¿Cuántos paquetes? (1–20)"])
      expect(yield* ana.says("12")).toEqual(["Son muchos: ¿a nombre de qué empresa va la factura?"])
      expect(yield* ana.says("Café Sol")).toEqual(["¿Dónde los entregamos?"])
      expect(yield* ana.says("Calle 1")).toEqual(["12 × Té → Café Sol, Calle 1. ¿Lo pido?"])
      expect(yield* ana.says("sí")).toEqual(["¡Pedido! Te avisamos cuando salga."])
      const bea = person("bea")
      for (const line of ["pedido", "1", "2", "Calle 2"]) yield* bea.says(line)
      expect(yield* bea.says("no")).toEqual(["Vale, no pido nada."])
      expect(yield* bea.says("pedido 12")).toEqual(["El pedido 12 va en camino."])
    })
  )
)

it.effect("asks for an opinion, more of those who did not like it", () =>
  withShop(({ person, settled }) =>
    Effect.gen(function* () {
      const ana = person("ana")
      yield* ana.says("encuesta")
      yield* TestClock.adjust("11 minutes")
      yield* settled
      expect(yield* ana.sees).toEqual(["Cuando puedas: tu opinión nos ayuda."])
      expect(yield* ana.says("el café")).toEqual(["¿Cuántas estrellas nos das, de 1 a 5?"])
      expect(yield* ana.says("5")).toEqual(["¡Gracias! Has dado 5 de 5."])
      const bea = person("bea", { lang: "en" })
      yield* bea.says("survey")
      yield* bea.says("nothing")
      expect(yield* bea.says("1")).toEqual(["We are sorry. What can we do better?"])
      expect(yield* bea.says("the tea")).toEqual(["Thank you! You gave 1 out of 5."])
    })
  )
)

it.effect("hands a chat to a person and is silent, until it comes back", () =>
  withShop(({ bot, person }) =>
    Effect.gen(function* () {
      const ana = person("ana")
      yield* ana.says("registrar")
      yield* ana.says("/reset")
      expect(yield* ana.says("humano")).toEqual(["Te paso con una persona. Para volver conmigo: /bot"])
      expect(yield* ana.says("hola")).toEqual([])
      expect(yield* ana.says("/help")).toEqual([])
      expect(yield* person("bea").says("pedido 1")).toEqual(["El pedido 1 va en camino."])
      expect(yield* ana.says("/bot")).toEqual(["Aquí estoy otra vez."])
      expect(yield* ana.says("pedido 2")).toEqual(["El pedido 2 va en camino."])
      yield* ana.says("humano")
      expect(yield* bot.handoff.end("ana")).toBe(true)
      expect(yield* ana.says("pedido 3")).toEqual(["El pedido 3 va en camino."])
    })
  )
)

it.effect("speaks the language of the transport, or the one a person asks for", () =>
  withShop(({ person }) =>
    Effect.gen(function* () {
      const bob = person("bob", { lang: "en-GB" })
      expect(yield* bob.says("hello")).toEqual(["👋 Hello!", "What shall we do?"])
      expect(yield* bob.presses("sign-up")).toEqual(["Your name?"])
      expect(yield* bob.says("Bob")).toEqual(["Your age?"])
      expect(yield* bob.says("7")).toEqual(["Between 18 and 99, please"])
      yield* bob.says("40")
      expect(yield* bob.says("1")).toEqual(["Done, Bob: pro"])
      expect(yield* bob.says("/es")).toEqual(["Hablemos en español."])
      expect(yield* bob.says("menu")).toEqual([menu])
      const ana = person("ana")
      expect(yield* ana.says("/en")).toEqual(["Let us speak English."])
      expect(yield* ana.says("/help")).toEqual([expect.stringContaining("sign up, order, survey")])
    })
  )
)
