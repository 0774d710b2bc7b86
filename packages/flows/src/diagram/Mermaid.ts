/** A document as a Mermaid flow chart. */
import type { FlowDocument } from "../document/Document.ts"
import { type ChartStep, chartOf, type Shape } from "./Chart.ts"

const shapes: Readonly<Record<Shape, readonly [string, string]>> = {
  say: ['["', '"]'],
  question: ['[/"', '"/]'],
  decision: ['{"', '"}'],
  work: ['[["', '"]]'],
  leave: ['(["', '"])']
}

/** Mermaid reads no quotes and no markup inside a label. */
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"#`{}|\\[\]]/gu, (char) => `#${char.codePointAt(0) ?? 32};`)

/** An arrow that waits for the step it leads to. */
interface Open {
  readonly from: string
  readonly label: string
}

class Drawing {
  readonly lines: Array<string> = ["flowchart TD"]
  private count = 0

  /** @returns the arrows that lead out of the steps */
  steps(steps: ReadonlyArray<ChartStep>, into: ReadonlyArray<Open>): ReadonlyArray<Open> {
    let open = into
    for (const step of steps) open = this.step(step, open)
    return open
  }
  private step(step: ChartStep, into: ReadonlyArray<Open>): ReadonlyArray<Open> {
    const id = `n${this.count++}`
    const [before, after] = shapes[step.shape]
    this.lines.push(`  ${id}${before}${escaped(step.label)}${after}`)
    for (const { from, label } of into) {
      this.lines.push(`  ${from} -->${label === "" ? "" : `|"${escaped(label)}"|`} ${id}`)
    }
    const out = step.branches.flatMap((branch) => this.steps(branch.steps, [{ from: id, label: branch.label }]))
    return step.passes ? [{ from: id, label: "" }, ...out] : out
  }
}

/** Mermaid text. Pure, linear. Source: E7 */
export const mermaid = (document: FlowDocument): string => {
  const drawing = new Drawing()
  drawing.lines.push(`  start(("${escaped(document.id)}"))`)
  drawing.steps(chartOf(document), [{ from: "start", label: "" }])
  return `${drawing.lines.join("\n")}\n`
}
