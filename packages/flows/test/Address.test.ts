import { readFileSync } from "node:fs"
import { IncomingMessage } from "node:http"
import { createServer, Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Http } from "@botmesh/flows"
import { Effect, Fiber, Redacted } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { answerOf } from "../src/net/PinnedClient.ts"
import { botOf, documentOf, say } from "./kit/Documents.ts"

interface Case {
  readonly id: string
  readonly url: string
  readonly verdict: "accept" | "reject"
  readonly reason: string
  readonly redirectChain?: ReadonlyArray<string>
  readonly dns?: {
    readonly host: string
    readonly first: ReadonlyArray<string> | "timeout"
    readonly second: ReadonlyArray<string> | null
  }
}
const { cases }: { readonly cases: ReadonlyArray<Case> } = JSON.parse(
  readFileSync(new URL("./fixtures/ssrf-hosts.json", import.meta.url), "utf8")
)

interface Call {
  readonly url: string
  readonly addresses: ReadonlyArray<string>
  readonly authorization: string | undefined
}

/** The outside world of one case: a resolver that answers as the corpus says, a network that answers what it is told. */
const worldOf = (one: Case) => {
  const calls: Array<Call> = []
  const lookups: Array<string> = []
  const chain = one.redirectChain ?? []
  const resolve = (host: string): Effect.Effect<ReadonlyArray<string>> =>
    Effect.suspend(() => {
      lookups.push(host)
      if (one.dns === undefined || host !== one.dns.host) return Effect.succeed(["93.184.216.34"])
      if (one.dns.first === "timeout") return Effect.never
      return Effect.succeed(lookups.length === 1 ? one.dns.first : (one.dns.second ?? one.dns.first))
    })
  const client = (addresses: ReadonlyArray<string>) =>
    HttpClient.make((request, url) =>
      Effect.sync(() => {
        calls.push({ url: url.href, addresses, authorization: request.headers["authorization"] })
        const to = chain[calls.length]
        const response =
          to === undefined
            ? new Response('{"ok":true}', { headers: { "content-type": "application/json" } })
            : new Response(null, { status: 302, headers: { location: to } })
        return HttpClientResponse.fromWeb(request, response)
      })
    )
  return { calls, lookups, resolve, client }
}

/** A file somebody names by its address, fetched as a request of a flow would be. */
const vetted = Effect.fnUntraced(function* (one: Case) {
  const world = worldOf(one)
  const access = {
    allows: () => true,
    secret: () => Redacted.make("s3cret"),
    resolve: world.resolve,
    client: world.client
  }
  const request = {
    method: "GET" as const,
    url: one.url,
    headers: { authorization: "pay" },
    body: undefined,
    key: "k",
    timeout: 10_000,
    retries: 0,
    maxBytes: 1000
  }
  const fiber = yield* Effect.forkChild(Effect.result(Http.perform(request, access)))
  yield* TestClock.adjust("1 minute")
  const result = yield* Fiber.join(fiber)
  return { ...world, accepted: result._tag === "Success" }
})

describe("design 9: addresses", () => {
  for (const one of cases) {
    it.effect(`${one.id}: ${one.reason}`, () =>
      Effect.gen(function* () {
        const { accepted, calls, lookups } = yield* vetted(one)
        if (one.dns?.second !== undefined && one.dns.second !== null) {
          // Rebinding: what was vetted is what is connected to; it is never looked up again.
          expect(lookups).toEqual([one.dns.host])
          expect(calls.map(({ addresses }) => addresses)).toEqual([one.dns.first])
          return
        }
        expect(accepted).toBe(one.verdict === "accept")
        const reached = one.redirectChain === undefined ? 0 : calls.length
        if (one.verdict === "reject") expect(calls).toHaveLength(reached)
        for (const { addresses, authorization, url } of calls) {
          expect(addresses.length).toBeGreaterThan(0)
          const sameHost = new URL(url).host === new URL(one.url).host
          expect(authorization).toBe(sameHost ? "s3cret" : undefined)
        }
      })
    )
  }
  it("the corpus is whole", () => {
    expect(cases).toHaveLength(109)
  })
})

it.effect("a host that no list allows is refused before anything is looked up", () =>
  Effect.gen(function* () {
    const looked: Array<string> = []
    const layer = Http.layer({
      hosts: ["api.example.com", "*.ok.example"],
      resolve: (host) => {
        looked.push(host)
        return Effect.succeed(["93.184.216.34"])
      },
      client: () =>
        HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response("hi"))))
    })
    const to = (id: string, url: string) =>
      documentOf([{ kind: "http", method: "GET", url, stateKey: "a", else: [say("no")] }, say("{{ a }}")], {
        id,
        trigger: id
      })
    const { person } = yield* botOf([
      to("a", "https://api.example.com/x"),
      to("b", "https://a.b.ok.example/"),
      to("c", "https://ok.example/"),
      to("d", "https://evil-ok.example/"),
      to("e", "https://api.example.com.evil.example/")
    ]).pipe(Effect.provide(layer))
    const ana = person("ana")
    expect(yield* ana.says("a")).toEqual(["hi"])
    expect(yield* ana.says("b")).toEqual(["hi"])
    for (const id of ["c", "d", "e"]) expect(yield* ana.says(id)).toEqual(["no"])
    expect(looked).toEqual(["api.example.com", "a.b.ok.example"])
  })
)

it.live("a request goes to the vetted address, whatever its name resolves to, and keeps the name", () =>
  Effect.gen(function* () {
    const heard = yield* Effect.callback<Buffer>((resume) => {
      // What a client of TLS says first names the host in the clear.
      const server = createServer((socket) => {
        socket.once("data", (bytes) => {
          resume(Effect.succeed(bytes))
          socket.destroy()
          server.close()
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const client = Http.pinnedClient(["127.0.0.1"])
        Effect.runFork(Effect.ignore(client.get(`https://pinned.ok.example:${port}/`)))
      })
      return Effect.sync(() => server.close())
    })
    expect(heard.includes("pinned.ok.example")).toBe(true)
  })
)

it("E3: a status that HTTP does not know fails, and throws nothing past the request", async () => {
  const incoming = (status: number): IncomingMessage => {
    const message = new IncomingMessage(new Socket())
    message.statusCode = status
    return message
  }
  const request = HttpClientRequest.get("https://api.example.com/")
  for (const status of [0, 101, 199, 600, 999]) {
    const message = incoming(status)
    const result = await Effect.runPromise(Effect.result(answerOf(request, message)))
    expect([status, result._tag, message.destroyed]).toEqual([status, "Failure", true])
  }
  for (const status of [200, 204, 304, 599]) {
    expect((await Effect.runPromise(answerOf(request, incoming(status)))).status).toBe(status)
  }
})
