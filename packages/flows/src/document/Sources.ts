/** Every expression and template of a document, parsed once: what checks look at and closures are made of. */
import { Result } from "effect"
import type { ExpressionError } from "../expr/ExpressionError.ts"
import { parseExpression } from "../expr/Expression.ts"
import type { Expr } from "../expr/Parser.ts"
import { answerRoots, roots } from "../expr/Path.ts"
import { parseTemplate, type TemplateTree } from "../expr/Template.ts"
import type { FlowDocument } from "./Document.ts"
import type { Place } from "./Issue.ts"
import type { Step } from "./Steps.ts"
import { everyStep } from "./Walk.ts"

export interface Source {
  readonly type: "expression" | "answer" | "template"
  readonly text: string
  /** From the step. */
  readonly place: Place
}

const template = (text: string | undefined, ...place: Place): ReadonlyArray<Source> =>
  text === undefined ? [] : [{ type: "template", text, place }]
const expression = (text: string, ...place: Place): Source => ({ type: "expression", text, place })

const record = (fields: Readonly<Record<string, string>> | undefined, key: string): ReadonlyArray<Source> =>
  Object.entries(fields ?? {}).map(([name, text]) => expression(text, key, name))

interface Asked {
  readonly text: string
  readonly validate?: { readonly expr: string; readonly message?: string }
}
const question = ({ text, validate }: Asked, ...place: Place): ReadonlyArray<Source> => [
  ...template(text, ...place, "text"),
  ...(validate === undefined
    ? []
    : [
        { type: "answer" as const, text: validate.expr, place: [...place, "validate", "expr"] },
        ...template(validate.message, ...place, "validate", "message")
      ])
]

/** The sources of one step, without those of the steps in it, in the order they are run. */
export const sourcesOf = (step: Step): ReadonlyArray<Source> => {
  switch (step.kind) {
    case "say":
    case "end":
    case "choose":
      return template(step.text, "text")
    case "ask":
      return question(step)
    case "goto":
      return record(step.inputs, "inputs")
    case "condition":
    case "guard":
      return [expression(step.if, "if")]
    case "media":
      return [
        ...template(step.url, "url"),
        ...template(step.caption, "caption"),
        ...template(step.filename, "filename")
      ]
    case "form":
      return [
        ...step.fields.flatMap((field, index) => question(field, "fields", index)),
        ...template(step.summary, "summary")
      ]
    case "subflow":
      return record(step.inputs, "inputs")
    case "http":
      return [...template(step.url, "url"), ...record(step.body, "body")]
    case "handoff":
      return [...template(step.to, "to"), ...template(step.message, "message")]
    case "ai":
      return [...template(step.system, "system"), ...template(step.prompt, "prompt")]
    case "delay":
      return []
  }
}

/** The parsed sources of a document. */
export class Sources {
  private readonly expressions = new Map<string, Expr>()
  private readonly answers = new Map<string, Expr>()
  private readonly templates = new Map<string, TemplateTree>()

  /** Parses one, unless the same text was parsed before. */
  parse({ text, type }: Source): ExpressionError | undefined {
    if (type === "template") return keep(this.templates, text, () => parseTemplate(text))
    const isAnswer = type === "answer"
    return keep(isAnswer ? this.answers : this.expressions, text, () =>
      parseExpression(text, isAnswer ? answerRoots : roots)
    )
  }
  expression(text: string): Expr {
    return found(this.expressions, text)
  }
  answer(text: string): Expr {
    return found(this.answers, text)
  }
  template(text: string): TemplateTree {
    return found(this.templates, text)
  }
}

const keep = <A>(
  known: Map<string, A>,
  text: string,
  parse: () => Result.Result<A, ExpressionError>
): ExpressionError | undefined => {
  if (known.has(text)) return undefined
  const parsed = parse()
  if (Result.isFailure(parsed)) return parsed.failure
  known.set(text, parsed.success)
  return undefined
}

const found = <A>(known: ReadonlyMap<string, A>, text: string): A => {
  const value = known.get(text)
  if (value === undefined) throw new Error(`the source ${JSON.stringify(text)} was never checked`)
  return value
}

/** Every source of a document, with its place from the root. */
export const everySource = (document: FlowDocument): ReadonlyArray<Source> =>
  everyStep(document).flatMap(({ place, step }) =>
    sourcesOf(step).map((source) => ({ ...source, place: [...place, ...source.place] }))
  )
