/** Who the bot is, as `getMe` says at start: needed to see mentions, replies to the bot and its own messages. */
import { Schema } from "effect"

export const Me = Schema.Struct({ id: Schema.Int, username: Schema.optionalKey(Schema.String) })

export interface Identity {
  readonly id: number
  /** Without "@", lower case. */
  readonly username: string
}

export const identity = (me: typeof Me.Type): Identity => ({ id: me.id, username: (me.username ?? "").toLowerCase() })
