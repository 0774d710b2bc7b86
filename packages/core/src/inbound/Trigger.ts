/**
 * Starts a flow without a message (A21, B18): access → the key's turn → handoff → language → start. No dedupe, storing,
 * message hooks, matchers or `message` event.
 *
 * TG1 a turn never waits for a turn (R18): asked for inside a turn of the same key it starts after the handler; inside
 *     one of another key it is queued.
 */
import { Cause, Effect } from "effect"
import type { TriggerResult } from "../chat/Chat.ts"
import { UnknownFlowError } from "../chat/UnknownFlowError.ts"
import type { Live, Settled } from "../conversation/Live.ts"
import type { State } from "../conversation/Step.ts"
import type { SavedMessage } from "../model/Checkpoint.ts"
import { CurrentTurn, type Turn, type TurnHolder } from "../outbound/Turn.ts"
import { type CoordinationUnavailableError, LeaseLostError } from "../spi/Errors.ts"
import type { StoreError } from "../spi/Store.ts"
import { resolveLanguage } from "./4-prepare/Language.ts"
import type { InboundPort } from "./InboundPort.ts"
import { keyOf } from "./Key.ts"

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

const queued: TriggerResult = { _tag: "queued" }
const refused = (reason: Extract<TriggerResult, { readonly _tag: "refused" }>["reason"]): TriggerResult => ({
  _tag: "refused",
  reason
})

export const makeTrigger = (port: InboundPort, nextId: () => string) => {
  /** Settles a start outside a message and reports what went wrong. */
  const settle = (live: Live, settled: Settled, turn: Turn): Effect.Effect<void> => {
    const where = `${live.program.kind} ${live.registered.id}`
    const failed =
      settled._tag === "failed" ? port.failed({ cause: settled.cause, where, chat: undefined }) : Effect.void
    return Effect.andThen(
      failed,
      Effect.catchCause(port.conversations.settle(live, turn, settled), (cause) =>
        port.failed({ cause, where: `the checkpoint of ${where}`, chat: undefined })
      )
    )
  }

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
        const waits = port.afterConversation(key, () => submit(flow, request, key, undefined))
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
    const result: TriggerResult = { _tag: "started", id }
    return result
  })

  type TriggerFailure = StoreError | CoordinationUnavailableError | LeaseLostError
  const submit = (
    flow: string,
    request: TriggerRequest,
    key: string,
    tell: ((result: Effect.Effect<TriggerResult, TriggerFailure>) => void) | undefined
  ): void => {
    const holder: TurnHolder = { key, turn: undefined }
    port.turns.submit({
      holder,
      run: (turn) =>
        Effect.matchCauseEffect(inTurn(flow, request, holder, turn), {
          onSuccess: (result) => Effect.sync(() => tell?.(Effect.succeed(result))),
          onFailure: (cause) => {
            if (tell !== undefined) return Effect.sync(() => tell(Effect.failCause(cause)))
            return port.failed({ cause, where: `trigger ${flow}`, chat: undefined })
          }
        }),
      cut: (turn) => {
        const live = port.conversations.lives.get(key)
        // Whoever asked must not wait for code that does not stop.
        tell?.(Effect.fail(turn.refusal() ?? new LeaseLostError({ key, reason: "ended" })))
        return live === undefined ? Effect.void : port.conversations.abandon(live, turn)
      },
      unavailable: (error) =>
        tell === undefined
          ? port.failed({ cause: Cause.fail(error), where: `trigger ${flow}`, chat: undefined })
          : Effect.sync(() => tell(Effect.fail(error))),
      over: () => {}
    })
  }

  return (flow: string, request: TriggerRequest): Effect.Effect<TriggerResult, UnknownFlowError | TriggerFailure> =>
    Effect.flatMap(CurrentTurn, (current): Effect.Effect<TriggerResult, UnknownFlowError | TriggerFailure> => {
      if (port.conversationPort.registered(flow) === undefined) {
        return Effect.fail(new UnknownFlowError({ flow, known: [...port.conversationPort.known()] }))
      }
      if (port.lifecycle.state !== "running") return Effect.succeed(refused("not-running"))
      const sender = request.userId ?? request.chatId
      if (!port.access.lets(request.chatId, sender)) return Effect.succeed(refused("blocked"))
      const key = keyOf({ from: request.chatId, sender, isGroup: request.isGroup ?? false }, port.perParticipant)
      const turn = current?.turn
      if (current === undefined || turn === undefined) {
        return Effect.callback<TriggerResult, TriggerFailure>((resume) => submit(flow, request, key, resume))
      }
      if (current.key === key) {
        turn.then.push(
          Effect.catchCause(Effect.asVoid(inTurn(flow, request, { key, turn }, turn)), (cause) =>
            port.failed({ cause, where: `trigger ${flow}`, chat: undefined })
          )
        )
      } else submit(flow, request, key, undefined)
      return Effect.succeed(queued)
    })
}
