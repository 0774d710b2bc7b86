/** The conversation key: turn, lane and conversation share it (R21). */
export const keyOf = (
  event: { readonly from: string; readonly sender: string; readonly isGroup: boolean },
  perParticipant: boolean
): string => (event.isGroup && perParticipant ? `${event.from}:${event.sender}` : event.from)
