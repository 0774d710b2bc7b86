/** One call, with what Telegram may say to it: moved chat, already so, another method. */
import { Effect, Schema } from "effect"
import { MovedChat, type Ref, type SendReason } from "@botmesh/core/spi"
import { sendReason } from "../Errors.ts"
import type { Api } from "../native/Api.ts"
import type { ApiError } from "../native/ApiError.ts"
import type { Call } from "./Call.ts"
import { chatId } from "./Target.ts"

const Sent = Schema.Struct({
  message_id: Schema.Int,
  chat: Schema.Struct({ id: Schema.Int, type: Schema.optionalKey(Schema.String) }),
  poll: Schema.optionalKey(Schema.Struct({ id: Schema.String }))
})
/** Calls that make no message answer `true`. */
const Result = Schema.Union([Sent, Schema.Boolean])

export interface Performed {
  readonly ref: Ref
  readonly isGroup: boolean
  readonly pollId?: string
}

const performed = (call: Call, chat: string, result: typeof Result.Type): Performed => {
  if (typeof result === "boolean") return { ref: { id: call.target ?? "", chatId: chat }, isGroup: false }
  const pollId = result.poll === undefined ? {} : { pollId: result.poll.id }
  return {
    ref: { id: String(result.message_id), chatId: String(result.chat.id), ...(result.poll && { native: pollId }) },
    isGroup: result.chat.type !== undefined && result.chat.type !== "private",
    ...pollId
  }
}

const says = (error: ApiError, phrase: string | undefined): boolean =>
  phrase !== undefined && error.kind === "refused" && error.description.toLowerCase().includes(phrase)

const once = (api: Api, chat: string, call: Call): Effect.Effect<Performed, ApiError> => {
  const params = { ...call.params, chat_id: chatId(chat) }
  const extra = call.upload === undefined ? {} : { upload: call.upload }
  return api.call(call.method, params, Result, extra).pipe(
    Effect.map((result) => performed(call, chat, result)),
    Effect.catchIf(
      (error) => says(error, call.alreadySo),
      () => Effect.succeed(performed(call, chat, true))
    ),
    Effect.catch((error) =>
      call.otherwise !== undefined && says(error, call.otherwise.on)
        ? once(api, chat, call.otherwise.call)
        : Effect.fail(error)
    )
  )
}

/** A group that became a supergroup has a new id; the call is made once more there. */
export const perform = (api: Api, chat: string, call: Call): Effect.Effect<Performed, SendReason> =>
  Effect.catch(once(api, chat, call), (error) => {
    const to = error.migrateTo
    return to === undefined
      ? Effect.fail(sendReason(error))
      : Effect.mapError(once(api, to, call), () => new MovedChat({ to }))
  })
