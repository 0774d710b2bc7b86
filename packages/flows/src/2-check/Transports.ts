/** What transports show, as data, and the texts of a document that are over it. */
import { textLength, type TextUnit } from "@botmesh/core/spi"
import type { FlowDocument } from "../document/Document.ts"
import { type FlowIssue, type Place, warningAt } from "../document/Issue.ts"
import type { Sources } from "../document/Sources.ts"
import type { ChooseStep, Step } from "../document/Steps.ts"
import { everyStep } from "../document/Walk.ts"

interface Limits {
  readonly unit: TextUnit
  readonly text: number
  readonly caption: number
  /** Buttons or rows of one menu; what is over is numbered text. */
  readonly options: number
  readonly label: number
}

/** The published limits of the transports; a change there is a change of one line here. */
const transportLimits = {
  "whatsapp-cloud": { unit: "codepoints", text: 4096, caption: 1024, options: 10, label: 20 },
  "whatsapp-web": { unit: "codepoints", text: 65_536, caption: 1024, options: 20, label: 100 },
  telegram: { unit: "utf16", text: 4096, caption: 1024, options: 100, label: 200 },
  messenger: { unit: "codepoints", text: 2000, caption: 2000, options: 13, label: 20 },
  instagram: { unit: "bytes", text: 1000, caption: 1000, options: 13, label: 20 },
  discord: { unit: "utf16", text: 2000, caption: 2000, options: 25, label: 80 },
  email: { unit: "codepoints", text: 65_536, caption: 65_536, options: 20, label: 200 }
} as const satisfies Readonly<Record<string, Limits>>
export type Transport = keyof typeof transportLimits
export const transports: ReadonlyArray<Transport> = [
  "whatsapp-cloud",
  "whatsapp-web",
  "telegram",
  "messenger",
  "instagram",
  "discord",
  "email"
]
const limitsOf = (transport: Transport): Limits => transportLimits[transport]

/** The least a text can measure: places are filled with who knows what. */
const leastOf = (text: string, sources: Sources, unit: TextUnit): number =>
  sources
    .template(text)
    .pieces.reduce((sum, piece) => sum + (typeof piece === "string" ? textLength(piece, unit) : 0), 0)

const textsOf = (
  step: Step
): ReadonlyArray<{ readonly text: string; readonly place: Place; readonly caption: boolean }> => {
  const one = (text: string | undefined, key: string, caption = false) =>
    text === undefined ? [] : [{ text, place: [key], caption }]
  switch (step.kind) {
    case "say":
    case "ask":
    case "choose":
    case "end":
      return one(step.text, "text")
    case "media":
      return one(step.caption, "caption", true)
    case "handoff":
      return one(step.message, "message")
    case "form":
      return [
        ...step.fields.map(({ text }, index) => ({ text, place: ["fields", index, "text"], caption: false })),
        ...one(step.summary, "summary")
      ]
    default:
      return []
  }
}

const menuIssues = (step: ChooseStep, place: Place, transport: Transport): ReadonlyArray<FlowIssue> => {
  const { label, options, unit } = limitsOf(transport)
  return [
    ...(step.options.length > options
      ? [
          warningAt(
            [...place, "options"],
            `${transport} shows at most ${options} options as buttons, these are ${step.options.length}`
          )
        ]
      : []),
    ...step.options.flatMap((option, index) =>
      textLength(option.label, unit) > label
        ? [
            warningAt(
              [...place, "options", index, "label"],
              `${transport} cuts a label of more than ${label} ${words[unit]}`
            )
          ]
        : []
    )
  ]
}
const words: Readonly<Record<TextUnit, string>> = { utf16: "characters", codepoints: "characters", bytes: "bytes" }

/** Pure. */
export const transportIssues = (
  document: FlowDocument,
  sources: Sources,
  on: ReadonlyArray<Transport>
): ReadonlyArray<FlowIssue> =>
  everyStep(document).flatMap(({ place, step }) =>
    on.flatMap((transport) => {
      const limits = limitsOf(transport)
      const texts = textsOf(step).flatMap(({ caption, place: where, text }) => {
        const most = caption ? limits.caption : limits.text
        const least = leastOf(text, sources, limits.unit)
        return least > most
          ? [
              warningAt(
                [...place, ...where],
                `${transport} takes ${most} ${words[limits.unit]} here, this has ${least}`
              )
            ]
          : []
      })
      return step.kind === "choose" ? [...texts, ...menuIssues(step, place, transport)] : texts
    })
  )
