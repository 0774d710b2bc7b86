/**
 * Texts by language and key. A catalogue is plain data behind pure functions: it holds the built-in texts of the engine
 * in Spanish, English and Portuguese, and what a bot and its plugins add or replace.
 *
 * Source: B13
 */
import { normalise } from "../model/Normalise.ts"
import { cutText } from "../model/Text.ts"
import type { CoreKey } from "./CoreTexts.ts"
import { english } from "./English.ts"
import { portuguese } from "./Portuguese.ts"
import { spanish } from "./Spanish.ts"

/** What a text may be filled with. */
export type Params = { readonly [name: string]: string | number | boolean }

/** A text with places such as `{name}`, or a function of the parameters. */
export type Text = string | ((params: Params) => string)

/** Texts of one language: nested objects, flat keys with dots, or both. */
export interface Texts {
  readonly [key: string]: Text | Texts
}

/** Texts by language tag (`es`, `pt-BR`; case and `_` make no difference). */
export type Languages = { readonly [lang: string]: Texts }

/** A built-in key, or one of the bot's own. */
export type TextKey = CoreKey | (string & {})

export interface Catalogue {
  /** The language for people whose own is unknown or not in the catalogue. */
  readonly defaultLang: string
  /** The languages that have texts, as lower-case tags. */
  readonly languages: ReadonlyArray<string>
  /** The text of a key as written, in the nearest language that has it. */
  readonly find: (lang: string | undefined, key: TextKey) => Text | undefined
  /** The words under a key in normal form, in the nearest language that has them. */
  readonly words: (lang: string | undefined, key: TextKey) => ReadonlySet<string>
}

const MAX_DEPTH = 16
const MAX_TAG = 64
const MAX_CHAINS = 256
const MAX_PLACES = 200
const MAX_PARAM = 4_096

const tagOf = (lang: string): string => lang.slice(0, MAX_TAG).trim().toLowerCase().replaceAll("_", "-")

type Flat = Map<string, Text>

const flatten = (texts: Texts, into: Flat, prefix: string, depth: number): void => {
  if (depth > MAX_DEPTH) throw new RangeError(`A catalogue is nested deeper than ${MAX_DEPTH} at "${prefix}"`)
  for (const [name, value] of Object.entries(texts)) {
    const key = prefix + name
    if (typeof value === "object") flatten(value, into, `${key}.`, depth + 1)
    else into.set(key, value)
  }
}

/** "es-419-x" → es-419-x, es-419, es. */
const withParents = (tag: string): ReadonlyArray<string> => {
  const parts = tag.split("-")
  return parts.map((_, at) => parts.slice(0, parts.length - at).join("-"))
}

const noWords: ReadonlySet<string> = new Set()

const wordsOf = (text: Text | undefined): ReadonlySet<string> =>
  text === undefined
    ? noWords
    : new Set(
        (typeof text === "string" ? text : text({}))
          .split(",")
          .map(normalise)
          .filter((word) => word !== "")
      )

const build = (flat: ReadonlyMap<string, Flat>, defaultLang: string): Catalogue => {
  const fallback = [...new Set([...withParents(tagOf(defaultLang)), "en"])].flatMap((tag) => flat.get(tag) ?? [])
  const chains = new Map<string, ReadonlyArray<Flat>>()
  const chainOf = (lang: string | undefined): ReadonlyArray<Flat> => {
    if (lang === undefined || lang === "") return fallback
    const known = chains.get(lang)
    if (known !== undefined) return known
    const chain = [...withParents(tagOf(lang)).flatMap((tag) => flat.get(tag) ?? []), ...fallback]
    // Tags come from transports, and so from outside: a few are kept, the rest is worked out each time.
    if (chains.size < MAX_CHAINS && lang.length <= MAX_TAG) chains.set(lang, chain)
    return chain
  }
  const textsWith = (lang: string | undefined, key: string): Flat | undefined => {
    for (const texts of chainOf(lang)) if (texts.has(key)) return texts
    return undefined
  }
  const sets = new Map<Flat, Map<string, ReadonlySet<string>>>([...flat.values()].map((texts) => [texts, new Map()]))
  return {
    defaultLang,
    languages: [...flat.keys()],
    find: (lang, key) => textsWith(lang, key)?.get(key),
    words: (lang, key) => {
      const texts = textsWith(lang, key)
      if (texts === undefined) return noWords
      const known = sets.get(texts)
      const words = known?.get(key) ?? wordsOf(texts.get(key))
      known?.set(key, words)
      return words
    }
  }
}

const merge = (layers: ReadonlyArray<Languages>): ReadonlyMap<string, Flat> => {
  const flat = new Map<string, Flat>()
  for (const languages of layers) {
    for (const [lang, texts] of Object.entries(languages)) {
      const tag = tagOf(lang)
      const into = flat.get(tag) ?? new Map<string, Text>()
      flat.set(tag, into)
      flatten(texts, into, "", 0)
    }
  }
  return flat
}

const builtIn: Languages = { es: spanish, en: english, pt: portuguese }

/**
 * Makes a catalogue of the built-in texts and one's own. A later one wins key by key, so a bot can reword a single
 * built-in text, and a plugin's texts stand under the bot's when given first.
 *
 * @param options `languages` one or several sets of texts, `defaultLang` a tag (default `en`)
 * @throws RangeError when texts are nested deeper than 16
 *
 * Pure. Source: B13
 */
export const makeCatalogue = (
  options: { readonly languages?: Languages | ReadonlyArray<Languages>; readonly defaultLang?: string } = {}
): Catalogue => {
  const own = options.languages ?? []
  return build(merge([builtIn, ...(isList(own) ? own : [own])]), options.defaultLang ?? "en")
}

const isList = (own: Languages | ReadonlyArray<Languages>): own is ReadonlyArray<Languages> => Array.isArray(own)

const place = /\{([\p{L}\p{N}_.-]{1,64})\}/gu

/**
 * Fills the places `{name}` of a template in one pass: what is filled in is never read again, so a person's own text
 * can hold braces. A place without its parameter stays as written. At most 200 places are filled, each with at most
 * 4,096 characters.
 *
 * Pure. Source: B13
 */
export const fillTemplate = (template: string, params: Params): string => {
  let places = 0
  return template.replace(place, (written, name: string) => {
    if (!Object.hasOwn(params, name) || ++places > MAX_PLACES) return written
    return cutText(String(params[name]), MAX_PARAM, "utf16")
  })
}

/**
 * The text of a key in the nearest language: the tag itself (`es-CO`), its parents (`es`), the default language, then
 * English. A key that no language has comes back itself, so that a gap is seen and nothing fails.
 *
 * @param catalogue where to look
 * @param lang a language tag, of any case, or undefined for the default language
 * @param key a built-in key or one of the bot's own
 * @param params what fills the places of the text
 *
 * Pure. Source: B13
 */
export const translate = (
  catalogue: Catalogue,
  lang: string | undefined,
  key: TextKey,
  params: Params = {}
): string => {
  const text = catalogue.find(lang, key)
  return text === undefined ? key : typeof text === "string" ? fillTemplate(text, params) : text(params)
}

/**
 * Whether a whole text is one of the words under a key ("cancelar", "atrás", "sí"), compared in normal form.
 *
 * Pure. Source: B25
 */
export const isWord = (catalogue: Catalogue, lang: string | undefined, key: TextKey, text: string): boolean =>
  catalogue.words(lang, key).has(normalise(text))
