/** Polls, places and contacts. */
import {
  type ContactContent,
  InvalidContent,
  type LocationContent,
  type Outgoing,
  type PollContent
} from "@botmesh/core/spi"
import { Result } from "effect"
import { limits } from "../Limits.ts"
import type { Plan } from "./Call.ts"
import { distinct } from "./Labels.ts"
import { quote, target } from "./Target.ts"
import { inOrder } from "./Text.ts"

const invalid = (detail: string) => Result.fail(new InvalidContent({ detail }))

/** Votes of an anonymous poll are not told to the bot: polls are open ones. */
export const poll = (message: Outgoing, content: PollContent): Result.Result<Plan, InvalidContent> => {
  const { min, max } = limits.pollOptions
  const count = content.options.length
  if (count < min || count > max) return invalid(`${count} poll options, ${min} to ${max} are possible`)
  if (content.question.length > limits.pollQuestion) {
    return invalid(`a poll question of ${content.question.length} characters, at most ${limits.pollQuestion} fit`)
  }
  return Result.flatMap(quote(message), (first) =>
    inOrder([
      {
        method: "sendPoll",
        params: {
          ...target(message),
          question: content.question,
          options: distinct(content.options, limits.pollOption).map((text) => ({ text })),
          is_anonymous: false,
          allows_multiple_answers: content.multiple === true,
          ...first
        }
      }
    ])
  )
}

export const location = (message: Outgoing, content: LocationContent): Result.Result<Plan, InvalidContent> => {
  const { latitude, longitude, name, address } = content.location
  const title = name ?? address
  return Result.flatMap(quote(message), (first) => {
    const point = { ...target(message), latitude, longitude, ...first }
    return inOrder([
      title === undefined
        ? { method: "sendLocation", params: point }
        : { method: "sendVenue", params: { ...point, title, address: address ?? title } }
    ])
  })
}

const escaped = (value: string): string => value.replace(/[\\,;]/gu, "\\$&").replace(/\r?\n/gu, "\\n")

/** Further numbers of a person travel in the card: the call itself takes one. */
const card = (name: string, phones: ReadonlyArray<string>): string =>
  [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `FN:${escaped(name)}`,
    ...phones.map((phone) => `TEL:${escaped(phone)}`),
    "END:VCARD"
  ].join("\r\n")

export const contact = (message: Outgoing, content: ContactContent): Result.Result<Plan, InvalidContent> => {
  const { name, phones } = content.contact
  const [phone, ...more] = phones
  if (phone === undefined) return invalid("a contact without a telephone number")
  const vcard = more.length === 0 ? {} : { vcard: card(name, phones) }
  return Result.flatMap(quote(message), (first) =>
    inOrder([
      {
        method: "sendContact",
        params: { ...target(message), phone_number: phone, first_name: name, ...vcard, ...first }
      }
    ])
  )
}
