/** Files: by URL (Telegram fetches it), by bytes (uploaded), or by the handle of a file Telegram has. */
import { InvalidContent, type MediaContent, type MediaSource, type Outgoing } from "@botmesh/core/spi"
import { Result } from "effect"
import { limits } from "../Limits.ts"
import type { Params, Upload } from "../native/Api.ts"
import type { Call, Plan } from "./Call.ts"
import { quote, target } from "./Target.ts"
import { caption, inOrder, texts } from "./Text.ts"

interface Form {
  readonly method: string
  readonly field: string
  readonly filename: string
}

const forms = {
  image: { method: "sendPhoto", field: "photo", filename: "photo.jpg" },
  video: { method: "sendVideo", field: "video", filename: "video.mp4" },
  gif: { method: "sendAnimation", field: "animation", filename: "animation.mp4" },
  audio: { method: "sendAudio", field: "audio", filename: "audio.mp3" },
  voice: { method: "sendVoice", field: "voice", filename: "voice.ogg" },
  document: { method: "sendDocument", field: "document", filename: "file" },
  sticker: { method: "sendSticker", field: "sticker", filename: "sticker.webp" }
} as const

const formOf = (content: MediaContent): Form =>
  content.kind === "audio" && content.voice === true ? forms.voice : forms[content.kind]

const invalid = (detail: string) => Result.fail(new InvalidContent({ detail }))

type Source = { readonly params: Params } | { readonly params: Params; readonly upload: Upload }

const bytes = (content: MediaContent, form: Form, data: Uint8Array): Result.Result<Source, InvalidContent> => {
  const limit = content.kind === "image" ? limits.uploadPhoto : limits.upload
  if (data.byteLength === 0) return invalid("the file is empty")
  if (data.byteLength > limit) return invalid(`the file has ${data.byteLength} bytes, at most ${limit} can be sent`)
  const mimetype = content.mimetype === undefined ? {} : { mimetype: content.mimetype }
  const upload: Upload = { field: form.field, bytes: data, filename: content.filename ?? form.filename, ...mimetype }
  return Result.succeed({ params: {}, upload })
}

/**
 * A Bot API server of one's own reads `file://` paths from its disk: only web addresses and handles pass, never a text that
 * could be read as a path.
 */
const source = (content: MediaContent, form: Form, from: MediaSource): Result.Result<Source, InvalidContent> => {
  switch (from._tag) {
    case "url": {
      const url = URL.canParse(from.url) ? new URL(from.url) : undefined
      return url?.protocol === "https:" || url?.protocol === "http:"
        ? Result.succeed({ params: { [form.field]: url.href } })
        : invalid("the media URL is not a web address")
    }
    case "native":
      return typeof from.native === "string" && /^[A-Za-z0-9_-]+$/u.test(from.native)
        ? Result.succeed({ params: { [form.field]: from.native } })
        : invalid("not a file handle of Telegram")
    case "bytes":
      return bytes(content, form, from.bytes)
  }
}

export const media = (message: Outgoing, content: MediaContent): Result.Result<Plan, InvalidContent> =>
  Result.gen(function* () {
    const form = formOf(content)
    const first = yield* quote(message)
    const from = yield* source(content, form, content.source)
    // A sticker shows no caption: all of it follows.
    const split =
      content.kind === "sticker" ? { caption: "", rest: content.caption ?? "" } : caption(content.caption ?? "")
    const shown: Params = split.caption.trim() === "" ? {} : { caption: split.caption }
    const call: Call = {
      method: form.method,
      ...from,
      params: { ...target(message), ...from.params, ...shown, ...first }
    }
    return yield* inOrder([call, ...texts(message, split.rest, {})])
  })
