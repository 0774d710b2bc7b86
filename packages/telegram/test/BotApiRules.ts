/** What the real Bot API refuses, written down apart from the code under test. */
import type { Fault, Fields, Json } from "./BotApi.ts"

const refuse = (description: string): Fault => ({
  _tag: "answer",
  status: 400,
  body: { ok: false, error_code: 400, description: `Bad Request: ${description}` }
})

const list = (value: Json | undefined): ReadonlyArray<Json> => {
  const read: unknown = typeof value === "string" ? JSON.parse(value) : value
  return Array.isArray(read) ? read : []
}

const field = (value: Json | undefined, name: string): Json | undefined => {
  const read: unknown = typeof value === "string" ? JSON.parse(value) : value
  return typeof read === "object" && read !== null ? Reflect.get(read, name) : undefined
}

const text = (params: Fields): Fault | undefined => {
  const value = params["text"]
  if (typeof value !== "string" || value.trim() === "") return refuse("message text is empty")
  if (!value.isWellFormed()) return refuse("strings must be encoded in UTF-8")
  return value.length > 4096 ? refuse("message is too long") : undefined
}

const buttons = (params: Fields): Fault | undefined => {
  const rows = list(field(params["reply_markup"], "inline_keyboard"))
  const all = rows.flatMap((row) => list(row))
  if (all.length > 100) return refuse("too many buttons")
  const bad = all.some((button) => {
    const bytes = Buffer.byteLength(String(field(button, "callback_data") ?? ""))
    return bytes < 1 || bytes > 64
  })
  return bad ? refuse("BUTTON_DATA_INVALID") : undefined
}

const poll = (params: Fields): Fault | undefined => {
  const options = list(params["options"]).map((option) => String(field(option, "text") ?? ""))
  if (options.length < 2 || options.length > 12) return refuse("poll must have 2 to 12 options")
  if (options.some((option) => option.length < 1 || option.length > 100)) return refuse("poll options length")
  return String(params["question"] ?? "").length > 300 ? refuse("poll question length must not exceed 300") : undefined
}

export const refusalOf = (method: string, params: Fields): Fault | undefined => {
  const caption = params["caption"]
  if (typeof caption === "string" && caption.length > 1024) return refuse("message caption is too long")
  switch (method) {
    case "sendMessage":
      return text(params) ?? buttons(params)
    case "editMessageText":
      return text(params)
    case "sendPoll":
      return poll(params)
    default:
      return undefined
  }
}
