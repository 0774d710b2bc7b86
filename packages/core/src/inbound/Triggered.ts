/** A trigger under its turn (A21, B18): handoff gate → what is active → language → start. */
import { Cause, Effect } from "effect"
import type { TriggerResult } from "../chat/Chat.ts"
import type { Live, Settled } from "../conversation/Live.ts"
import type { State } from "../conversation/Step.ts"
import type { SavedMessage } from "../model/Checkpoint.ts"
import type { Turn, TurnHolder } from "../outbound/Turn.ts"
import { LeaseLostError } from "../spi/Errors.ts"
import { resolveLanguage } from "./4-prepare/Language.ts"
import type { InboundPort } from "./InboundPort.ts"

export interface TriggerRequest {
  readonly chatId: string
  readonly userId?: string
  readonly isGroup?: boolean
  readonly data?: State
  readonly body?: string
  readonly ifActive?: "reject" | "replace" | "queue"
  readonly lang?: string
  readonly topic?: string
}

export const queued: TriggerResult = { _tag: "queued" }
export const refused = (reason: Extract<TriggerResult, { readonly _tag: "refused" }>["reason"]): TriggerResult => ({
  _tag: "refused",
  reason
})

export const makeTriggered = (
  port: InboundPort,
  nextId: () => string,
  again: (flow: string, request: TriggerRequest, key: string) => void
) => {
  /** Settles a start outside a message and reports what went wrong. */
  const settle = (live: Live, settled: Settled, turn: Turn): Effect.Effect<void> => {
    const where = `${live.program.kind} ${live.registered.id}`
    const failed =
      settled._tag === "failed"
        ? port.failed({
            cause: settled.cause,
            where,
            chat: undefined,
            retried: port.conversations.willRetry(live, settled)
          })
        : Effect.void
    return Effect.andThen(
      failed,
      Effect.catchCause(port.conversations.settle(live, turn, settled), (cause) =>
        port.failed({ cause, where: `the checkpoint of ${where}`, chat: undefined })
      )
    )
  }

  const lost = (flow: string, key: string): Effect.Effect<void> =>
    port.failed({
      cause: Cause.fail(new LeaseLostError({ key, reason: "revoked", detail: "stopping" })),
      where: `queued trigger ${flow}`,
      chat: undefined,
      engine: true
    })

  /** The caller holds the turn. */
  const inTurn = Effect.fnUntraced(function* (flow: string, request: TriggerRequest, holder: TurnHolder, turn: Turn) {
    const { chatId } = request
    const userId = request.userId ?? chatId
    const { key } = holder
    const registered = port.conversationPort.registered(flow)
    if (registered === undefined) return refused("not-running")
    const view = yield* port.views.open(turn.lease, key, chatId, userId)
    if (view.handoff !== undefined) return refused("handoff")
    const live = port.conversations.lives.get(key)
    if (live !== undefined || view.dormant !== undefined) {
      if (request.ifActive === "queue") {
        const waits = port.afterConversation(key, {
          run: () => again(flow, request, key),
          lost: () => port.run(lost(flow, key))
        })
        return waits ? queued : refused("active")
      }
      if (request.ifActive !== "replace") return refused("active")
      if (live !== undefined) yield* port.conversations.abort(live, turn, "replaced")
      else if (view.dormant !== undefined) {
        yield* port.conversations.clearStored(key, view.dormant, turn, "replaced")
        view.dormant = undefined
      }
    }
    const { lang } = resolveLanguage(port, view, request.lang, request.body ?? "")
    const id = nextId()
    const origin: SavedMessage = {
      id: "",
      from: chatId,
      sender: userId,
      isGroup: request.isGroup ?? false,
      type: "text",
      body: request.body ?? "",
      lang,
      ...(request.topic === undefined ? {} : { topic: request.topic })
    }
    const started = yield* port.conversations.start(registered, key, id, origin, request.data ?? {}, turn)
    yield* settle(started.live, started.settled, turn)
    if (turn.suspended === "lease-lost") {
      return yield* turn.refusal() ?? new LeaseLostError({ key, reason: "ended" })
    }
    const result: TriggerResult = { _tag: "started", id }
    return result
  })
  return inTurn
}
