/** Replicas of a bot whose transport only one may run, on a real Redis (C13, R12, R13). */
import { Bot, InProcessScheduler, layerNoDurability } from "@botmesh/core"
import { Coordinator, Provider } from "@botmesh/core/spi"
import { MockProvider } from "@botmesh/core/testing"
import { Redis, RedisCoordinator, RedisStore } from "@botmesh/redis"
import { proxy, redis, type RedisServer } from "@botmesh/test-services"
import { expect, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Layer, Scope } from "effect"
import { connect, describeServers, eventually } from "../Live.ts"

const lease = 1_500
const connectTime = 100
const shop = Bot.make("shop", [Bot.onMessage((chat) => chat.reply(`got ${chat.body}`))])

/** Who is connected, and the most at a time. */
const watch = () => {
  const open = new Set<string>()
  let most = 0
  let changedAt = 0
  return {
    open: () => [...open].join(),
    most: () => most,
    changedAt: () => changedAt,
    note: (name: string, isOpen: boolean) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (isOpen) open.add(name)
        else open.delete(name)
        most = Math.max(most, open.size)
        changedAt = now
      })
  }
}

const replica = Effect.fnUntraced(function* (
  name: string,
  server: Pick<RedisServer, "port">,
  seen: ReturnType<typeof watch>
) {
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const client = Layer.effect(Redis.Redis, connect(server))
  const mock = yield* MockProvider.make({ capabilities: { exclusiveSession: true } })
  const provider: Provider["Service"] = {
    ...mock.provider,
    start: (host) =>
      Effect.gen(function* () {
        yield* Effect.sleep(connectTime)
        yield* mock.provider.start(host)
        yield* Effect.addFinalizer(() => seen.note(name, false))
        yield* seen.note(name, true)
      })
  }
  const backends = Layer.provideMerge(
    Layer.merge(RedisStore.layer, RedisCoordinator.layer({ lease, replicaId: name })),
    client
  )
  const layer = Bot.layer(shop).pipe(
    Layer.provideMerge(
      Layer.mergeAll(Layer.succeed(Provider, provider), backends, layerNoDurability, InProcessScheduler.layer)
    )
  )
  const built = yield* Layer.buildWithScope(layer, scope)
  return {
    bot: Context.get(built, shop),
    coordinator: Context.get(built, Coordinator),
    mock,
    stop: Scope.close(scope, Exit.void)
  }
})
const leads = (seen: ReturnType<typeof watch>, name: string) =>
  eventually(`${name} leads`, Effect.sync(seen.open), (open) => open === name)

describeServers("an exclusive transport on a real Redis", () => {
  it.live(
    "C13 I7 COORD-20 three replicas: one leads; orderly stops and lost connections pass the lead on in time, never to two",
    () =>
      Effect.gen(function* () {
        const server = yield* redis({ durable: true })
        const line = yield* proxy(server.port)
        const seen = watch()
        const a = yield* replica("a", server, seen)
        expect(a.bot.state()).toBe("running")
        const b = yield* replica("b", line, seen)
        expect(b.bot.state()).toBe("stand-by")
        expect(yield* Effect.flip(b.bot.send("ana", "x"))).toMatchObject({ _tag: "ProviderNotLeaderError" })
        const state = a.mock.host()?.state
        yield* state?.set("creds", "1") ?? Effect.void

        yield* a.stop
        const closedAt = seen.changedAt()
        yield* leads(seen, "b")
        expect(seen.changedAt() - closedAt).toBeLessThanOrEqual(connectTime + 1_000)
        expect(yield* b.mock.host()?.state.get("creds") ?? Effect.undefined).toBe("1")

        const c = yield* replica("c", server, seen)
        expect(c.bot.state()).toBe("stand-by")
        const cutAt = yield* Clock.currentTimeMillis
        const former = b.mock.host()?.state
        yield* line.hold
        yield* leads(seen, "c")
        expect(seen.changedAt() - cutAt).toBeLessThanOrEqual(lease + connectTime + 1_000)
        expect(yield* Effect.flip(b.bot.send("ana", "late"))).toMatchObject({ _tag: "ProviderNotLeaderError" })
        expect(b.mock.texts()).toEqual([])
        yield* line.flow
        const late = yield* Effect.flip(former?.set("creds", "late") ?? Effect.die("no host"))
        expect(late).toMatchObject({ _tag: "ProviderError", reason: "taken-over" })
        expect(yield* c.mock.host()?.state.get("creds") ?? Effect.undefined).toBe("1")
        yield* c.bot.send("ana", "here")
        expect(c.mock.texts("ana")).toEqual(["here"])
        expect(seen.most()).toBe(1)
        yield* eventually(
          "b stands by again",
          Effect.sync(() => b.bot.state()),
          (stands) => stands === "stand-by"
        )
      }),
    40_000
  )

  it.live(
    "C13 R25 Redis restarts: the leader goes on or another leads, never two",
    () =>
      Effect.gen(function* () {
        const server = yield* redis({ durable: true })
        const seen = watch()
        const all = [yield* replica("a", server, seen), yield* replica("b", server, seen)]
        for (let n = 0; n < 3; n++) {
          yield* server.stop("kill")
          yield* Effect.sleep(300)
          yield* server.start
          yield* Effect.sleep(lease)
          yield* eventually(
            "somebody leads",
            Effect.sync(() => all.filter(({ bot }) => bot.state() === "running").length),
            (leaders) => leaders === 1
          )
        }
        expect(seen.most()).toBe(1)
      }),
    40_000
  )
})
