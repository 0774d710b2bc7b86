/** What the demo shows while it runs: a table that is drawn anew on a terminal, a line for each event elsewhere. */
import { styleText } from "node:util"

export interface Row {
  readonly name: string
  readonly pid: number
  readonly state: "starting" | "up" | "killed"
  readonly leads: boolean
  readonly lives: number
  /** Turns that ended on it, over all its lives. */
  readonly turns: number
}
export interface Scoreboard {
  readonly seconds: number
  readonly of: number
  readonly sent: number
  readonly answered: number
  readonly kills: number
  /** ms without a leader after each kill of one. */
  readonly takeOvers: ReadonlyArray<number>
  readonly rows: ReadonlyArray<Row>
}

const isTerminal = process.stdout.isTTY === true
const seconds = (ms: number | undefined): string => (ms === undefined ? "–" : `${(ms / 1000).toFixed(2)} s`)
const states = { starting: "yellow", up: "green", killed: "red" } as const

const lines = (board: Scoreboard): ReadonlyArray<string> => [
  `${board.seconds.toFixed(0).padStart(3)} of ${board.of} s   sent ${board.sent}   answered ${board.answered}   kills ${board.kills}`,
  `leader taken over in: last ${seconds(board.takeOvers.at(-1))}, longest ${seconds(board.takeOvers.toSorted((a, b) => b - a)[0])}`,
  "",
  `  ${"replica".padEnd(9)}${"pid".padStart(8)}  ${"state".padEnd(10)}${"leads".padEnd(7)}${"lives".padStart(6)}${"turns".padStart(8)}`,
  ...board.rows.map(
    ({ leads, lives, name, pid, state, turns }) =>
      `  ${name.padEnd(9)}${String(pid).padStart(8)}  ${styleText(states[state], state.padEnd(10))}${(leads ? "★" : "").padEnd(7)}${String(lives).padStart(6)}${String(turns).padStart(8)}`
  )
]

let drawn = 0
/** Draws the table over the one before; nothing where there is no terminal. */
export const draw = (board: Scoreboard): void => {
  if (!isTerminal) return
  const all = lines(board)
  process.stdout.write(`${drawn === 0 ? "" : `\u001b[${drawn}A`}${all.map((line) => `\u001b[2K${line}\n`).join("")}`)
  drawn = all.length
}

/** The table as it stands, for good. */
export const print = (board: Scoreboard): void => {
  if (isTerminal) draw(board)
  else console.log(lines(board).join("\n"))
}

/** An event, where the table does not show it. */
export const tell = (line: string): void => {
  if (!isTerminal) console.log(line)
}
