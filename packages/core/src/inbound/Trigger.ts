/**
 * Starts a flow without a message (A21, B18): access → the key's turn → handoff → language → start. No dedupe, storing,
 * message hooks, matchers or `message` event.
 *
 * TG1 a turn never waits for a turn (R18): asked for inside a turn of the same key it starts after the handler; inside
 *     one of another key it is queued.
 */
import { Cause, Effect, Result } from "effect"
import type { TriggerResult } from "../chat/Chat.ts"
import type { FlowInputError } from "../chat/FlowInputError.ts"
import { UnknownFlowError } from "../chat/UnknownFlowError.ts"
import { TurnLimitError } from "../conversation/Execute.ts"
import { readInput } from "../conversation/Input.ts"
import { CurrentTurn, mostFollowUps, type Turn, type TurnHolder } from "../outbound/Turn.ts"
import { type CoordinationUnavailableError, LeaseLostError } from "../spi/Errors.ts"
import type { StoreError } from "../spi/Store.ts"
import { makeTriggered, queued, refused, type TriggerRequest } from "./Triggered.ts"
import type { InboundPort } from "./InboundPort.ts"
import { keyOf } from "./Key.ts"

export const makeTrigger = (port: InboundPort, nextId: () => string) => {
  const inTurn = makeTriggered(port, nextId, (flow, request, key) => submit(flow, request, key, undefined))

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

  const failed = (flow: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    port.failed({ cause, where: `trigger ${flow}`, chat: undefined })

  /** In the same turn, behind the handler. A flow that triggers itself, or a chain of them, ends like a goto without end. */
  const follow = (flow: string, request: TriggerRequest, turn: Turn): Effect.Effect<TriggerResult> => {
    const { key } = turn
    const taken = turn.follow({
      run: Effect.catchCause(Effect.asVoid(inTurn(flow, request, { key, turn }, turn)), (cause) => failed(flow, cause)),
      lost: Effect.suspend(() =>
        failed(flow, Cause.fail(turn.refusal() ?? new LeaseLostError({ key, reason: "ended" })))
      )
    })
    if (taken) return Effect.succeed(queued)
    const answer = Effect.succeed(refused("overloaded"))
    if (turn.following === 0) return answer
    return Effect.andThen(
      failed(flow, Cause.fail(new TurnLimitError({ flow, limit: "gotos", max: mostFollowUps }))),
      answer
    )
  }

  type Refusal = UnknownFlowError | FlowInputError | TriggerFailure
  return (flow: string, asked: TriggerRequest): Effect.Effect<TriggerResult, Refusal> =>
    Effect.flatMap(CurrentTurn, (current): Effect.Effect<TriggerResult, Refusal> => {
      const registered = port.conversationPort.registered(flow)
      if (registered === undefined) {
        return Effect.fail(new UnknownFlowError({ flow, known: [...port.conversationPort.known()] }))
      }
      const input = readInput(flow, registered.program.options, asked.data ?? {})
      if (Result.isFailure(input)) return Effect.fail(input.failure)
      const request = { ...asked, data: input.success }
      if (port.lifecycle.state !== "running") return Effect.succeed(refused("not-running"))
      const sender = request.userId ?? request.chatId
      if (!port.access.lets(request.chatId, sender)) return Effect.succeed(refused("blocked"))
      const key = keyOf({ from: request.chatId, sender, isGroup: request.isGroup ?? false }, port.perParticipant)
      const turn = current?.turn
      if (current === undefined || turn === undefined) {
        return Effect.callback<TriggerResult, TriggerFailure>((resume) => submit(flow, request, key, resume))
      }
      if (current.key === key) return follow(flow, request, turn)
      submit(flow, request, key, undefined)
      return Effect.succeed(queued)
    })
}
