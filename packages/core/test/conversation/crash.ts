/**
 * Crashes at every point: the nth call to the store or the transport never returns, before or after it took effect, and
 * nothing of that life has an effect from then on. A second life on the same rows goes on with the same person.
 */
import { Deferred, Effect, Exit, Layer, Random, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Bot, MemoryStore } from "@botmesh/core"
import { fromDriver, Provider, Store, type StoreDriver } from "@botmesh/core/spi"
import { type Inbound, makeInbound, MockProvider, TestBot } from "@botmesh/core/testing"

/** Where a life ends: at its nth call, before or after the call took effect. */
export interface CrashPoint {
  readonly at: number
  readonly applied: boolean
}

export interface Life {
  readonly gate: <A, E, R>(what: string, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly crashed: Deferred.Deferred<string>
  readonly calls: () => number
}

/** @param at `undefined`: it never crashes */
export const makeLife = (point: CrashPoint | undefined): Life => {
  let calls = 0
  let dead = false
  const crashed = Deferred.makeUnsafe<string>()
  return {
    crashed,
    calls: () => calls,
    gate: (what, call) =>
      Effect.suspend(() => {
        if (dead) return Effect.never
        calls++
        if (point === undefined || calls !== point.at) return call
        const die = Effect.suspend(() => {
          dead = true
          return Effect.andThen(Deferred.succeed(crashed, what), Effect.never)
        })
        return point.applied ? Effect.flatMap(call, () => die) : die
      })
  }
}

const gatedDriver = (driver: StoreDriver, { gate }: Life): StoreDriver => ({
  ...driver,
  admit: (...args) => gate("admit", driver.admit(...args)),
  open: (...args) => gate("open", driver.open(...args)),
  getCheckpoint: (...args) => gate("getCheckpoint", driver.getCheckpoint(...args)),
  putCheckpoint: (...args) => gate(args[2].data === null ? "clear" : "put", driver.putCheckpoint(...args)),
  handoff: (...args) => gate("handoff", driver.handoff(...args)),
  setHandoff: (...args) => gate("setHandoff", driver.setHandoff(...args)),
  due: (...args) => gate("due", driver.due(...args))
})

export interface Running {
  readonly says: (body: string) => Effect.Effect<ReadonlyArray<string>>
  readonly passes: (duration: `${number} seconds` | `${number} minutes`) => Effect.Effect<ReadonlyArray<string>>
  readonly bot: Bot.BotShape<unknown>
}

/** One life of the bot on these rows; what it says goes to `transcript`. Its scope is never closed: it crashes or ends. */
export const begin = Effect.fnUntraced(function* <Id extends string, E>(
  definition: Bot.Definition<Id, E, never>,
  driver: StoreDriver,
  life: Life,
  inbound: Inbound,
  transcript: Array<string>
) {
  const mock = yield* MockProvider.make()
  const send: typeof mock.provider.send = (message) =>
    life.gate(
      "send",
      Effect.tap(mock.provider.send(message), () =>
        Effect.sync(() => {
          const { content } = message
          if (content._tag === "text" || content._tag === "choices") transcript.push(content.text)
        })
      )
    )
  const provider = Layer.succeed(Provider, { ...mock.provider, send })
  const store = Layer.sync(Store, () => fromDriver(gatedDriver(driver, life)))
  const scope = yield* Scope.make()
  const { bot } = yield* Scope.provide(TestBot.make(definition, { mock: { ...mock, layer: provider }, store }), scope)
  // What is due at the start is found now.
  yield* Effect.yieldNow
  // Detached: a crash leaves it hanging where nothing can interrupt it. Short sleeps in a turn pass.
  const news = <E2>(act: Effect.Effect<unknown, E2>) =>
    Effect.gen(function* () {
      const from = transcript.length
      const over = Deferred.makeUnsafe<string>()
      yield* Effect.forkDetach(
        Effect.flatMap(Effect.exit(Effect.andThen(act, bot.settled)), () => Deferred.succeed(over, ""))
      )
      yield* TestClock.adjust("3 seconds")
      yield* Effect.raceFirst(Deferred.await(over), Deferred.await(life.crashed))
      return transcript.slice(from)
    })
  const running: Running = {
    bot,
    says: (body) => Effect.suspend(() => news(mock.deliver(inbound.text({ chat: "ana", body, lang: "es" })))),
    passes: (duration) => news(TestClock.adjust(duration))
  }
  return { ...running, close: Scope.close(scope, Exit.void) }
})

/** How the person reacts to what they read last: says something, or waits. */
export type Reactions = Readonly<Record<string, string | { readonly passes: `${number} minutes` }>>

export interface Story {
  readonly handlers: ReadonlyArray<Bot.Handler<unknown, never>>
  readonly first: string
  readonly reactions: Reactions
  /** The last words of the bot. */
  readonly last: string
  /** Words that only say no: to a line that was repeated after a crash, or to a wrong answer of the story itself. */
  readonly refusals: ReadonlyArray<string>
}

export interface Told {
  readonly transcript: ReadonlyArray<string>
  /** How many of these the first life said. */
  readonly before: number
  readonly crash: string | undefined
  readonly calls: number
  readonly lines: number
}

const bound = 60

/** Plays the story to its last words, over one crash if there is one. */
export const tell = Effect.fnUntraced(function* (story: Story, point: CrashPoint | undefined, onRestart = () => {}) {
  const driver = MemoryStore.make()
  const inbound = makeInbound()
  const transcript: Array<string> = []
  let life = makeLife(point)
  let crash: string | undefined
  let before = 0
  let running = yield* begin(Bot.make("story", story.handlers), driver, life, inbound, transcript)
  let line = story.first
  let news = yield* running.says(line)
  let lines = 1
  const total = () => transcript.length
  for (; lines < bound; lines++) {
    if (crash === undefined && Deferred.isDoneUnsafe(life.crashed)) {
      crash = yield* Deferred.await(life.crashed)
      before = total()
      onRestart()
      life = makeLife(undefined)
      running = yield* begin(Bot.make("story", story.handlers), driver, life, inbound, transcript)
      news = transcript.slice(before)
      if (news.length === 0) news = transcript.slice(-1).filter((text) => story.reactions[text] !== line)
    }
    if (transcript.at(-1) === story.last || transcript.slice(before).includes(story.last)) break
    const reaction = news.map((text) => story.reactions[text]).findLast((found) => found !== undefined)
    if (reaction === undefined) {
      // Nothing is asked: one more line, the one that was not answered.
      news = yield* running.says(line)
    } else if (typeof reaction === "string") {
      line = reaction
      news = yield* running.says(line)
    } else {
      news = yield* running.passes(reaction.passes)
      if (news.length === 0 && !Deferred.isDoneUnsafe(life.crashed)) news = yield* running.says("¿sigues ahí?")
    }
  }
  const told: Told = { transcript, before, crash, calls: life.calls(), lines }
  return { ...told, running }
}, Random.withSeed("crash"))

/** The same story with an orderly stop and a start before each line and each wait. */
export const tellStopping = Effect.fnUntraced(function* (story: Story) {
  const driver = MemoryStore.make()
  const inbound = makeInbound()
  const transcript: Array<string> = []
  let next: string | undefined = story.first
  for (let lines = 0; next !== undefined && lines < bound; lines++) {
    const running = yield* begin(Bot.make("story", story.handlers), driver, makeLife(undefined), inbound, transcript)
    const reaction = lines === 0 ? story.first : (story.reactions[next] ?? "")
    const news: ReadonlyArray<string> =
      typeof reaction === "string" ? yield* running.says(reaction) : yield* running.passes(reaction.passes)
    next = news.includes(story.last) ? undefined : news.findLast((text) => story.reactions[text] !== undefined)
    yield* running.close
  }
  return transcript
}, Random.withSeed("stop"))
