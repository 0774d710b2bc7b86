/** What a line typed into the simulator means: its own commands, and everything else, which is for the bot. Pure. */
import type { MediaKind } from "../model/Event.ts"

export type Input =
  | { readonly _tag: "say"; readonly body: string }
  | { readonly _tag: "nothing" }
  | { readonly _tag: "help" }
  | { readonly _tag: "state" }
  | { readonly _tag: "group" }
  | { readonly _tag: "quit" }
  | { readonly _tag: "as"; readonly name: string }
  | { readonly _tag: "media"; readonly kind: MediaKind; readonly caption: string }
  | { readonly _tag: "react"; readonly emoji: string }
  | { readonly _tag: "wrong"; readonly usage: string }

const kinds: ReadonlyArray<MediaKind> = ["image", "video", "gif", "audio", "document", "sticker"]
const isKind = (word: string): word is MediaKind => kinds.some((kind) => kind === word)

/** Name, what follows it, and what it does. */
export const commands: ReadonlyArray<readonly [name: string, rest: string, does: string]> = [
  ["/sim", "", "this list"],
  ["/state", "", "the conversations and the profile of the person you are"],
  ["/as", "NAME", "be somebody else"],
  ["/group", "", "go into a group chat, or back out of it"],
  ["/send", "KIND [CAPTION]", `send a file: ${kinds.join(", ")}`],
  ["/react", "EMOJI", "react to the bot's last message"],
  ["/quit", "", "leave"],
  ["//word", "", "say /word to a bot that has a command of one of these names"]
]

export const help: string = [
  "Whatever you write goes to the bot. Answer buttons by their number. The simulator itself knows:",
  ...commands.map(([name, rest, does]) => `  ${`${name} ${rest}`.padEnd(23)}${does}`)
].join("\n")

const longestName = 64

/** @param line as typed, without its end */
export const readInput = (line: string): Input => {
  const body = line.trim()
  if (body === "") return { _tag: "nothing" }
  if (body.startsWith("//")) return { _tag: "say", body: body.slice(1) }
  const [, command = "", rest = ""] = /^(\/\w+)(?:\s+(.*))?$/su.exec(body) ?? []
  switch (command) {
    case "/sim":
      return { _tag: "help" }
    case "/state":
      return { _tag: "state" }
    case "/group":
      return { _tag: "group" }
    case "/quit":
      return { _tag: "quit" }
    case "/as":
      return rest === "" || rest.length > longestName
        ? { _tag: "wrong", usage: `/as NAME, a name of at most ${longestName} characters` }
        : { _tag: "as", name: rest }
    case "/react":
      return rest === "" ? { _tag: "wrong", usage: "/react EMOJI" } : { _tag: "react", emoji: rest }
    case "/send": {
      const [, kind = "", caption = ""] = /^(\S+)(?:\s+(.*))?$/su.exec(rest) ?? []
      return isKind(kind)
        ? { _tag: "media", kind, caption }
        : { _tag: "wrong", usage: `/send KIND [CAPTION], the kind one of ${kinds.join(", ")}` }
    }
    default:
      return { _tag: "say", body }
  }
}
