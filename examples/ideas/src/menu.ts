/** Menus. In a flow a menu is a question; outside of one its buttons arrive at `Bot.action`. */
import { Bot, Flow } from "@botmesh/core"
import { Effect } from "effect"

/** Options that depend on what was chosen before, read from somewhere else. */
const slotsOf = (day: "today" | "tomorrow") =>
  Effect.succeed(
    day === "today"
      ? [{ key: "18", label: "18:00", value: { hour: 18 } }]
      : [
          { key: "9", label: "Nine", value: { hour: 9 } },
          { key: "10", label: "Ten", value: { hour: 10 } }
        ]
  )

const booking = Flow.make("booking").pipe(
  // Answered by button, by label ("Tomorrow"), by key ("tomorrow") or by number ("2").
  Flow.choose("day", "Which day?", { today: "Today", tomorrow: "Tomorrow" }),
  // A computed menu: what is kept is the `value` of the option. It is looked up once and recorded.
  Flow.choose("slot", "What time?", ({ day }) => slotsOf(day)),
  Flow.say(({ day, slot }) => `Booked: ${day} at ${slot.hour}`)
)

export const menu = Bot.make("menu", [
  Bot.flow(booking, { trigger: "book" }),
  // Buttons without a conversation: they may be pressed days later.
  Bot.when("help", (chat) => chat.choices("What do you need?", { hours: "Opening hours", human: "A person" })),
  Bot.action("hours", (chat) => chat.reply("We open at nine")),
  Bot.action("human", (chat) => chat.reply("Somebody will write to you"))
])

export default menu
