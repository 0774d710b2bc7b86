/**
 * The bot under test. Every text it says names the messages it comes from, so that the transport's log alone tells what
 * was answered, in which order, and whether two turns of a chat ran into each other.
 */
import { Bot, Flow } from "@botmesh/core"
import { Effect, Schema } from "effect"

const answer = (letter: string) => Schema.String.check(Schema.isPattern(new RegExp(`^${letter} #\\d+$`, "u")))
const number = (text: string | undefined): string => /#(\d+)/u.exec(text ?? "")?.[1] ?? "?"

interface Known {
  readonly run: string
  readonly a?: string
  readonly b?: string
  readonly c?: string
}
const soFar = ({ a, b, c, run }: Known): string =>
  [`run=${run}`, ...[a, b, c].flatMap((one, at) => (one === undefined ? [] : [`${"abc"[at]}=${number(one)}`]))].join(
    " "
  )
const says = (word: string, state: Known): string => `${word} ${soFar(state)}`
const Run = Schema.Struct({ run: Schema.String })

/** Three questions, one a step. */
const form = Flow.make("form", { input: Run }).pipe(
  Flow.ask("a", (s) => says("Q1", s), { answer: answer("a"), invalid: (s) => says("no Q1", s) }),
  Flow.ask("b", (s) => says("Q2", s), { answer: answer("b"), invalid: (s) => says("no Q2", s) }),
  Flow.ask("c", (s) => says("Q3", s), { answer: answer("c"), invalid: (s) => says("no Q3", s) }),
  Flow.say((s) => says("done", s)),
  Flow.persistent
)
/** The same three in one step: what is known stands in its log alone. */
const survey = Flow.make("survey", { input: Run }).pipe(
  Flow.do("all", (conv) =>
    Effect.gen(function* () {
      const { run } = conv.state
      const a = yield* conv.ask("a", says("Q1", { run }), { answer: answer("a"), invalid: says("no Q1", { run }) })
      const one = { run, a }
      const b = yield* conv.ask("b", says("Q2", one), { answer: answer("b"), invalid: says("no Q2", one) })
      const two = { run, a, b }
      const c = yield* conv.ask("c", says("Q3", two), { answer: answer("c"), invalid: says("no Q3", two) })
      yield* conv.say(says("done", { run, a, b, c }))
      return { answers: 3 }
    })
  ),
  Flow.persistent
)
/** A question that nobody answers: its deadline does. */
const wait = Flow.make("wait", { input: Run }).pipe(
  Flow.ask("a", (s) => says("W", s), {
    answer: answer("never"),
    invalid: (s) => says("no W", s),
    timeout: "1s",
    onTimeout: { say: (s) => says("late", s) }
  }),
  Flow.persistent
)

const starts = (word: string, flow: string) =>
  Bot.when(new RegExp(`^${word} #(\\d+)$`, "u"), (chat) =>
    chat.trigger(flow, { data: { run: chat.match?.[1] ?? "?" } })
  )

export const bot = Bot.make(
  "chaos",
  [
    // Two sends with time between them: another turn of the chat that ran meanwhile would say something in the gap.
    Bot.when(/^echo #(\d+) (\d+)$/u, (chat) =>
      Effect.gen(function* () {
        yield* chat.reply(`begin #${chat.match?.[1]}`)
        yield* Effect.sleep(Number(chat.match?.[2]))
        yield* chat.reply(`end #${chat.match?.[1]}`)
      })
    ),
    starts("form", "form"),
    starts("survey", "survey"),
    starts("wait", "wait"),
    Bot.flow(form),
    Bot.flow(survey),
    Bot.flow(wait),
    Bot.onMessage((chat) => chat.reply(`nothing #${number(chat.body)}`))
  ],
  { dedupe: { size: 100_000 } }
)
