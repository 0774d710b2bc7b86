/**
 * The loop of the simulator: a line goes to the bot and, where nobody sits before the terminal, the next one waits until
 * the bot has settled, as a person would.
 */
import { Effect, Option, Stream } from "effect"
import type { BotShape, EventsOf } from "../bot/BotShape.ts"
import type { Definition, Running } from "../bot/Definition.ts"
import type { InboundEvent } from "../model/Event.ts"
import { Store, type StoreError } from "../spi/Store.ts"
import type { Person } from "./Chats.ts"
import { help, type Input, readInput } from "./Input.ts"
import { stateOf } from "./State.ts"
import { Terminal, type TerminalError } from "./Terminal.ts"
import { Simulator } from "./Transport.ts"

const described = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const tag = "_tag" in error && typeof error._tag === "string" ? error._tag : error.name
  return error.message === "" ? tag : `${tag}: ${error.message}`
}

const errorText = (event: { readonly error: unknown; readonly where: string }): string => {
  const { error, where } = event
  const handled = error instanceof Error && "_tag" in error && error._tag === "HandledError" && "error" in error
  return handled ? `[handled in ${where}] ${described(error.error)}` : `[error in ${where}] ${described(error)}`
}

/** Errors are told by events, which come a moment after the bot has settled: how many moments to give them. */
const patience = 100

/** Prints each error as it comes. Never ends, but when the terminal is gone. */
const watchErrors = <E>(bot: BotShape<E>, terminal: Terminal["Service"]) => {
  let shown = bot.metrics.snapshot().errors
  const tell = (event: EventsOf<E>): Effect.Effect<void, TerminalError> =>
    Effect.suspend(() => {
      if (event._tag !== "error") return Effect.void
      shown++
      return terminal.print(errorText(event), "error")
    })
  return {
    watching: Effect.andThen(Stream.runForEach(bot.events, tell), Effect.never),
    /** All errors so far are on the terminal. */
    upToDate: Effect.gen(function* () {
      for (let left = patience; left > 0 && shown < bot.metrics.snapshot().errors; left--) yield* Effect.yieldNow
    })
  }
}

const label = ({ group, name }: Person): string => (group ? `${name} in the group` : name)

/**
 * Talks to a running bot until the input ends or `/quit`, then waits until all has settled. The bot must have been built
 * on the simulator's `layer`. Fails with `TerminalError` when the terminal is gone.
 *
 * Source: B21
 */
export const run = <Id extends string, E, R>(
  definition: Definition<Id, E, R>
): Effect.Effect<void, TerminalError, Running<Id> | Simulator | Store | Terminal> =>
  Effect.gen(function* () {
    const bot = yield* definition
    const simulator = yield* Simulator
    const terminal = yield* Terminal
    const store = yield* Store
    const errors = watchErrors(bot, terminal)
    const settled = Effect.andThen(bot.settled, errors.upToDate)
    const note = (text: string) => terminal.print(text, "note")

    const hand = (event: InboundEvent) =>
      Effect.andThen(
        Effect.catch(simulator.hand(event), (error) => terminal.print(described(error), "error")),
        terminal.interactive ? Effect.void : settled
      )
    const become = (person: Person) => {
      simulator.become(person)
      return note(`you are ${label(person)}`)
    }
    const state = Effect.suspend(() =>
      stateOf(simulator.person(), {
        store,
        scope: `${definition.options.tenant ?? "default"}/${definition.id}`,
        perParticipant: definition.options.conversationScope !== "chat",
        live: bot.conversations.list()
      })
    )
    const act = (input: Input): Effect.Effect<void, TerminalError> => {
      const person = simulator.person()
      switch (input._tag) {
        case "say":
          return hand(simulator.chats.heard(person, input.body))
        case "media":
          return hand(simulator.chats.sent(person, input.kind, input.caption))
        case "react": {
          const event = simulator.chats.reacted(person, input.emoji)
          return event === undefined ? note("the bot has said nothing here yet") : hand(event)
        }
        case "as":
          return become({ ...person, name: input.name })
        case "group":
          return become({ ...person, group: !person.group })
        case "state":
          return Effect.matchEffect(state, {
            onSuccess: note,
            onFailure: (error: StoreError) => terminal.print(described(error), "error")
          })
        case "help":
          return note(help)
        case "wrong":
          return note(`usage: ${input.usage}`)
        case "nothing":
        case "quit":
          return Effect.void
      }
    }

    const talking = Effect.gen(function* () {
      if (terminal.interactive) yield* note(`You talk to "${definition.id}". /sim lists what the simulator knows.`)
      for (;;) {
        yield* terminal.prompt(label(simulator.person()))
        const line = yield* terminal.readLine
        if (Option.isNone(line)) break
        const input = readInput(line.value)
        if (input._tag === "quit") break
        yield* act(input)
      }
      yield* settled
    })
    return yield* Effect.raceFirst(errors.watching, talking)
  })
