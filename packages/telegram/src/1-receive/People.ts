/** Who and where: the fields every event shares. */
import type { Chat, User } from "../native/Update.ts"

export const isGroup = (chat: Chat): boolean => chat.type !== "private"

const named = (user: User): string | undefined => {
  const name = [user.first_name, user.last_name].filter((part) => part !== undefined && part !== "").join(" ")
  return name === "" ? user.username : name
}

/**
 * The sender is the chat a person speaks as, when there is one: anonymous admins and linked channels all share one
 * service user id, and keyed by it their profiles and conversations would mix.
 */
export const sender = (
  chat: Chat,
  user: User | undefined,
  speaksAs: Chat | undefined
): { readonly sender: string; readonly senderName?: string; readonly lang?: string } => {
  if (speaksAs !== undefined) {
    return { sender: String(speaksAs.id), ...(speaksAs.title === undefined ? {} : { senderName: speaksAs.title }) }
  }
  const name = user === undefined ? undefined : named(user)
  return {
    // In a private chat both are one by contract.
    sender: String(isGroup(chat) ? (user?.id ?? chat.id) : chat.id),
    ...(name === undefined ? {} : { senderName: name }),
    ...(user?.language_code === undefined ? {} : { lang: user.language_code })
  }
}

export const place = (
  chat: Chat,
  thread?: { readonly message_thread_id?: number; readonly is_topic_message?: boolean }
): { readonly from: string; readonly isGroup: boolean; readonly chatName?: string; readonly topic?: string } => ({
  from: String(chat.id),
  isGroup: isGroup(chat),
  ...(chat.title === undefined ? {} : { chatName: chat.title }),
  // Outside forums a thread id only marks a chain of replies; a reply is not bound to it.
  ...(thread?.is_topic_message === true && thread.message_thread_id !== undefined
    ? { topic: String(thread.message_thread_id) }
    : {})
})
