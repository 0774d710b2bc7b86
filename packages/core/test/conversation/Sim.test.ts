import { expect, it } from "@effect/vitest"
import { Bot, Flow } from "@botmesh/core"
import { forAllSeeds, makeInbound, TestBot } from "@botmesh/core/testing"
import { Deferred, Effect, Random, Stream } from "effect"
import { live, sharedStore } from "./lives.ts"

const seeds = 200

/** I24: in = handled + dropped. */
const balanced = (bot: Bot.BotShape<unknown>) => {
  const { dropped, handled, received } = bot.metrics.snapshot()
  const lost = Object.values(dropped).reduce((sum, n) => sum + n, 0)
  expect(handled + lost, "in = handled + dropped").toBe(received)
}
/** each conversation that started ended once, or is alive. */
const accounted = (bot: Bot.BotShape<unknown>, started: number) => {
  const ended = Object.values(bot.metrics.snapshot().conversationsEnded).reduce((sum, n) => sum + n, 0)
  expect(ended + bot.conversations.list().length, "started = ended + alive").toBe(started)
  const keys = bot.conversations.list().map(({ key }) => key)
  expect(new Set(keys).size, "one conversation a key").toBe(keys.length)
}
const napping = Effect.flatMap(Random.nextIntBetween(0, 40), (ms) => Effect.sleep(ms))

it.effect(
  "200 seeds: three people of one group in three flows at once",
  () =>
    forAllSeeds(seeds, () =>
      Effect.gen(function* () {
        const people = ["ana", "eva", "leo"]
        const flows = people.map((who, i) =>
          Bot.flow(
            Flow.make(who).pipe(
              Flow.ask("a", `${who} ¿a?`),
              Flow.run("nap", () => Effect.as(napping, i)),
              Flow.ask("b", ({ a }) => `${who} ${a} ¿b?`),
              Flow.say(({ a, b, nap }) => `${who} ${a} ${b} ${nap}`),
              (flow) => (i === 0 ? flow : flow.pipe(Flow.persistent))
            ),
            { trigger: `soy ${who}` }
          )
        )
        const { bot, mock } = yield* TestBot.make(Bot.make("b", flows))
        yield* Effect.forEach(
          people,
          (who) =>
            Effect.forEach([`soy ${who}`, "1", "2"], (body) =>
              Effect.andThen(napping, mock.deliver(mock.inbound.text({ chat: "g", sender: who, body })))
            ),
          { concurrency: "unbounded", discard: true }
        )
        yield* bot.settled
        people.forEach((who, i) => {
          const said = mock.texts("g").filter((text) => text.startsWith(who))
          expect(said).toEqual([`${who} ¿a?`, `${who} 1 ¿b?`, `${who} 1 2 ${i}`])
        })
        balanced(bot)
        accounted(bot, 3)
        expect(bot.conversations.timers()).toBe(0)
      })
    ),
  60_000
)

it.effect(
  "200 seeds: fifty messages of one chat at once are handled one after another, in order",
  () =>
    forAllSeeds(seeds, () =>
      Effect.gen(function* () {
        let inside = 0
        const seen: Array<string> = []
        const { bot, mock } = yield* TestBot.make(
          Bot.make("b", [
            Bot.conversation("cuenta", (c) =>
              Effect.gen(function* () {
                for (let n = 0; n < 20; n++) seen.push(yield* c.ask("n", "¿?"))
                yield* c.say("fin")
              })
            ),
            Bot.onMessage((chat) =>
              Effect.gen(function* () {
                expect(++inside, "one at a time").toBe(1)
                yield* napping
                yield* chat.reply(chat.body)
                inside--
              })
            )
          ])
        )
        const bodies = Array.from({ length: 50 }, (_, i) => (i === 10 ? "cuenta" : `${i}`))
        yield* mock.deliver(bodies.map((body) => mock.inbound.text({ chat: "ana", body })))
        yield* bot.settled
        expect(seen).toEqual(bodies.slice(11, 31))
        const replies = mock.texts("ana").filter((text) => text !== "¿?" && text !== "fin")
        expect(replies).toEqual([...bodies.slice(0, 10), ...bodies.slice(31)])
        balanced(bot)
      })
    ),
  60_000
)

it.effect(
  "200 seeds: a stop in the middle loses nothing that was promised, and nothing is said after it",
  () =>
    forAllSeeds(seeds, () =>
      Effect.gen(function* () {
        const store = sharedStore()
        const inbound = makeInbound()
        const runs: Array<string> = []
        const flow = Flow.make("f").pipe(
          Flow.ask("a", "¿a?"),
          Flow.run("r", (_, op) =>
            Effect.andThen(
              Effect.sync(() => runs.push(op.id)),
              Effect.as(napping, 1)
            )
          ),
          Flow.ask("b", "¿b?"),
          Flow.say(({ a, b }) => `fin ${a}${b}`),
          Flow.persistent
        )
        const definition = Bot.make("b", [Bot.flow(flow, { trigger: "go" })], { stopGrace: "20ms", settle: "1m" })
        const chats = ["c1", "c2", "c3", "c4"]
        const one = yield* live(definition, { store })
        const talk = (chat: string) =>
          Effect.forEach(["go", "1", "2"], (body) =>
            Effect.andThen(napping, Effect.ignore(one.mock.deliver(inbound.text({ chat, body }))))
          )
        const stopped = yield* Deferred.make<number>()
        yield* Effect.forkChild(
          Effect.gen(function* () {
            yield* napping
            yield* one.bot.stop
            yield* Deferred.succeed(stopped, one.mock.sent().length)
          })
        )
        yield* Effect.forEach(chats, talk, { concurrency: "unbounded", discard: true })
        const before = yield* Deferred.await(stopped)
        yield* Effect.sleep("1 minute")
        expect(one.mock.sent().length, "nothing after the stop").toBe(before)
        expect(one.bot.conversations.list()).toEqual([])
        balanced(one.bot)
        yield* one.stop

        const two = yield* live(definition, { store })
        yield* Effect.sleep("1 minute")
        for (const chat of chats) {
          const all = () => [...one.mock.texts(chat), ...two.mock.texts(chat)]
          for (let lines = 0; lines < 8 && !(all().at(-1)?.startsWith("fin") ?? false); lines++) {
            const last = all().at(-1)
            const body = last === "¿a?" ? "1" : last === "¿b?" ? "2" : "go"
            yield* two.mock.deliver(inbound.text({ chat, body }))
            yield* two.settled
          }
          expect(all().at(-1), chat).toMatch(/^fin/u)
          // The question in flight at the stop may have been asked again; nothing else.
          expect(all().filter((text) => text === "¿b?").length, chat).toBeLessThanOrEqual(2)
        }
        const twice = runs.length - new Set(runs).size
        expect(twice, "a run in flight may run again, once").toBeLessThanOrEqual(chats.length)
        balanced(two.bot)
        yield* two.stop
      })
    ),
  60_000
)

it.effect(
  "200 seeds: messages, timers, triggers, aborts and handoffs race; every conversation is accounted for",
  () =>
    forAllSeeds(seeds, () =>
      Effect.gen(function* () {
        let inside = 0
        const alone = <A, E>(effect: Effect.Effect<A, E>) =>
          Effect.suspend(() => {
            expect(++inside, "one turn at a time").toBe(1)
            return Effect.ensuring(
              effect,
              Effect.sync(() => void inside--)
            )
          })
        const timed = Flow.make("timed").pipe(
          Flow.ask("a", "¿a?", { timeout: "30ms", idle: { after: "10ms", say: "¿sigues?" } }),
          Flow.run("r", () => alone(Effect.as(napping, 1))),
          Flow.delay("6s"),
          Flow.ask("b", "¿b?", { timeout: "20ms", onTimeout: { goto: "kept" } }),
          Flow.say("timed fin")
        )
        const kept = Flow.make("kept").pipe(
          Flow.ask("a", "¿k?", { timeout: "25ms" }),
          Flow.do("x", (c) =>
            Effect.gen(function* () {
              yield* Effect.timeoutOption(c.ask("q", "¿q?"), "15 millis")
              yield* c.run("r", alone(Effect.as(napping, 1)))
              yield* c.sleep("s", "7s")
              return null
            })
          ),
          Flow.persistent
        )
        const { bot, mock, settled } = yield* TestBot.make(
          Bot.make(
            "b",
            [
              Bot.flow(timed, { trigger: "timed" }),
              Bot.flow(kept, { trigger: "kept" }),
              Bot.command("abort", (chat) => alone(chat.abortConversation)),
              Bot.onMessage((chat) => alone(Effect.andThen(napping, chat.reply("nuevo"))))
            ],
            { conversation: { dormantAfter: "12ms" }, apology: false }
          )
        )
        let errors = 0
        let started = 0
        const count = (tag: string) => {
          if (tag === "error") errors++
          if (tag === "conversation:started") started++
        }
        yield* Effect.forkScoped(
          Stream.runForEach(bot.events, (event) => Effect.sync(() => count(event._tag))),
          { startImmediately: true }
        )
        yield* Effect.sleep(1)
        const act = Effect.gen(function* () {
          yield* napping
          const dice = yield* Random.nextIntBetween(0, 12)
          const say = (body: string) => mock.deliver(mock.inbound.text({ chat: "ana", body }))
          if (dice < 2) return yield* say("timed")
          if (dice < 4) return yield* say("kept")
          if (dice < 7) return yield* say("texto")
          if (dice === 7) return yield* say("/abort")
          if (dice === 8) return yield* bot.trigger("kept", { chatId: "ana", ifActive: "replace" })
          if (dice === 9) return yield* bot.trigger("timed", { chatId: "ana", ifActive: "queue" })
          if (dice === 10) return yield* bot.conversations.abort("ana")
          yield* bot.handoff.start("ana")
          yield* napping
          return yield* bot.handoff.end("ana")
        })
        yield* Effect.forEach(
          Array.from({ length: 6 }, () => Effect.forEach([1, 2, 3, 4], () => act)),
          (actor) => actor,
          { concurrency: "unbounded", discard: true }
        )
        yield* settled
        yield* Effect.sleep("2 minutes")
        yield* settled
        for (let n = 0; n < 20 && (yield* bot.conversations.abort("ana")); n++) yield* settled
        yield* settled
        expect(bot.conversations.list()).toEqual([])
        expect(bot.conversations.timers(), "no timer outlives its conversation").toBe(0)
        expect(errors).toBe(0)
        balanced(bot)
        accounted(bot, started)
      })
    ),
  60_000
)
