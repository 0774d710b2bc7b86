/** What a message holds: its type, its body and the file, place or person it carries. */
import type { ContactCard, GeoLocation, InboundMedia, MediaKind, MessageType } from "@botmesh/core/spi"
import type { File, Message } from "../native/Update.ts"

export interface Body {
  readonly type: MessageType
  readonly body: string
  readonly media?: InboundMedia
  readonly location?: GeoLocation
  readonly contact?: ContactCard
}

const media = (kind: MediaKind, file: File, extra?: Partial<InboundMedia>): InboundMedia => ({
  kind,
  native: file.file_id,
  ...(file.mime_type === undefined ? {} : { mimetype: file.mime_type }),
  ...(file.file_name === undefined ? {} : { filename: file.file_name }),
  ...(file.file_size === undefined ? {} : { bytes: file.file_size }),
  ...(file.duration === undefined ? {} : { seconds: file.duration }),
  ...extra
})

const withCaption = (message: Message, file: InboundMedia): Body => ({
  type: file.kind,
  body: message.caption ?? "",
  media: file
})

const area = (file: File): number => (file.width ?? 0) * (file.height ?? 0)

/** The sizes of one photo; the largest is the photo. */
const largest = (sizes: ReadonlyArray<File>): File | undefined =>
  sizes.reduce<File | undefined>(
    (best, size) => (best === undefined || area(size) > area(best) ? size : best),
    undefined
  )

const photo = (message: Message): Body | undefined => {
  const size = message.photo === undefined ? undefined : largest(message.photo)
  return size === undefined ? undefined : withCaption(message, media("image", size, { mimetype: "image/jpeg" }))
}

const sticker = (message: Message): Body | undefined => {
  const it = message.sticker
  if (it === undefined) return undefined
  const mimetype = it.is_video ? "video/webm" : it.is_animated ? "application/x-tgsticker" : "image/webp"
  const animated = it.is_animated === true || it.is_video === true
  return { type: "sticker", body: it.emoji ?? "", media: media("sticker", it, { mimetype, animated }) }
}

const location = (message: Message): Body | undefined => {
  const point = message.venue?.location ?? message.location
  if (point === undefined) return undefined
  const found: GeoLocation = {
    latitude: point.latitude,
    longitude: point.longitude,
    ...(message.venue === undefined ? {} : { name: message.venue.title }),
    ...(message.venue?.address === undefined ? {} : { address: message.venue.address }),
    ...(point.live_period === undefined ? {} : { live: true })
  }
  return { type: "location", body: "", location: found }
}

const contact = (message: Message): Body | undefined => {
  const it = message.contact
  if (it === undefined) return undefined
  const name = [it.first_name, it.last_name].filter((part) => part !== undefined && part !== "").join(" ")
  const userId = it.user_id === undefined ? {} : { userId: String(it.user_id) }
  return { type: "contact", body: name, contact: { name, phones: [it.phone_number], ...userId } }
}

/** Things people send that have no shape of their own here: a typed "unknown", so that a catch-all can answer. */
const others = ["dice", "game", "story", "invoice", "giveaway", "checklist", "paid_media"] as const

/** @returns undefined for a service message: nobody said anything. Animations also come as a document: they go first. */
export const body = (message: Message, raw: object): Body | undefined => {
  if (message.text !== undefined) return { type: "text", body: message.text }
  if (message.animation !== undefined) return withCaption(message, media("gif", message.animation))
  if (message.video !== undefined) return withCaption(message, media("video", message.video))
  if (message.video_note !== undefined) return withCaption(message, media("video", message.video_note))
  if (message.voice !== undefined) return withCaption(message, media("audio", message.voice, { voice: true }))
  if (message.audio !== undefined) return withCaption(message, media("audio", message.audio))
  if (message.document !== undefined) return withCaption(message, media("document", message.document))
  const found = photo(message) ?? sticker(message) ?? location(message) ?? contact(message)
  if (found !== undefined) return found
  if (message.poll !== undefined) return { type: "poll", body: message.poll.question }
  return others.some((kind) => kind in raw) ? { type: "unknown", body: message.caption ?? "" } : undefined
}
