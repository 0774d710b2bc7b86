/** What compose.yaml runs twice: two processes on one Redis, each message to the one after the last; one is killed. */
import { freePort, redis, whyNoRedis } from "@botmesh/test-services"
import { Effect, Exit, Scope } from "effect"
import { expect, it } from "vitest"
import { startBotApi } from "./BotApi.ts"
import { startDemo, temporary } from "./Demo.ts"

const why = await Effect.runPromise(whyNoRedis)
const secret = "un-secreto_de-prueba"
const chat = 9100
const says = (nth: number, text: string) => ({
  update_id: 490_000_000 + nth,
  message: {
    message_id: nth,
    date: 1760100000,
    chat: { id: chat, type: "private", first_name: "Ana" },
    from: { id: chat, is_bot: false, first_name: "Ana", language_code: "es" },
    text
  }
})

it.skipIf(why !== undefined)(
  `two replicas of the shop answer one sign-up, and one goes on after the other is killed${why === undefined ? "" : ` (${why})`}`,
  { timeout: 300_000 },
  async () => {
    const scope = await Effect.runPromise(Scope.make())
    const place = temporary()
    const api = await startBotApi()
    const server = await Effect.runPromise(Scope.provide(redis({ durable: true }), scope))
    const start = async () => {
      const port = await Effect.runPromise(freePort)
      const env = {
        REDIS_URL: server.url,
        TELEGRAM_TOKEN: "600000001:AAfake-token_of_the-double",
        TELEGRAM_SECRET: secret,
        TELEGRAM_API_URL: api.url,
        PORT: String(port)
      }
      const demo = startDemo([], { program: "replica", env, cwd: place.path })
      await demo.logs(/Listening on http/u)
      return { demo, port }
    }
    const replicas = await Promise.all([start(), start()])
    try {
      let nth = 0
      const step = async (which: number, text: string, reply: string) => {
        const { port } = replicas[which] ?? { port: 0 }
        const response = await fetch(`http://127.0.0.1:${port}/telegram`, {
          method: "POST",
          body: JSON.stringify(says(++nth, text)),
          headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret }
        })
        expect(response.status).toBe(200)
        await api.until(() => api.textsOf(chat).at(-1) === reply)
      }
      await step(0, "registrar", "¿Tu nombre?")
      await step(1, "Ana", "¿Tu edad?")
      await step(0, "12", "Entre 18 y 99, por favor")
      replicas[0]?.demo.kill("SIGKILL")
      await step(1, "31", "¿Plan?")
      await step(1, "pro", "Listo, Ana: pro")
    } finally {
      for (const { demo } of replicas) demo.kill("SIGKILL")
      await Promise.all(replicas.map(({ demo }) => demo.ended))
      await Effect.runPromise(Scope.close(scope, Exit.void))
      api.stop()
      place.remove()
    }
  }
)
