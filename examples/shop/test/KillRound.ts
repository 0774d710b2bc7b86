/**
 * Sign-ups that are killed (kill -9) at a random moment and finished by the next process on the same file.
 *
 * What is checked after each: it ends with the right words; no question whose next question was printed is asked again;
 * the charge has one line in the log, or two only where the kill fell between its start and the storing of its result.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Demo, startDemo } from "./Demo.ts"

/** Where the kills fall. */
export const kinds = {
  /** Any moment from the first line to the last reply. */
  anywhere: "any moment of the sign-up",
  /** Within milliseconds after an answer was written: between reading it, storing it and asking on. */
  answers: "just after one of the answers",
  /** While the payment is under way, or just before or after it. */
  charge: "around the charge",
  /** While the process starts, before the first line was written to it or with that line waiting. */
  start: "while it starts"
} as const
export type Kind = keyof typeof kinds

/** Repeatable chance (mulberry32). */
export const seeded = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const questions = ["¿Tu nombre?", "¿Tu edad?", "¿Plan?"]
const again: Readonly<Record<string, number>> = {
  "Entre 18 y 99, por favor": 1,
  "Elige una de las opciones, por favor.": 2
}

/** The question a line asks, by its place; -1 for any other line. */
const questionOf = (line: string): number => {
  const at = questions.indexOf(line)
  return at >= 0 ? at : (again[line] ?? -1)
}

export interface Round {
  readonly round: number
  readonly kind: Kind
  /** What had been written to the killed process last, and how far its questions had come. */
  readonly wrote: string
  readonly printed: string
  /** The lines of the charge in the log. */
  readonly charges: number
  readonly problems: ReadonlyArray<string>
}

const expected = 420
const nearby = 8

/** Kills it at the moment that `kind` asks for, if it has not ended its sign-up before. Returns when it is gone. */
const killAt = async (demo: Demo, kind: Kind, random: () => number, answers: ReadonlyArray<string>) => {
  const written: Array<string> = []
  const chosen = Math.floor(random() * (answers.length + 1))
  const after = (ms: number) =>
    new Promise<void>((resolve) => {
      if (ms > 20) {
        setTimeout(resolve, ms)
        return
      }
      // Timers are too coarse here: the moments that matter are shorter than a millisecond.
      const until = performance.now() + ms
      setImmediate(function wait() {
        if (performance.now() >= until) resolve()
        else setImmediate(wait)
      })
    })
  const kill = async (ms: number) => {
    await after(ms)
    demo.kill("SIGKILL")
  }
  const write = (line: string, nth: number) => {
    written.push(line)
    demo.say(line)
    if (kind === "answers" && nth === chosen) void kill(random() * nearby)
    if (kind === "charge" && nth === answers.length) void kill(random() * (expected - 50))
  }
  const talk = async () => {
    demo.say(`/as ${answers[0] ?? ""}`)
    if (kind === "start") {
      if (random() < 0.5) write("registrar", 0)
      await kill(random() * 1500)
      return
    }
    // The first remark shows that it runs; then the time counts.
    demo.say("/state")
    await demo.sees((line) => line.startsWith("conversation:"))
    if (kind === "anywhere") void kill(random() * expected)
    write("registrar", 0)
    for (const [nth, question] of questions.entries()) {
      await demo.sees((line) => line === question)
      write(answers[nth] ?? "", nth + 1)
    }
    await demo.sees((line) => line.startsWith("Listo, "))
    // It was quicker than the kill.
    demo.kill("SIGKILL")
  }
  await Promise.all([talk().catch(() => {}), demo.ended])
  return written
}

const chargesOf = (file: string): ReadonlyArray<string> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : []

/**
 * One sign-up, killed and finished. Each round is another person: one that is killed with its last words said may say
 * them again when that person next writes, for only a journal could know that they were read.
 *
 * @param path the directory of the data, kept from round to round
 */
export const killRound = async (path: string, round: number, kind: Kind, random: () => number): Promise<Round> => {
  const args = ["--data", join(path, "shop.db")]
  const log = join(path, "charges.log")
  const name = `Ana${round}`
  const answers = [name, "31", "pro"]
  const before = chargesOf(log)
  const problems: Array<string> = []

  const first = startDemo(args)
  const written = await killAt(first, kind, random, answers)
  const asked = first.lines.map(questionOf)
  const furthest = Math.max(-1, ...asked)
  const finished = first.lines.some((line) => line.startsWith("Listo, "))

  // A person goes on where they were: they answer what was asked, or say again what nothing came back for.
  const wrote = written.at(-1) ?? ""
  const answered = furthest >= 0 && written.length > furthest + 1
  const next = finished ? undefined : furthest < 0 ? "registrar" : answered ? wrote : answers[furthest]
  const second = startDemo(args)
  if (next !== undefined) {
    second.say(`/as ${name}`)
    second.say(next)
    let from = 0
    for (let turns = 0; turns < 8; turns++) {
      const line = await second
        .sees((seen) => questionOf(seen) >= 0 || seen.startsWith("Listo, "), from)
        .catch((error: Error) => {
          problems.push(error.message)
          return "Listo, "
        })
      if (line.startsWith("Listo, ")) break
      from = second.lines.indexOf(line, from) + 1
      const question = questionOf(line)
      if (question < furthest) problems.push(`asked again: ${line}`)
      second.say(answers[question] ?? "")
    }
  }
  second.end()
  const ended = await second.ended
  if (ended.code !== 0) problems.push(`ended with ${String(ended.code)} ${String(ended.signal)}: ${second.errors()}`)
  const last = [...first.lines, ...second.lines].filter((line) => line.startsWith("Listo, "))
  const right = `Listo, ${name}: pro`
  if (!last.includes(right) || last.some((line) => line !== right)) {
    problems.push(`ended with ${JSON.stringify(last)}, wanted ${right}`)
  }
  const lines = chargesOf(log).slice(before.length)
  if (new Set(lines).size !== 1) problems.push(`${new Set(lines).size} charges: ${lines.join(", ")}`)
  if (lines.some((line) => before.includes(line))) problems.push(`a former charge was made again: ${lines.join(", ")}`)
  const inCharge = written.length > answers.length && !finished
  if (lines.length > (inCharge ? 2 : 1)) problems.push(`${lines.length} lines of a charge that was not cut short`)
  return {
    round,
    kind,
    wrote,
    printed: finished ? "Listo" : (questions[furthest] ?? "nothing"),
    charges: lines.length,
    problems
  }
}
