/** A Bot API on this machine, as far as the shop needs one: takes every call over real HTTP and remembers it. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

export interface Call {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

const paramsOf = async (request: IncomingMessage): Promise<Call["params"]> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const text = Buffer.concat(chunks).toString("utf8")
  return text === "" ? {} : JSON.parse(text)
}

export const startBotApi = async () => {
  const calls: Array<Call> = []
  const watchers = new Set<() => void>()
  let nextId = 100
  const resultOf = ({ method, params }: Call): unknown => {
    if (method === "getMe") return { id: 600000001, is_bot: true, first_name: "Tienda", username: "tienda_demo_bot" }
    if (!method.startsWith("send")) return true
    return { message_id: nextId++, date: 1760100000, chat: { id: Number(params["chat_id"]), type: "private" } }
  }
  const server = createServer((request, response) => {
    paramsOf(request).then(
      (params) => {
        const call = { method: request.url?.split("/").at(-1) ?? "", params }
        calls.push(call)
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({ ok: true, result: resultOf(call) }))
        for (const look of [...watchers]) look()
      },
      () => response.destroy()
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const textsOf = (chat: number): ReadonlyArray<string> =>
    calls
      .filter(({ method, params }) => method === "sendMessage" && String(params["chat_id"]) === String(chat))
      .map(({ params }) => String(params["text"]))
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    textsOf,
    until: (wanted: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!wanted()) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
export type BotApi = Awaited<ReturnType<typeof startBotApi>>
