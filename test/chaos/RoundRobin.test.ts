/** Two replicas behind one load balancer: a conversation whose messages go to them in turn. */
import { fileURLToPath } from "node:url"
import { MemoryStore } from "@botmesh/core"
import { fromDriver, Store } from "@botmesh/core/spi"
import { CoordinatorHub, TestBot } from "@botmesh/core/testing"
import { cluster, redis, redisPrograms, ServiceError } from "@botmesh/test-services"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { describe } from "vitest"
import { Fleet } from "./Fleet.ts"
import { Post } from "./post/Post.ts"
import { bot } from "./replica/bot.ts"
import { eventOf } from "./replica/Phone.ts"
import type { ReplicaOptions } from "./replica/Options.ts"

const limit = 120_000
const why = await Effect.runPromise(
  Effect.match(redisPrograms, { onSuccess: () => undefined, onFailure: (error) => error.message.split("\n")[0] })
)

// The second conversation begins on the other replica.
const script = [...["form", "a", "b", "c", "bye"], ...["survey", "a", "b", "c", "bye"]]
const answers = [
  ...["Q1 run=1", "Q2 run=1 a=2", "Q3 run=1 a=2 b=3", "done run=1 a=2 b=3 c=4", "nothing #5"],
  ...["Q1 run=6", "Q2 run=6 a=7", "Q3 run=6 a=7 b=8", "done run=6 a=7 b=8 c=9", "nothing #10"]
]

/** One person who asks and answers; each message goes to the replica after the one before. */
const walk = Effect.fnUntraced(function* (address: ReplicaOptions["redis"]) {
  let answer = Deferred.makeUnsafe<string>()
  const delivered: Array<number> = []
  const post = new Post({
    log: (entry) => {
      if (entry.e === "up" || entry.e === "down") fleet.heard(entry.pid, entry.e === "up")
      if (entry.e === "delivered") delivered.push(entry.pid)
    },
    onSaid: (_, text) => {
      Deferred.doneUnsafe(answer, Effect.succeed(text))
      return [text]
    }
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => post.close()))
  const port = yield* Effect.tryPromise({
    try: () => post.listen(),
    catch: (cause) => new ServiceError({ message: "the transport could not listen", cause })
  })
  const crashes: Array<string> = []
  const fleet = new Fleet({
    script: fileURLToPath(new URL("replica/main.ts", import.meta.url)),
    argument: (name) => {
      const given: ReplicaOptions = { name, port, redis: address, lease: 5_000 }
      return JSON.stringify(given)
    },
    onCrash: (member) => crashes.push(member.errors())
  })
  yield* Effect.addFinalizer(() => fleet.end)
  for (const name of ["one", "two"]) fleet.start(name)
  yield* fleet.until(2, limit)

  const says = (word: string) =>
    Effect.suspend(() => {
      answer = Deferred.makeUnsafe<string>()
      post.write("ana", (n) => `${word} #${n}`)
      return Deferred.await(answer)
    })
  expect(yield* Effect.forEach(script, (word) => says(word))).toEqual(answers)
  const pids = fleet.all().map(({ pid }) => pid)
  expect(delivered.map((pid) => pids.indexOf(pid))).toEqual(
    delivered.map((_, nth) => (pids.indexOf(delivered[0] ?? 0) + nth) % 2)
  )
  fleet.rest()
  for (const member of fleet.up()) yield* fleet.stop(member, limit)
  expect(crashes).toEqual([])
})

it.effect("C12 C17 R6 two bots of one process answer a three-question flow sent round robin, on the memory hub", () =>
  Effect.gen(function* () {
    const hub = CoordinatorHub.make()
    const store = Layer.succeed(Store, fromDriver(MemoryStore.make()))
    const replica = () => TestBot.make(bot, { store, coordinator: Layer.orDie(CoordinatorHub.layer(hub)) })
    const anas = [(yield* replica()).person("ana"), (yield* replica()).person("ana")]
    const heard = yield* Effect.forEach(
      script,
      (word, nth) =>
        anas[nth % 2]?.does(eventOf({ t: "deliver", n: nth + 1, chat: "ana", body: `${word} #${nth + 1}` })) ??
        Effect.succeed([])
    )
    expect(heard.flat()).toEqual(answers)
  })
)

describe.skipIf(why !== undefined)(
  `two processes behind one load balancer${why === undefined ? "" : ` (${why})`}`,
  () => {
    it.live(
      "C12 R6 answer a three-question flow sent round robin, on Redis",
      () => Effect.flatMap(redis(), ({ url }) => walk({ url })),
      limit
    )
    it.live(
      "C12 C16 answer a three-question flow sent round robin, on a Redis Cluster",
      () => Effect.flatMap(cluster({ nodes: 3 }), ({ urls }) => walk({ url: urls.join(","), cluster: true })),
      limit
    )
  }
)
