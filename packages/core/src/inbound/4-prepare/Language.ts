/** The language of a message (A9): stored → reported by the transport → detected → default. */
import type { Language, View } from "../Passage.ts"

export interface LanguageOptions {
  readonly detect: ((body: string) => string | undefined) | undefined
  readonly defaultLang: string
}

export const resolveLanguage = (
  options: LanguageOptions,
  view: View,
  reported: string | undefined,
  body: string
): Language => {
  const { all } = view.user
  const stored = Object.hasOwn(all, "lang") ? all["lang"] : undefined
  if (typeof stored === "string" && stored !== "") return { lang: stored, source: "stored" }
  if (reported !== undefined && reported !== "") return { lang: reported, source: "provider" }
  const detected = options.detect?.(body)
  if (detected !== undefined && detected !== "") return { lang: detected, source: "detect" }
  return { lang: options.defaultLang, source: "default" }
}
