/** Slash commands: `/reset`, `/help now`, `/start@shop_bot`. They win over a conversation in progress (A12). */
import type { Chat } from "../chat/Chat.ts"
import type { Bind, UserEffect } from "../model/Erased.ts"
import { normalise } from "./Normalise.ts"

export interface Command {
  readonly name: string
  readonly description: string | undefined
  readonly run: (chat: Chat) => UserEffect
  readonly bind: Bind
}

export interface ParsedCommand {
  readonly name: string
  readonly args: ReadonlyArray<string>
}

/** Reads a command line; `undefined` for any other text. Linear, and one character for most messages. */
export const parseCommand = (body: string): ParsedCommand | undefined => {
  if (body.charCodeAt(0) !== 47) return undefined
  const [head = "", ...args] = body.slice(1).trim().split(/\s+/u)
  const name = normalise(head.split("@")[0] ?? "")
  return name === "" ? undefined : { name, args }
}

export class Commands {
  private readonly byName = new Map<string, Command>()

  /** @returns what takes the command out again, or `undefined` when the name is taken */
  add(command: Command): (() => void) | undefined {
    const name = normalise(command.name)
    if (this.byName.has(name)) return undefined
    this.byName.set(name, command)
    return () => {
      if (this.byName.get(name) === command) this.byName.delete(name)
    }
  }
  get(name: string): Command | undefined {
    return this.byName.get(name)
  }
  list(): ReadonlyArray<Command> {
    return [...this.byName.values()]
  }
}
