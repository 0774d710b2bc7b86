/** Whether a group message names the bot, and the command text without the bot's name. */
import type { Identity } from "../Identity.ts"
import type { Entity } from "../native/Update.ts"

/** Offsets count UTF-16 code units, as JavaScript strings do. */
const slice = (text: string, entity: Entity): string => text.slice(entity.offset, entity.offset + entity.length)

const addressed = (text: string, entity: Entity, bot: Identity): boolean => {
  switch (entity.type) {
    case "mention":
      return bot.username !== "" && slice(text, entity).toLowerCase() === `@${bot.username}`
    case "bot_command":
      return bot.username !== "" && slice(text, entity).toLowerCase().endsWith(`@${bot.username}`)
    case "text_mention":
      return entity.user?.id === bot.id
    default:
      return false
  }
}

export const mentions = (text: string, entities: ReadonlyArray<Entity> | undefined, bot: Identity): boolean =>
  entities?.some((entity) => addressed(text, entity, bot)) ?? false

/** "/help@my_bot now" → "/help now"; a command for another bot stays whole, so that it matches none of ours. */
export const withoutBotName = (text: string, entities: ReadonlyArray<Entity> | undefined, bot: Identity): string => {
  const command = entities?.find((entity) => entity.type === "bot_command" && entity.offset === 0)
  if (command === undefined || !addressed(text, command, bot)) return text
  return text.slice(0, command.length - bot.username.length - 1) + text.slice(command.length)
}
