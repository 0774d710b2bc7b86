/**
 * The part of the Bot API's types that is read, tolerant of everything else: fields that are not named here are ignored,
 * so a newer API does not break decoding.
 */
import { Schema } from "effect"

const text = Schema.optionalKey(Schema.String)
const count = Schema.optionalKey(Schema.Number)
const flag = Schema.optionalKey(Schema.Boolean)

export const User = Schema.Struct({
  id: Schema.Int,
  is_bot: flag,
  first_name: text,
  last_name: text,
  username: text,
  language_code: text
})
export type User = typeof User.Type

export const Chat = Schema.Struct({ id: Schema.Int, type: Schema.String, title: text })
export type Chat = typeof Chat.Type

export const Entity = Schema.Struct({
  type: Schema.String,
  offset: Schema.Int,
  length: Schema.Int,
  user: Schema.optionalKey(User)
})
export type Entity = typeof Entity.Type

/** What every kind of file has. */
export const File = Schema.Struct({
  file_id: Schema.String,
  file_size: count,
  file_name: text,
  mime_type: text,
  duration: count,
  width: count,
  height: count
})
export type File = typeof File.Type

const Sticker = Schema.Struct({
  file_id: Schema.String,
  file_size: count,
  emoji: text,
  is_animated: flag,
  is_video: flag
})
const Location = Schema.Struct({ latitude: Schema.Number, longitude: Schema.Number, live_period: count })
const Button = Schema.Struct({ text: Schema.String, callback_data: text })

const chatOf = Schema.optionalKey(Chat)
const Quoted = Schema.Struct({
  message_id: Schema.Int,
  from: Schema.optionalKey(User),
  forum_topic_created: Schema.optionalKey(Schema.Unknown)
})

export const Message = Schema.Struct({
  message_id: Schema.Int,
  message_thread_id: Schema.optionalKey(Schema.Int),
  is_topic_message: flag,
  from: Schema.optionalKey(User),
  sender_chat: chatOf,
  chat: Chat,
  date: Schema.Number,
  edit_date: count,
  media_group_id: text,
  reply_to_message: Schema.optionalKey(Quoted),
  text,
  entities: Schema.optionalKey(Schema.Array(Entity)),
  caption: text,
  caption_entities: Schema.optionalKey(Schema.Array(Entity)),
  photo: Schema.optionalKey(Schema.Array(File)),
  video: Schema.optionalKey(File),
  animation: Schema.optionalKey(File),
  video_note: Schema.optionalKey(File),
  audio: Schema.optionalKey(File),
  voice: Schema.optionalKey(File),
  document: Schema.optionalKey(File),
  sticker: Schema.optionalKey(Sticker),
  location: Schema.optionalKey(Location),
  venue: Schema.optionalKey(Schema.Struct({ location: Location, title: Schema.String, address: text })),
  contact: Schema.optionalKey(
    Schema.Struct({ phone_number: Schema.String, first_name: Schema.String, last_name: text, user_id: count })
  ),
  poll: Schema.optionalKey(Schema.Struct({ id: Schema.String, question: Schema.String }))
})
export type Message = typeof Message.Type

export const CallbackQuery = Schema.Struct({
  id: Schema.String,
  from: User,
  data: text,
  message: Schema.optionalKey(
    Schema.Struct({
      message_id: Schema.Int,
      chat: Chat,
      message_thread_id: Schema.optionalKey(Schema.Int),
      is_topic_message: flag,
      reply_markup: Schema.optionalKey(
        Schema.Struct({ inline_keyboard: Schema.optionalKey(Schema.Array(Schema.Array(Button))) })
      )
    })
  )
})
export type CallbackQuery = typeof CallbackQuery.Type

const Reaction = Schema.Struct({ type: Schema.String, emoji: text, custom_emoji_id: text })
export type Reaction = typeof Reaction.Type

export const MessageReaction = Schema.Struct({
  chat: Chat,
  message_id: Schema.Int,
  user: Schema.optionalKey(User),
  actor_chat: chatOf,
  date: count,
  old_reaction: Schema.Array(Reaction),
  new_reaction: Schema.Array(Reaction)
})
export type MessageReaction = typeof MessageReaction.Type

export const PollAnswer = Schema.Struct({
  poll_id: Schema.String,
  user: Schema.optionalKey(User),
  voter_chat: chatOf,
  option_ids: Schema.Array(Schema.Int)
})
export type PollAnswer = typeof PollAnswer.Type

/** Every kind this provider asks for: the list is sticky on the server, so it is always sent in full. */
export const updateKinds = [
  "message",
  "edited_message",
  "callback_query",
  "my_chat_member",
  "message_reaction",
  "poll_answer"
] as const
export type UpdateKind = (typeof updateKinds)[number]
