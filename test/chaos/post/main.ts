/**
 * The transport and its customers as a process: nothing that is killed, frozen or cut can touch what it logs. Its argument
 * is PostSettings as JSON. Over IPC it tells its port, takes `start`, `stop` (nobody writes any more) and `end`.
 */
import { createWriteStream } from "node:fs"
import { Crowd } from "./Crowd.ts"
import type { Customer } from "./Customer.ts"
import { Diligent } from "./Diligent.ts"
import { Impatient } from "./Impatient.ts"
import { Post } from "./Post.ts"
import { Silent } from "./Silent.ts"
import { seeded } from "../Chance.ts"

export interface PostSettings {
  readonly log: string
  readonly chats: number
  readonly rate: number
  readonly seed: number
  readonly again: number | undefined
}
export type PostCommand = "start" | "stop" | "end"
export type PostReport =
  | { readonly t: "listens"; readonly port: number }
  | { readonly t: "up"; readonly pid: number }
  | { readonly t: "down"; readonly pid: number }
  | { readonly t: "ended" }

const settings: PostSettings = JSON.parse(process.argv[2] ?? "{}")
const random = seeded(settings.seed)
const file = createWriteStream(settings.log)
const tell = (report: PostReport): void => {
  process.send?.(report)
}

const customerOf = (nth: number): Customer => {
  const chat = `chat${nth}`
  const kind = nth % 10
  if (kind < 6) return new Impatient(chat, random)
  if (kind < 8) return new Diligent(chat, "form")
  return kind < 9 ? new Diligent(chat, "survey") : new Silent(chat)
}

const post = new Post({
  log: (entry) => {
    file.write(`${JSON.stringify(entry)}\n`)
    if (entry.e === "up" || entry.e === "down") tell({ t: entry.e, pid: entry.pid })
  },
  onSaid: (chat, text) => crowd.heard(chat, text),
  onTicket: (chat, n) => crowd.placed(chat, n),
  ...(settings.again === undefined ? {} : { again: settings.again })
})
const crowd = new Crowd(
  post,
  Array.from({ length: settings.chats }, (_, nth) => customerOf(nth)),
  settings.rate
)

process.on("message", (command: PostCommand) => {
  if (command === "start") crowd.start()
  if (command === "stop") crowd.stop()
  if (command === "end") {
    crowd.stop()
    post.close()
    file.end(() => {
      tell({ t: "ended" })
      process.disconnect()
    })
  }
})
// Whoever started it is gone: nobody will read the log.
process.on("disconnect", () => process.exit(0))
tell({ t: "listens", port: await post.listen() })
