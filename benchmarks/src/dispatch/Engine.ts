/** What every engine of the benchmark offers, ours and the peers': a file that exports `setup`. */

/** `triggers` comes with a number: how many are registered. */
export type Scenario = "trivial" | "triggers" | "conversation"

export interface Task {
  readonly scenario: Scenario
  /** How many triggers are registered. */
  readonly triggers: number
  /** How an engine with several modes is set up; "" for the plain one. */
  readonly variant: string
}

export interface Engine {
  /** Hands a message over; the promise ends when the message is wholly processed. */
  readonly send: (chat: number, text: string) => Promise<unknown>
  /** Waits until nothing goes on that memory should not be measured in. */
  readonly rest?: () => Promise<void>
  /** Throws the rows of the store away, so that what is left is what the engine itself holds. */
  readonly forgetRows?: () => void
}

export type Setup = (task: Task, onReply: () => void) => Engine | Promise<Engine>

export const firstQuestion = "¿Cómo te llamas?"
export const secondQuestion = "¿Qué edad tienes?"
export const farewell = (name: string, age: string): string => `Hola ${name}, ${age} años`

/** The words of the trigger scenario. */
export const words = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, nth) => `palabra${nth}`)

const names: Array<string> = []
/**
 * The name of a chat, where the engine names chats by texts. Made once: what a transport's parser does is not measured, and
 * a text put together anew for every message would be something that no parser hands over.
 */
export const nameOf = (chat: number): string => (names[chat] ??= flat(`57300${chat}@s.whatsapp.net`))
const flat = (text: string): string => Object.keys({ [text]: true })[0] ?? text
