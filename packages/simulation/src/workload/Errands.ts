/** What the people of the worlds want from the shop. */
import type { Chance } from "../world/Chance.ts"
import { again, done, type Errand, wait } from "./Person.ts"

const questions: ReadonlyArray<string> = [
  "¿Nombre?",
  "¿Apodo?",
  "¿Plan?",
  "¿Qué te gustó?",
  "¿Por qué?",
  "¿Estrellas?",
  "¿Algo más?"
]

/**
 * What they were in the middle of is over: they begin anew; asked what they did not come for, they leave it. Anything
 * else was said for something else.
 */
const elsewhere = (text: string): string | typeof again | typeof wait => {
  if (questions.includes(text)) return "/fin"
  return text === "¿Cómo?" || text === "Abortado" || text.startsWith("I could not") ? again : wait
}

/** Every line anybody writes is unique, so that whatever becomes of it can be told apart (I15). */
export const makeErrands = (chat: string, chance: Chance, count: number): ReadonlyArray<Errand> => {
  let lines = 0
  const tag = (): string => `${chat}x${++lines}`
  const plan = (): string => (chance.happens(0.5) ? "pro" : "max")

  const rephrase = (line: string): string => line.replace(/^([san]) \S+$/u, (_, kind: string) => `${kind} ${tag()}`)

  const signUp = (): Errand => ({
    rephrase,
    begin: () => "registrar",
    read: (text) => {
      if (text === "¿Nombre?") return `n ${tag()}`
      if (text === "¿Apodo?") return chance.happens(0.15) ? wait : `a ${tag()}`
      if (text === "¿Sigues ahí?") return `a ${tag()}`
      if (text === "¿Plan?") return chance.happens(0.1) ? wait : plan()
      return text.startsWith("Listo") ? done : elsewhere(text)
    }
  })
  const survey = (): Errand => ({
    rephrase,
    begin: () => "encuesta",
    read: (text) => {
      if (questions.indexOf(text) > 2) return `s ${tag()}`
      // Some are impatient, some very much so.
      if (text === "Un momento")
        return chance.happens(0.75) ? wait : Array.from({ length: chance.between(1, 4) }, () => `s ${tag()}`)
      return text.startsWith("Anotado") ? done : elsewhere(text)
    }
  })
  const echo = (size: number): Errand => {
    let seen = 0
    return {
      begin: () => Array.from({ length: size }, () => `eco ${tag()}`),
      read: (text) => (text.startsWith("Eco") ? (++seen >= 2 ? done : wait) : elsewhere(text))
    }
  }
  const one = (line: string, answer: string, tries?: number): Errand => ({
    begin: () => line,
    read: (text) => (text === answer ? done : elsewhere(text)),
    ...(tries === undefined ? {} : { tries })
  })
  const change = (line: string, answer: RegExp): Errand => ({
    begin: () => chance.pick(["registrar", "encuesta"]) ?? "registrar",
    read: (text) => (questions.includes(text) ? line : answer.test(text) ? done : wait)
  })
  const colour = (): Errand => ({
    begin: () => "color",
    read: (text) =>
      text === "¿Color?"
        ? chance.happens(0.5)
          ? wait
          : `c ${tag()}`
        : text.startsWith("Color ") || text === "Sin color"
          ? done
          : elsewhere(text)
  })
  const kinds: ReadonlyArray<() => Errand> = [
    signUp,
    signUp,
    signUp,
    survey,
    survey,
    survey,
    () => echo(2),
    () => echo(8),
    colour,
    () => one("lento", "Lento", 1),
    () => one("terco", "Terco", 1),
    () => one("largo", "Largo"),
    () => change("/fin", /^Abortado/u),
    () => change("/color", /^¿Color|^Color|^Sin/u),
    () => change("/luego", /^Luego/u)
  ]
  return Array.from({ length: count }, () => (chance.pick(kinds) ?? signUp)())
}
