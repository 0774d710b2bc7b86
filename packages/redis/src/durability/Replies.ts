/** Reads what the scripts answer. An answer of another shape is a bug of ours or a stranger's script: it dies. */
import type { AttemptedRow, ClaimedRow, InboxRow, PlanRows, SendRow, SendState } from "@botmesh/core/spi"

export const list = (reply: unknown): ReadonlyArray<unknown> => {
  if (!Array.isArray(reply)) throw new Error(`a script answered ${JSON.stringify(reply)}`)
  return reply
}
/** RESP3 pairs members with their scores, RESP2 does not. */
export const strings = (reply: unknown): ReadonlyArray<string> => list(reply).flat().map(String)

const textOrNull = (value: unknown): string | null => (value === "" || value === null ? null : String(value))
const numberOrNull = (value: unknown): number | null => (value === "" || value === null ? null : Number(value))

/** The record a script gave, of `key`. */
export const inboxRow = (key: string, values: ReadonlyArray<unknown>): InboxRow => {
  const [id, event, number, , recordedAt, attempts, crashes, due, fence, owner, at, reason, detail, diedAt] = values
  const claimFence = numberOrNull(fence)
  const died = numberOrNull(diedAt)
  return {
    id: String(id),
    key,
    number: Number(number),
    event: String(event),
    recordedAt: Number(recordedAt),
    attempts: Number(attempts),
    crashes: Number(crashes),
    due: Number(due),
    claimFence,
    claimOwner: claimFence === null ? null : String(owner),
    claimedAt: numberOrNull(at),
    reason: textOrNull(reason),
    detail: died === null ? null : String(detail),
    diedAt: died
  }
}

export const claimedRow = (key: string, reply: unknown): ClaimedRow => {
  const [tag, about, row] = list(reply)
  switch (tag) {
    case "claimed":
      return { _tag: "claimed", row: inboxRow(key, list(row)), left: about === 1 }
    case "buried":
      return { _tag: "buried", row: inboxRow(key, list(row)) }
    case "waiting":
      return { _tag: "waiting", until: Number(about) }
    case "superseded":
      return { _tag: "superseded", fence: Number(about) }
    case "spent":
    case "empty":
      return { _tag: tag }
    default:
      throw new Error(`a script answered ${JSON.stringify(reply)}`)
  }
}

const states: Readonly<Record<SendState, true>> = {
  planned: true,
  attempting: true,
  unknown: true,
  confirmed: true,
  refused: true,
  dead: true,
  held: true,
  dropped: true
}
const isState = (value: unknown): value is SendState => typeof value === "string" && Object.hasOwn(states, value)
const stateOf = (value: unknown): SendState => {
  if (!isState(value)) throw new Error(`a send is in no state called ${String(value)}`)
  return value
}

/** What is written of a detail, so that none is told from an empty one. */
export const writeDetail = (detail: string | null): string => (detail === null ? "" : `=${detail}`)

/** The send a script gave, of `lane`, and when it need not be known any more. */
export const sendRow = (lane: string, values: ReadonlyArray<unknown>): readonly [SendRow, number | null] => {
  const [id, content, number, , state, attempts, resends, due, until, token, receipt, detail, planned, changed, ends] =
    values
  const row: SendRow = {
    id: String(id),
    lane,
    number: Number(number),
    content: String(content),
    state: stateOf(state),
    attempts: Number(attempts),
    resends: Number(resends),
    due: Number(due),
    until: numberOrNull(until),
    token: String(token),
    receipt: textOrNull(receipt),
    detail: textOrNull(detail)?.slice(1) ?? null,
    plannedAt: Number(planned),
    changedAt: Number(changed)
  }
  return [row, numberOrNull(ends)]
}

export const attemptedRow = (lane: string, reply: unknown): AttemptedRow => {
  const [tag, about, row] = list(reply)
  switch (tag) {
    case "attempt":
      return { _tag: "attempt", row: sendRow(lane, list(row))[0], left: about === 1 }
    case "unknown":
      return { _tag: "unknown", row: sendRow(lane, list(row))[0] }
    case "waiting":
      return { _tag: "waiting", until: Number(about) }
    case "empty":
      return { _tag: "empty" }
    default:
      throw new Error(`a script answered ${JSON.stringify(reply)}`)
  }
}

export const planRows = (reply: unknown): PlanRows => {
  const [tag, ...rest] = list(reply)
  if (tag === "superseded") return { _tag: "superseded", fence: Number(rest[0]) }
  const sends = rest.map((standing) => {
    const [id, state, isNew, other, receipt] = list(standing)
    return {
      id: String(id),
      state: stateOf(state),
      isNew: isNew === 1,
      diverged: other === 1,
      receipt: textOrNull(receipt)
    }
  })
  return { _tag: "planned", sends }
}
