/**
 * A Bot API on this machine: real HTTP, no timers, and faults on demand. It refuses what the real one refuses (limits,
 * a webhook in the way, a second poller), so a test that passes has kept to them.
 *
 * `const api = yield* BotApi.make()` in a scope; point the provider at it with `{ token: api.token, apiUrl: api.url }`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Redacted, type Scope } from "effect"
import { refusalOf } from "./BotApiRules.ts"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type Fields = { readonly [key: string]: Json }

export interface Call {
  readonly method: string
  readonly params: Fields
  readonly files: ReadonlyMap<string, { readonly name: string; readonly type: string; readonly bytes: Uint8Array }>
}

export type Fault =
  /** None: for the calls before the one that is to fail. */
  | { readonly _tag: "pass" }
  /** Answers this instead; nothing is applied. */
  | { readonly _tag: "answer"; readonly status: number; readonly body: Json | string }
  /** Applies the call, then sends half of the answer and cuts the connection. */
  | { readonly _tag: "cut" }
  /** Applies the call, then cuts the connection without a word. */
  | { readonly _tag: "reset" }
  /** Applies the call and never answers. */
  | { readonly _tag: "hold" }
  /** getUpdates only: gives the batch of the last answer again, whatever the offset. */
  | { readonly _tag: "duplicate" }

const error = (status: number, description: string, parameters?: Fields): Fault => ({
  _tag: "answer",
  status,
  body: { ok: false, error_code: status, description, ...(parameters && { parameters }) }
})

export const faults = {
  rateLimited: (seconds: number) => error(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds }),
  badGateway: { _tag: "answer", status: 502, body: "<html><h1>502 Bad Gateway</h1></html>" },
  blocked: error(403, "Forbidden: bot was blocked by the user"),
  chatNotFound: error(400, "Bad Request: chat not found"),
  unauthorized: error(401, "Unauthorized"),
  takenOver: error(
    409,
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
  ),
  webhookActive: error(
    409,
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
  ),
  invalid: error(400, "Bad Request: something is wrong with the message"),
  movedTo: (id: number) =>
    error(400, "Bad Request: group chat was upgraded to a supergroup chat", { migrate_to_chat_id: id }),
  error,
  pass: { _tag: "pass" },
  cut: { _tag: "cut" },
  reset: { _tag: "reset" },
  hold: { _tag: "hold" },
  duplicate: { _tag: "duplicate" }
} as const satisfies Record<string, Fault | ((...args: ReadonlyArray<never>) => Fault)>

interface Poll {
  readonly response: ServerResponse
  readonly limit: number
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

const parse = async (request: IncomingMessage): Promise<Pick<Call, "params" | "files">> => {
  const raw = await readBody(request)
  const type = request.headers["content-type"] ?? ""
  const files = new Map<string, { name: string; type: string; bytes: Uint8Array }>()
  if (!type.startsWith("multipart/")) {
    const params: unknown = raw.length === 0 ? {} : JSON.parse(raw.toString("utf8"))
    return { params: isFields(params) ? params : {}, files }
  }
  const params: Record<string, Json> = {}
  const form = await new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData()
  for (const [name, value] of form) {
    if (typeof value === "string") params[name] = value
    else files.set(name, { name: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) })
  }
  return { params, files }
}

export class BotApi {
  readonly token = Redacted.make("600000001:AAfake-token_of_the-double")
  readonly me = { id: 600000001, is_bot: true, first_name: "Tienda", username: "tienda_demo_bot" }
  readonly calls: Array<Call> = []
  /** Updates not confirmed yet. */
  pending: Array<{ readonly update_id: number; readonly [key: string]: unknown }> = []
  webhook: Fields | undefined
  /** Held polls that the client closed before an answer. */
  aborted = 0
  url = ""
  private readonly planned = new Map<string, Array<Fault>>()
  private readonly stored = new Map<string, Uint8Array>()
  private readonly watchers = new Set<() => void>()
  private lastBatch: ReadonlyArray<unknown> = []
  private poll: Poll | undefined
  private nextMessage = 100
  private nextUpdate = 480020000

  /** The next calls of a method meet these faults, one each. */
  fault(method: string, ...next: ReadonlyArray<Fault>): void {
    this.planned.set(method, [...(this.planned.get(method) ?? []), ...next])
  }

  callsOf(method: string): ReadonlyArray<Call> {
    return this.calls.filter((call) => call.method === method)
  }

  /** The texts a chat shows, in order. */
  shown(chatId: string): ReadonlyArray<string> {
    return this.calls
      .filter((call) => call.method === "sendMessage" && String(call.params["chat_id"]) === chatId)
      .map((call) => String(call.params["text"]))
  }

  /** Makes updates available to `getUpdates`. Those without an `update_id` get the next one. */
  push(...updates: ReadonlyArray<object>): void {
    for (const update of updates) this.pending.push({ update_id: this.nextUpdate++, ...update })
    this.feed()
  }

  /** A text somebody writes. */
  text(chatId: number, text: string, extra: object = {}): object {
    const person = { id: chatId, is_bot: false, first_name: "Ana" }
    const chat = { id: chatId, type: "private", first_name: "Ana" }
    return { message: { message_id: this.nextMessage++, from: person, chat, date: 1760100000, text, ...extra } }
  }

  store(fileId: string, bytes: Uint8Array): void {
    this.stored.set(fileId, bytes)
  }

  get polling(): boolean {
    return this.poll !== undefined
  }

  /** Answers the held poll as if its time had passed. */
  expirePoll(): void {
    const held = this.poll
    this.poll = undefined
    if (held !== undefined) this.reply(held.response, 200, { ok: true, result: [] })
  }

  /** Waits until something is so; fails after 5 s of real time, naming it. */
  until(what: string, predicate: (api: BotApi) => boolean): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const look = () => {
        if (!predicate(this)) return
        this.watchers.delete(look)
        resume(Effect.void)
      }
      this.watchers.add(look)
      look()
      return Effect.sync(() => this.watchers.delete(look))
    }).pipe(
      Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.die(new Error(`never happened: ${what}`)) })
    )
  }

  private changed(): void {
    for (const look of [...this.watchers]) look()
  }

  private reply(response: ServerResponse, status: number, body: Json | string | object): void {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    response.writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json" })
    response.end(text)
    this.changed()
  }

  private feed(): void {
    const held = this.poll
    if (held === undefined || this.pending.length === 0) return this.changed()
    this.poll = undefined
    this.give(held.response, held.limit)
  }

  private give(response: ServerResponse, limit: number): void {
    this.lastBatch = this.pending.slice(0, limit)
    this.reply(response, 200, { ok: true, result: this.lastBatch })
  }

  private getUpdates(response: ServerResponse, params: Fields): void {
    if (this.webhook !== undefined) return this.spoil(response, faults.webhookActive, {})
    const other = this.poll
    this.poll = undefined
    if (other !== undefined) this.spoil(other.response, faults.takenOver, {})
    const offset = params["offset"]
    if (typeof offset === "number") this.pending = this.pending.filter(({ update_id }) => update_id >= offset)
    const limit = Number(params["limit"] ?? 100)
    if (this.pending.length > 0 || !params["timeout"]) return this.give(response, limit)
    const held = { response, limit }
    this.poll = held
    response.on("close", () => {
      if (this.poll !== held) return
      this.poll = undefined
      this.aborted++
      this.changed()
    })
    this.changed()
  }

  private spoil(response: ServerResponse, fault: Fault, answer: object): void {
    switch (fault._tag) {
      case "answer":
        return this.reply(response, fault.status, fault.body)
      case "duplicate":
        return this.reply(response, 200, { ok: true, result: this.lastBatch })
      case "pass":
      case "hold":
        return this.changed()
      case "reset":
        response.destroy()
        return this.changed()
      case "cut": {
        const text = JSON.stringify(answer)
        response.writeHead(200, { "content-type": "application/json", "content-length": String(text.length) })
        response.write(text.slice(0, text.length / 2), () => response.destroy())
        return this.changed()
      }
    }
  }

  private message(method: string, params: Fields): object {
    const id = Number(params["chat_id"])
    const poll = method === "sendPoll" ? { poll: { id: String(5200000000000000000n + BigInt(this.nextMessage)) } } : {}
    const type = id < 0 ? "supergroup" : "private"
    return { message_id: this.nextMessage++, date: 1760100000, chat: { id, type }, ...poll }
  }

  private result(method: string, params: Fields): unknown {
    if (method === "getMe") return this.me
    if (method === "setWebhook") this.webhook = params
    if (method === "deleteWebhook") this.webhook = undefined
    if (method === "getFile") {
      const id = String(params["file_id"])
      return { file_id: id, file_size: this.stored.get(id)?.byteLength ?? 0, file_path: `files/${id}` }
    }
    const makesMessage = method.startsWith("send") && method !== "sendChatAction"
    if (makesMessage || method.startsWith("editMessage")) return this.message(method, params)
    return true
  }

  private call(method: string, call: Call, response: ServerResponse): void {
    this.calls.push(call)
    const [fault, ...rest] = this.planned.get(method) ?? []
    this.planned.set(method, rest)
    const refusal = fault === undefined || fault._tag === "pass" ? refusalOf(method, call.params) : fault
    if (refusal?._tag === "answer" || refusal?._tag === "duplicate") return this.spoil(response, refusal, {})
    if (method === "getUpdates" && refusal === undefined) return this.getUpdates(response, call.params)
    const answer = { ok: true, result: method === "getUpdates" ? this.pending : this.result(method, call.params) }
    return refusal === undefined ? this.reply(response, 200, answer) : this.spoil(response, refusal, answer)
  }

  readonly serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, prefix, ...path] = (request.url ?? "").split("/")
    const file = prefix === "file"
    const token = `bot${Redacted.value(this.token)}`
    if ((file ? path[0] : prefix) !== token) return this.spoil(response, faults.unauthorized, {})
    if (file) {
      const bytes = this.stored.get(path.slice(2).join("/"))
      response.writeHead(bytes === undefined ? 404 : 200)
      response.end(bytes)
      return
    }
    const method = path[0] ?? ""
    return this.call(method, { method, ...(await parse(request)) }, response)
  }
}

/** Starts one on a free port of this machine; closing the scope stops it and cuts what is open. */
export const make = (): Effect.Effect<BotApi, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly api: BotApi; readonly stop: () => void }>((resume) => {
        const api = new BotApi()
        const server = createServer((request, response) => {
          // A client that hangs up in the middle of a body is part of what is tested.
          api.serve(request, response).catch(() => response.destroy())
        })
        const stop = () => {
          server.closeAllConnections()
          server.close()
        }
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          api.url = `http://127.0.0.1:${port}`
          resume(Effect.succeed({ api, stop }))
        })
      }),
      ({ stop }) => Effect.sync(stop)
    ),
    ({ api }) => api
  )
