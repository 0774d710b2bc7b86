/** The demo on Telegram: a process of its own, updates and replies over real HTTP. */
import { readdirSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { type BotApi, startBotApi } from "./BotApi.ts"
import { type Demo, runDemo, startDemo, temporary } from "./Demo.ts"

// Whole processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const secret = "un-secreto_de-prueba"
const token = "600000001:AAfake-token_of_the-double"

const fixtures = new URL("../../../packages/telegram/test/fixtures/", import.meta.url)
const payloads = readdirSync(fixtures)
  .filter((name) => /^telegram-\d/u.test(name))
  .map((name) => ({ name, update: JSON.parse(readFileSync(new URL(name, fixtures), "utf8")).update }))

interface Shop {
  readonly demo: Demo
  readonly port: number
  readonly post: (body: string, headers?: Readonly<Record<string, string>>) => Promise<number>
  readonly give: (update: unknown) => Promise<number>
}

const startShop = async (data: string, api: BotApi, env: Readonly<Record<string, string>> = {}): Promise<Shop> => {
  const demo = startDemo(["--data", data, "--port", "0"], {
    env: { TELEGRAM_TOKEN: token, TELEGRAM_SECRET: secret, TELEGRAM_API_URL: api.url, ...env }
  })
  const listening = /Listening on http:\/\/[^\s]*:(\d+)/u
  await demo.logs(listening)
  const port = Number(listening.exec(demo.errors())?.[1])
  const url = `http://127.0.0.1:${port}/telegram`
  const post = async (body: string, headers: Readonly<Record<string, string>> = {}) => {
    const known = { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret }
    const response = await fetch(url, { method: "POST", body, headers: { ...known, ...headers } })
    await response.arrayBuffer()
    return response.status
  }
  return { demo, port, post, give: (update) => post(JSON.stringify(update)) }
}

let updates = 480_000_000
const says = (chat: number, text: string, extra: object = {}) => ({
  update_id: updates++,
  message: {
    message_id: updates,
    date: 1760100000,
    chat: { id: chat, type: "private", first_name: "Ana" },
    from: { id: chat, is_bot: false, first_name: "Ana", language_code: "es" },
    text,
    ...extra
  }
})

let api: BotApi
let place: ReturnType<typeof temporary>
let shop: Shop
beforeAll(async () => {
  api = await startBotApi()
  place = temporary()
  shop = await startShop(place.data, api, { TELEGRAM_WEBHOOK_URL: "https://example.com/telegram" })
})
afterAll(async () => {
  shop.demo.kill("SIGKILL")
  await shop.demo.ended
  api.stop()
  place.remove()
})

const stored = (): unknown => {
  const db = new DatabaseSync(place.data, { readOnly: true })
  try {
    return ["chat", "contact", "message", "checkpoint"].map(
      (table) => db.prepare(`SELECT count(*) AS rows FROM botmesh_${table}`).get()?.["rows"]
    )
  } finally {
    db.close()
  }
}

/** An update is answered before it is handled: waits until what came before is, in every chat. */
const quiet = async (chat: number) => {
  await shop.give(says(chat, "pedido 0"))
  await api.until(() => api.textsOf(chat).includes("El pedido 0 va en camino."))
}

it("registers its webhook when it is told the URL", () => {
  expect(api.calls.find(({ method }) => method === "setWebhook")?.params).toMatchObject({
    url: "https://example.com/telegram",
    secret_token: secret
  })
})

it("reads no standard input", async () => {
  shop.demo.say("hola")
  shop.demo.end()
  await quiet(9001)
  expect(shop.demo.lines).toEqual([])
})

it("signs somebody up, buttons included", async () => {
  const chat = 9002
  const step = async (update: unknown, reply: string) => {
    expect(await shop.give(update)).toBe(200)
    await api.until(() => api.textsOf(chat).at(-1) === reply)
  }
  await step(says(chat, "registrar"), "¿Tu nombre?")
  await step(says(chat, "Ana"), "¿Tu edad?")
  await step(says(chat, "12"), "Entre 18 y 99, por favor")
  await step(says(chat, "31"), "¿Plan?")
  const markup = JSON.stringify(api.calls.findLast(({ params }) => params["text"] === "¿Plan?")?.params["reply_markup"])
  expect(markup).toContain("Pro")
  const press = {
    update_id: updates++,
    callback_query: {
      id: String(updates),
      from: { id: chat, is_bot: false, first_name: "Ana", language_code: "es" },
      chat_instance: "1",
      message: { message_id: 100, date: 1760100000, chat: { id: chat, type: "private" }, text: "¿Plan?" },
      data: /"callback_data":"([^"]+)"/u.exec(markup.replaceAll('\\"', '"'))?.[1]
    }
  }
  await step(press, "Listo, Ana: pro")
})

it("answers every payload without a 5xx, and people get their replies", async () => {
  expect(payloads.length).toBeGreaterThan(10)
  for (const { name, update } of payloads) {
    expect({ name, status: await shop.give(update) }).toEqual({ name, status: 200 })
  }
  await quiet(9003)
  const start = payloads.find(({ name }) => name.startsWith("telegram-01"))
  await api.until(() => api.textsOf(start?.update.message.chat.id).some((text) => text.startsWith("👋")))
})

it("refuses or ignores what is not for it, stores nothing of it and goes on", async () => {
  await quiet(9004)
  const before = stored()
  const update = JSON.stringify(says(9005, "hola"))
  expect(await shop.post(update, { "x-telegram-bot-api-secret-token": "otro" })).toBe(401)
  expect(await shop.post(update, { "x-telegram-bot-api-secret-token": "" })).toBe(401)
  expect(await shop.post("{")).toBe(400)
  expect(await shop.post("")).toBe(400)
  expect(await shop.post(JSON.stringify(says(9005, "x".repeat(9 * 1024 * 1024))))).toBe(413)
  for (const strange of [
    null,
    [],
    7,
    {},
    { update_id: 1 },
    { update_id: 2, message: 3 },
    { update_id: 3, nuevo: {} }
  ]) {
    expect(await shop.give(strange)).toBe(200)
  }
  // Half of the body that was promised, then nothing more.
  await new Promise<void>((resolve, reject) => {
    const socket = connect(shop.port, "127.0.0.1", () => {
      const head = ["POST /telegram HTTP/1.1", "host: x", "content-type: application/json"]
      const rest = [`x-telegram-bot-api-secret-token: ${secret}`, `content-length: ${update.length}`]
      socket.write(`${[...head, ...rest].join("\r\n")}\r\n\r\n${update.slice(0, update.length / 2)}`, () => {
        socket.destroy()
        resolve()
      })
    })
    socket.on("error", reject)
  })
  const other = await fetch(`http://127.0.0.1:${shop.port}/`)
  expect(other.status).toBe(404)
  expect(stored()).toEqual(before)
  expect(api.textsOf(9005)).toEqual([])
  await quiet(9006)
})

it("100 chats × 10 updates, each sent twice, chats in parallel: 1,000 replies, in order per chat", async () => {
  const chats = Array.from({ length: 100 }, (_, at) => 10_000 + at)
  const orders = Array.from({ length: 10 }, (_, at) => at)
  const before = api.calls.length
  await Promise.all(
    chats.map(async (chat) => {
      for (const order of orders) {
        const update = says(chat, `pedido ${order}`)
        expect(await shop.give(update)).toBe(200)
        expect(await shop.give(update)).toBe(200)
      }
    })
  )
  const replies = () => api.calls.slice(before).filter(({ method }) => method === "sendMessage").length
  await api.until(() => replies() >= 1000)
  await quiet(9007)
  expect(replies()).toBe(1001)
  const wanted = orders.map((order) => `El pedido ${order} va en camino.`)
  for (const chat of chats) expect(api.textsOf(chat)).toEqual(wanted)
})

it("goes on where it was after a kill, and stops gracefully on SIGTERM and SIGINT", async () => {
  const chat = 9008
  await shop.give(says(chat, "registrar"))
  await api.until(() => api.textsOf(chat).at(-1) === "¿Tu nombre?")
  await shop.give(says(chat, "Eva"))
  await api.until(() => api.textsOf(chat).at(-1) === "¿Tu edad?")
  shop.demo.kill("SIGKILL")
  await shop.demo.ended

  shop = await startShop(place.data, api)
  await shop.give(says(chat, "44"))
  await api.until(() => api.textsOf(chat).at(-1) === "¿Plan?")
  // Told to stop while the payment is under way: it ends first.
  await shop.give(says(chat, "max"))
  shop.demo.kill("SIGTERM")
  expect(await shop.demo.ended).toEqual({ code: 0, signal: null })
  expect(api.textsOf(chat)).toEqual(["¿Tu nombre?", "¿Tu edad?", "¿Plan?", "Listo, Eva: max"])

  shop = await startShop(place.data, api)
  shop.demo.kill("SIGINT")
  expect(await shop.demo.ended).toEqual({ code: 0, signal: null })
})

it("says in words why it cannot serve: one of token and secret missing, a token that is none, a port in use", async () => {
  const both = { TELEGRAM_TOKEN: token, TELEGRAM_SECRET: secret, TELEGRAM_API_URL: api.url }
  const args = ["--data", place.data, "--port", new URL(api.url).port]
  const results = await Promise.all([
    runDemo(args, "hola", { TELEGRAM_TOKEN: token }),
    runDemo(args, "hola", { ...both, TELEGRAM_TOKEN: "no token" }),
    runDemo(args, "hola", both)
  ])
  const says = [/TELEGRAM_SECRET is not set/u, /Invalid config\.telegram\.token/u, /address already in use/u]
  for (const [at, { code, errors, lines }] of results.entries()) {
    expect({ code, lines }).toEqual({ code: 1, lines: [] })
    expect(errors).toMatch(says[at] ?? /^$/u)
    expect(errors).not.toMatch(/^\s+at /mu)
  }
})
