/** How a message of the bot looks in a terminal. Pure. */
import { makeMenu, renderMenu } from "../conversation/Menu.ts"
import { type Content, wordsOf } from "../model/Content.ts"
import type { Ref } from "../model/Event.ts"

const numbered = (labels: ReadonlyArray<string>): ReadonlyArray<string> =>
  labels.map((label, at) => `${at + 1}. ${label}`)

const bracketed = (what: string, words: string | undefined): string =>
  words === undefined || words === "" ? `[${what}]` : `[${what}: ${words}]`

const shortest = 40
/** The head of a message, to say which one is meant. */
const headOf = (text: string): string => {
  const [line = ""] = text.split("\n", 1)
  const characters = [...line]
  return characters.length <= shortest ? line : `${characters.slice(0, shortest - 1).join("")}…`
}

/**
 * The lines of a content. @param textOf the text of an earlier message, where it is known
 *
 * Source: B21
 */
export const show = (content: Content, textOf: (ref: Ref) => string | undefined): string => {
  const target = (ref: Ref): string => {
    const text = textOf(ref)
    return text === undefined ? "a message" : `"${headOf(text)}"`
  }
  switch (content._tag) {
    case "text":
      return content.text
    case "choices":
      return renderMenu(content.text, makeMenu(content.options))
    case "poll":
      return [bracketed("poll", content.question), ...numbered(content.options)].join("\n")
    case "media":
      return bracketed(
        content.filename === undefined ? content.kind : `${content.kind} ${content.filename}`,
        content.caption
      )
    case "location": {
      const { latitude, longitude, name } = content.location
      return bracketed("location", `${latitude}, ${longitude}${name === undefined ? "" : ` ${name}`}`)
    }
    case "contact":
      return bracketed("contact", [content.contact.name, ...content.contact.phones].join(" "))
    case "reaction":
      return content.emoji === ""
        ? `[reaction taken back from ${target(content.target)}]`
        : `[reaction ${content.emoji} to ${target(content.target)}]`
    case "edit":
      return bracketed(`edit of ${target(content.target)}`, content.text)
    case "delete":
      return `[deleted ${target(content.target)}]`
  }
}

/** The words of a content, to name it later; a file is named by its kind too. */
export const nameOf = (content: Content): string | undefined =>
  content._tag === "media" ? bracketed(content.kind, content.caption) : wordsOf(content)
