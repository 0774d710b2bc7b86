/** The usual slash commands as a plugin (B20): `/help` lists the commands, `/reset` ends the conversation. */
import { Effect } from "effect"
import * as Bot from "../Bot.ts"
import * as Plugin from "../Plugin.ts"
import type { Chat } from "../../chat/Chat.ts"

export interface SlashCommandsOptions {
  /** What `/help` says before the list. */
  readonly greeting?: string | ((chat: Chat) => string)
  /** Commands listed by `/help`, name and what it does. */
  readonly commands?: Readonly<Record<string, string>>
  /** What `/reset` says. */
  readonly reset?: string | ((chat: Chat) => string)
}

const said = (text: string | ((chat: Chat) => string), chat: Chat): string =>
  typeof text === "function" ? text(chat) : text

/** @param options texts; a function of the chat can speak its language */
export const plugin = (options: SlashCommandsOptions = {}) =>
  Plugin.make(
    "slash-commands",
    Effect.succeed([
      Bot.command("help", (chat) => {
        const lines = Object.entries(options.commands ?? { reset: "⟲" }).map(([name, what]) => `/${name} — ${what}`)
        const greeting = options.greeting === undefined ? [] : [said(options.greeting, chat)]
        return chat.reply([...greeting, ...lines].join("\n"))
      }),
      Bot.command("reset", (chat) =>
        Effect.andThen(chat.abortConversation, chat.reply(said(options.reset ?? ((c) => c.t("core.cancelled")), chat)))
      )
    ])
  )
