/**
 * A choice among options: which option an answer means, how the options are printed where there are no buttons, and
 * what is wrong with a set of options.
 *
 * Source: B3 (choose), CONV-11, CONV-13
 */
import type { Option } from "../model/Content.ts"
import { normalise } from "../model/Normalise.ts"
import { wholeNumeral } from "../model/Numerals.ts"
import { cutText, type TextUnit, textLength } from "../model/Text.ts"

/** What came back: the text a person wrote, and the key of the button when one was pressed. */
export interface MenuAnswer {
  readonly text: string
  readonly payload?: string | undefined
}

export interface Menu<O extends Option = Option> {
  readonly options: ReadonlyArray<O>
  /** Whether an option may be chosen by its position. Not when a label is itself a number: "3" could mean two options. */
  readonly numbered: boolean
  /** The option an answer means, or undefined. Constant time in the number of options. */
  readonly find: (answer: MenuAnswer) => O | undefined
}

/** The first option under each normal form; an empty form is none. */
const index = <O extends Option>(options: ReadonlyArray<O>, textOf: (option: O, at: number) => string | undefined) => {
  const found = new Map<string, O>()
  options.forEach((option, at) => {
    const form = normalise(textOf(option, at) ?? "")
    if (form !== "" && !found.has(form)) found.set(form, option)
  })
  return found
}

/**
 * Prepares a menu for matching. An answer is matched in this order, and the first that fits wins:
 * 1. the key of the pressed button, exactly;
 * 2. the label, in normal form (`"ATENCIÓN "` is Atención);
 * 3. the key, in normal form;
 * 4. the label as the transport cut it;
 * 5. the option's number, in any digits and keycaps, and only if it is the whole answer: `"nada el 01.02"` is none.
 *
 * What a person sees goes before what only the author sees, so a label wins over another option's key. Where a label is
 * a bare number, numbers mean labels only. A key that is a bare number counts only where no option has that position.
 *
 * @param options in the order shown
 * @param shown the labels as the transport shows them where it cut some, by position (`shownLabels`)
 *
 * Pure. Source: CONV-11, CONV-13, limits of the transports
 */
export const makeMenu = <O extends Option>(options: ReadonlyArray<O>, shown: ReadonlyArray<string> = []): Menu<O> => {
  const keys = new Map(options.map((option) => [option.key, option] as const).toReversed())
  const labels = index(options, (option) => option.label)
  const typedKeys = index(options, (option) => (wholeNumeral(option.key) === undefined ? option.key : undefined))
  const cut = index(options, (_, at) => shown[at])
  const numbered = options.every((option) => wholeNumeral(option.label) === undefined)
  // By key where positions count, for the numbers that are no position; by label where they do not.
  const numerals = new Map(
    options.map((option) => [wholeNumeral(numbered ? option.key : option.label), option] as const).toReversed()
  )
  const byNumber = (text: string): O | undefined => {
    const number = wholeNumeral(text)
    return number === undefined ? undefined : ((numbered ? options[number - 1] : undefined) ?? numerals.get(number))
  }
  return {
    options,
    numbered,
    find: ({ text, payload }) => {
      const pressed = payload === undefined ? undefined : keys.get(payload)
      if (pressed !== undefined) return pressed
      const form = normalise(text)
      return labels.get(form) ?? typedKeys.get(form) ?? cut.get(form) ?? byNumber(text)
    }
  }
}

/** Two options that one answer would mean, or an option no answer can mean. */
export type MenuIssue =
  | { readonly reason: "no-options" }
  | { readonly reason: "empty-label"; readonly key: string }
  | { readonly reason: "same-key"; readonly key: string }
  | { readonly reason: "same-label"; readonly label: string; readonly other: string }

/**
 * What is wrong with a set of options, for definition errors at build: none at all, a label that is empty in normal form
 * and so matches nothing, a key that stands twice, two labels that are equal in normal form ("Año" and "ANO").
 *
 * Pure. Source: B26
 */
export const menuIssues = (options: ReadonlyArray<Option>): ReadonlyArray<MenuIssue> => {
  if (options.length === 0) return [{ reason: "no-options" }]
  const issues: Array<MenuIssue> = []
  const keys = new Set<string>()
  const labels = new Map<string, string>()
  for (const { key, label } of options) {
    const form = normalise(label)
    const other = labels.get(form)
    if (keys.has(key)) issues.push({ reason: "same-key", key })
    if (form === "") issues.push({ reason: "empty-label", key })
    else if (other !== undefined) issues.push({ reason: "same-label", label, other })
    else labels.set(form, label)
    keys.add(key)
  }
  return issues
}

/** A `MenuIssue` in words. */
export const describeMenuIssue = (issue: MenuIssue): string => {
  switch (issue.reason) {
    case "no-options":
      return "a menu needs at least one option"
    case "empty-label":
      return `the option "${issue.key}" has a label that no answer can match`
    case "same-key":
      return `the key "${issue.key}" stands twice`
    case "same-label":
      return `the labels "${issue.other}" and "${issue.label}" are the same to a person who types them`
  }
}

/**
 * Prints a menu as text, for transports without buttons: the question, then a line for each option with its number, or
 * with a dash where numbers would be mistaken for labels.
 *
 * Pure. Source: B3
 */
export const renderMenu = (question: string, menu: Menu): string =>
  [question, ...menu.options.map(({ label }, at) => (menu.numbered ? `${at + 1}. ${label}` : `- ${label}`))].join("\n")

/**
 * The labels as a transport with a limit shows them: cut on a whole character with an ellipsis, and told apart by a
 * number where the cut made two equal. A label within the limit is left alone.
 *
 * @param limit the most a label may measure, a whole number from 1
 * @param unit what the transport counts
 * @throws RangeError for a bad limit
 *
 * Pure. Source: limits of the transports
 */
export const shownLabels = (options: ReadonlyArray<Option>, limit: number, unit: TextUnit): ReadonlyArray<string> => {
  const taken = new Set(
    options.filter(({ label }) => textLength(label, unit) <= limit).map(({ label }) => normalise(label))
  )
  return options.map(({ label }) => {
    const whole = cutText(label, limit, unit)
    if (whole === label) return label
    let shown = whole
    for (let count = 2; taken.has(normalise(shown)) && count <= options.length + 1; count++) {
      shown = cutText(label, limit, unit, `… ${count}`)
    }
    taken.add(normalise(shown))
    return shown
  })
}
