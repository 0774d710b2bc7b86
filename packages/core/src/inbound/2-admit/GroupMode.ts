/** What the bot hears in groups (A7). */
import type { MessageEvent } from "../../model/Event.ts"

export type GroupMode = "all" | "mention" | "command" | "none"

export const hears = (mode: GroupMode, event: MessageEvent): boolean => {
  if (!event.isGroup || mode === "all") return true
  if (mode === "none") return false
  if (event._tag === "interaction") return true
  return mode === "command" ? event.body.startsWith("/") : event.mentionsBot === true || event.quoted?.fromMe === true
}
