import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { read, updateId } from "../src/1-receive/Receive.ts"
import { expected, payloads } from "./Fixtures.ts"

const bot = { id: 600000001, username: "tienda_demo_bot" }
const ana = { id: 700100200, is_bot: false, first_name: "Ana", last_name: "Ruiz", language_code: "es" }
const dm = { id: 700100200, type: "private", first_name: "Ana" }
const club = { id: -1002003004005, type: "supergroup", title: "Club" }

const message = (fields: object) => ({
  update_id: 1,
  message: { message_id: 7, from: ana, chat: dm, date: 1760100000, ...fields }
})

const event = (update: unknown) => {
  const reading = read(update, bot)
  if (reading._tag !== "event") throw new Error(`not an event: ${JSON.stringify(reading)}`)
  return reading.event
}

describe("payloads", () => {
  for (const payload of payloads) {
    it(`${payload.id} reads as expected: ${payload.name}`, () => {
      const reading = read(payload.update, bot)
      const want = expected(payload)
      if (want === undefined) expect(reading._tag).toBe("ignored")
      // A vote's chat is looked up in the bot's state: the webhook tests show the event.
      else if (reading._tag === "vote") expect({ ...reading, _tag: "pollVote" }).toMatchObject(want)
      else expect(reading).toMatchObject({ _tag: "event", event: want })
    })
  }
  it("finds every payload", () => expect(payloads.length).toBe(14))
})

describe("who and where", () => {
  it("keeps the sender's name, language and the time", () => {
    expect(event(message({ text: "hola" }))).toMatchObject({
      senderName: "Ana Ruiz",
      lang: "es",
      sentAt: 1760100000000
    })
  })

  it("TG-05: anonymous admins of two groups are two senders", () => {
    const shared = { id: 1087968824, is_bot: true, first_name: "Group", username: "GroupAnonymousBot" }
    const [one, two] = [-1001, -1002].map((id) => {
      const chat = { id, type: "supergroup", title: `g${id}` }
      return event(message({ from: shared, chat, sender_chat: chat, text: "aviso" }))
    })
    expect(one).toMatchObject({ from: "-1001", sender: "-1001", senderName: "g-1001" })
    expect(two).toMatchObject({ from: "-1002", sender: "-1002" })
  })

  it("takes the topic of a forum, and not the thread of a chain of replies", () => {
    const forum = { chat: club, text: "hola", message_thread_id: 12 }
    expect(event(message({ ...forum, is_topic_message: true }))).toMatchObject({ topic: "12", isGroup: true })
    expect(event(message(forum))).not.toHaveProperty("topic")
  })

  it("does not take the start of a topic for a quote", () => {
    const start = { message_id: 12, chat: club, date: 1, forum_topic_created: { name: "x" } }
    const reply = { chat: club, text: "hola", message_thread_id: 12, is_topic_message: true, reply_to_message: start }
    expect(event(message(reply))).not.toHaveProperty("quoted")
  })

  it("says that a quoted message is the bot's", () => {
    const reply_to_message = { message_id: 3, from: { ...bot, is_bot: true }, chat: dm, date: 1 }
    expect(event(message({ text: "sí", reply_to_message }))).toMatchObject({ quoted: { id: "3", fromMe: true } })
  })

  it("marks the bot's own messages", () => {
    expect(event(message({ text: "yo", from: { ...bot, is_bot: true } }))).toMatchObject({ fromMe: true })
  })
})

describe("mentions", () => {
  const group = (text: string, entities: ReadonlyArray<object>) => event(message({ chat: club, text, entities }))

  it("counts offsets in UTF-16 units, and letters of any case", () => {
    const said = group("👩‍🚀 @Tienda_Demo_Bot hola", [{ type: "mention", offset: 6, length: 16 }])
    expect(said).toMatchObject({ mentionsBot: true, body: "👩‍🚀 @Tienda_Demo_Bot hola" })
  })

  it("knows a mention by id, in a caption too", () => {
    const entity = { type: "text_mention", offset: 0, length: 6, user: { ...bot, is_bot: true } }
    expect(group("Tienda hola", [entity])).toMatchObject({ mentionsBot: true })
    const document = { file_id: "f" }
    const captioned = message({ chat: club, document, caption: "Tienda mira", caption_entities: [entity] })
    expect(event(captioned)).toMatchObject({ mentionsBot: true, type: "document" })
  })

  it("takes the bot's name off its commands only", () => {
    const mine = group("/help@tienda_demo_bot ya", [{ type: "bot_command", offset: 0, length: 21 }])
    expect(mine).toMatchObject({ body: "/help ya", mentionsBot: true })
    const other = group("/help@otro_bot ya", [{ type: "bot_command", offset: 0, length: 14 }])
    expect(other).toMatchObject({ body: "/help@otro_bot ya" })
    expect(other).not.toHaveProperty("mentionsBot")
  })
})

describe("contents", () => {
  const file = { file_id: "F", file_size: 9, mime_type: "video/mp4", file_name: "a.mp4", duration: 3 }
  const seen = { native: "F", bytes: 9, mimetype: "video/mp4", filename: "a.mp4", seconds: 3 }
  it.each([
    ["animation", { animation: file, document: file, caption: "c" }, { type: "gif", body: "c", media: seen }],
    ["video", { video: file }, { type: "video", media: seen }],
    [
      "video note",
      { video_note: { file_id: "F", duration: 3 } },
      { type: "video", media: { native: "F", seconds: 3 } }
    ],
    ["audio", { audio: file }, { type: "audio", media: seen }],
    ["document", { document: file }, { type: "document", media: seen }],
    ["poll", { poll: { id: "1", question: "¿Cuándo?" } }, { type: "poll", body: "¿Cuándo?" }],
    ["dice", { dice: { emoji: "🎲", value: 4 } }, { type: "unknown", body: "" }],
    ["live location", { location: { latitude: 1, longitude: 2, live_period: 60 } }, { location: { live: true } }]
  ])("%s", (_, fields, want) => expect(event(message(fields))).toMatchObject(want))

  it.each([
    ["somebody joined", { new_chat_members: [ana] }],
    ["the group was upgraded", { migrate_to_chat_id: -100123 }],
    ["a message was pinned", { pinned_message: { message_id: 1 } }]
  ])("nobody wrote it: %s", (_, fields) => {
    expect(read(message(fields), bot)).toEqual({ _tag: "ignored", kind: "message", reason: "service" })
  })
})

describe("signals", () => {
  const change = (
    old_reaction: ReadonlyArray<object>,
    new_reaction: ReadonlyArray<object>,
    who: object = { user: ana }
  ) =>
    event({
      update_id: 1,
      message_reaction: { chat: club, message_id: 3, date: 5, old_reaction, new_reaction, ...who }
    })
  const thumb = { type: "emoji", emoji: "👍" }
  const heart = { type: "emoji", emoji: "❤" }

  it("gives the new reaction, and nothing when one was taken back", () => {
    expect(change([thumb], [thumb, heart])).toMatchObject({ emoji: "❤", sender: "700100200", sentAt: 5000 })
    expect(change([thumb], [])).toMatchObject({ emoji: "" })
    expect(change([], [{ type: "custom_emoji", custom_emoji_id: "55" }])).toMatchObject({ emoji: "custom:55" })
  })

  it("names the chat an anonymous reaction comes from", () => {
    expect(change([], [thumb], { actor_chat: club })).toMatchObject({ sender: String(club.id) })
  })

  it("ignores a button without a chat, and keeps its id for the answer", () => {
    const query = { id: "77", from: ana, inline_message_id: "x", data: "a", chat_instance: "1" }
    expect(read({ update_id: 1, callback_query: query }, bot)).toMatchObject({ _tag: "ignored", callbackId: "77" })
  })

  it("gives the key where the message of a button is gone", () => {
    const query = { id: "77", from: ana, data: "plan:pro", message: { message_id: 4, date: 0, chat: dm } }
    expect(event({ update_id: 1, callback_query: query })).toMatchObject({ payload: "plan:pro", body: "plan:pro" })
  })
})

describe("whatever comes", () => {
  it.each([
    [undefined, "malformed"],
    [null, "malformed"],
    [[], "malformed"],
    ["hola", "malformed"],
    [{}, "malformed"],
    [{ update_id: "x" }, "malformed"],
    [{ update_id: 1 }, "ignored"],
    [{ update_id: 1, foo_event: {} }, "ignored"],
    [{ update_id: 1, chat_boost: { boost: {} } }, "ignored"],
    [{ update_id: 1, channel_post: { message_id: 1 } }, "ignored"],
    [{ update_id: 1, message: null }, "malformed"],
    [{ update_id: 1, message: { message_id: "7" } }, "malformed"],
    [{ update_id: 1, edited_message: [] }, "malformed"],
    [{ update_id: 1, callback_query: { id: 5 } }, "malformed"],
    [{ update_id: 1, message_reaction: { chat: dm } }, "malformed"],
    [{ update_id: 1, poll_answer: "x" }, "malformed"],
    [message({ text: 5 }), "malformed"],
    [message({ chat: { id: 1.5, type: "private" } }), "malformed"]
  ])("%j is %s", (update, want) => expect(read(update, bot)._tag).toBe(want))

  it("names the field of a malformed update, not what somebody wrote", () => {
    const reading = read(message({ text: "secreto", chat: "nowhere" }), bot)
    expect(reading).toMatchObject({ _tag: "malformed", kind: "message", detail: "unreadable: message.chat" })
  })

  it.prop("never throws, whatever JSON stands where an update or one of its fields should", [Schema.Json], ([json]) => {
    read(json, bot)
    updateId(json)
    for (const kind of ["message", "edited_message", "callback_query", "message_reaction", "poll_answer"]) {
      read({ update_id: 1, [kind]: json }, bot)
    }
    for (const field of ["text", "photo", "entities", "chat", "reply_to_message", "sticker", "venue"]) {
      const { _tag } = read(message({ [field]: json }), bot)
      expect(["event", "ignored", "malformed"]).toContain(_tag)
    }
  })
})
