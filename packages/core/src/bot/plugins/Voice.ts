/** The voice hook point (B20): a voice note becomes text before anything else looks at the message. */
import { Effect } from "effect"
import * as Bot from "../Bot.ts"
import * as Plugin from "../Plugin.ts"
import type { Chat } from "../../chat/Chat.ts"
import type { InboundMedia } from "../../model/Event.ts"

/**
 * @param transcribe turns a voice note into text; what it fails with is reported, and the message stops there
 * @param options `everyAudio` takes audio files too, not only voice notes
 */
export const plugin = <E, R>(
  transcribe: (media: InboundMedia, chat: Chat) => Effect.Effect<string, E, R>,
  options: { readonly everyAudio?: boolean } = {}
) =>
  Plugin.make(
    "voice",
    Effect.succeed([
      Bot.before("message", (chat) => {
        const { media } = chat
        if (media?.kind !== "audio" || (media.voice !== true && options.everyAudio !== true))
          return Effect.succeed(chat)
        return Effect.map(transcribe(media, chat), (body) => chat.with({ body, type: "text" }))
      })
    ])
  )
