/** What goes out → the calls it takes. Pure: whatever cannot be sent is refused here, before any call. */
import type { InvalidContent, Outgoing } from "@botmesh/core/spi"
import type { Result } from "effect"
import type { Plan } from "./Call.ts"
import { edit, reaction, remove } from "./Changes.ts"
import { choices } from "./Choices.ts"
import { media } from "./Media.ts"
import { text } from "./Text.ts"
import { contact, location, poll } from "./Things.ts"

export const plan = (message: Outgoing): Result.Result<Plan, InvalidContent> => {
  const { content } = message
  switch (content._tag) {
    case "text":
      return text(message, content.text)
    case "choices":
      return choices(message, content)
    case "media":
      return media(message, content)
    case "poll":
      return poll(message, content)
    case "location":
      return location(message, content)
    case "contact":
      return contact(message, content)
    case "reaction":
      return reaction(message, content)
    case "edit":
      return edit(message, content)
    case "delete":
      return remove(message, content)
  }
}
