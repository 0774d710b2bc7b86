/**
 * The conversation key: turn, lane and conversation share it (R21). The chat alone, or the chat and the participant with a
 * ":" between them; in either, ":" and "%" of an id are escaped ("%3A", "%25"), so that no two pairs share a key. An id
 * without them, which is the rule, is its own key.
 */
const special = /[%:]/
const escaped = (id: string): string => (special.test(id) ? id.replaceAll("%", "%25").replaceAll(":", "%3A") : id)

/** The key of a chat as a whole: of every private chat, and of a group that is one conversation. */
export const keyOfChat = (chatId: string): string => escaped(chatId)

export const keyOf = (
  event: { readonly from: string; readonly sender: string; readonly isGroup: boolean },
  perParticipant: boolean
): string => (event.isGroup && perParticipant ? `${escaped(event.from)}:${escaped(event.sender)}` : escaped(event.from))

/** What the keys of a group's participants begin with. */
export const participantsOf = (chatId: string): string => `${escaped(chatId)}:`

/** Whether it is the key of one participant of a group. */
export const isOfParticipant = (key: string): boolean => key.includes(":")
