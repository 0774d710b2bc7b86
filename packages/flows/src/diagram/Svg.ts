/** A document as a picture: steps below one another, branches side by side. */
import type { FlowDocument } from "../document/Document.ts"
import { type ChartBranch, type ChartStep, chartOf, type Shape } from "./Chart.ts"

const box = { width: 260, height: 40 }
const gap = { x: 24, y: 28 }
/** About how many characters fit into a box. */
const perLine = 36

const colours: Readonly<Record<Shape, string>> = {
  say: "#e8f1ff",
  question: "#fff4d6",
  decision: "#f1e8ff",
  work: "#e6f7ec",
  leave: "#f0f0f0"
}

const escaped = (text: string): string =>
  text
    .replaceAll(/[&<>"]/gu, (char) => `&#${char.codePointAt(0) ?? 32};`)
    .replaceAll(/[\u0000-\u001f\ufffe\uffff]/gu, " ")
const cut = (text: string, most: number): string => {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`
}

interface Size {
  readonly width: number
  readonly height: number
}

const sizeOfSteps = (steps: ReadonlyArray<ChartStep>): Size => {
  const sizes = steps.map(sizeOfStep)
  return {
    width: Math.max(box.width, ...sizes.map(({ width }) => width)),
    height: sizes.reduce((sum, { height }) => sum + height + gap.y, 0)
  }
}
const sizeOfBranches = (branches: ReadonlyArray<ChartBranch>): Size => {
  const sizes = branches.map(({ steps }) => sizeOfSteps(steps))
  return {
    width: sizes.reduce((sum, { width }) => sum + width + gap.x, -gap.x),
    height: Math.max(0, ...sizes.map(({ height }) => height))
  }
}
const sizeOfStep = (step: ChartStep): Size => {
  if (step.branches.length === 0) return box
  const inner = sizeOfBranches(step.branches)
  // The way past the branches has a column of its own.
  const past = step.passes ? gap.x * 2 : 0
  return { width: Math.max(box.width, inner.width + past), height: box.height + gap.y + inner.height }
}

interface Point {
  readonly x: number
  readonly y: number
}

class Picture {
  readonly parts: Array<string> = []

  line(from: Point, to: Point, label: string): void {
    const middle = (from.y + to.y) / 2
    const way = from.x === to.x ? `V${to.y}` : `V${middle}H${to.x}V${to.y}`
    this.parts.push(`<path d="M${from.x} ${from.y}${way}" class="w"/>`)
    if (label !== "")
      this.parts.push(`<text x="${to.x + 6}" y="${to.y - 6}" class="l">${escaped(cut(label, 30))}</text>`)
  }

  /** @returns where the arrows to what follows begin */
  steps(steps: ReadonlyArray<ChartStep>, centre: number, top: number, into: ReadonlyArray<Point>, label: string) {
    let open = into
    let y = top
    let words = label
    for (const step of steps) {
      for (const from of open) this.line(from, { x: centre, y }, words)
      words = ""
      open = this.step(step, centre, y)
      y += sizeOfStep(step).height + gap.y
    }
    return open
  }

  private step(step: ChartStep, centre: number, top: number): ReadonlyArray<Point> {
    const left = centre - box.width / 2
    this.parts.push(
      `<rect x="${left}" y="${top}" width="${box.width}" height="${box.height}" rx="${step.shape === "leave" ? 20 : 6}" fill="${colours[step.shape]}" class="b"/>`,
      `<text x="${centre}" y="${top + 25}" class="t">${escaped(cut(step.label, perLine))}</text>`
    )
    const bottom = { x: centre, y: top + box.height }
    if (step.branches.length === 0) return step.passes ? [bottom] : []
    const inner = sizeOfBranches(step.branches)
    const out: Array<Point> = []
    let x = centre - inner.width / 2
    for (const branch of step.branches) {
      const { width } = sizeOfSteps(branch.steps)
      const at = x + width / 2
      const below = bottom.y + gap.y
      if (branch.steps.length === 0) out.push({ x: at, y: below })
      out.push(...this.steps(branch.steps, at, below, [bottom], branch.label))
      x += width + gap.x
    }
    return step.passes ? [...out, { x: centre + Math.max(box.width, inner.width + gap.x * 2) / 2, y: bottom.y }] : out
  }
}

const style =
  ".b{stroke:#555}.w{fill:none;stroke:#555}text{font:13px sans-serif;fill:#222}.t{text-anchor:middle}.l{font-size:11px;fill:#666}"

/** An SVG document. Pure. Source: E7 */
export const svg = (document: FlowDocument): string => {
  const steps = chartOf(document)
  const { height, width } = sizeOfSteps(steps)
  const [whole, tall] = [width + gap.x * 4, height + gap.y * 3]
  const centre = whole / 2
  const picture = new Picture()
  picture.parts.push(`<text x="${centre}" y="${gap.y}" class="t">${escaped(document.id)}</text>`)
  picture.steps(steps, centre, gap.y * 2, [{ x: centre, y: gap.y + 6 }], "")
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${whole}" height="${tall}" viewBox="0 0 ${whole} ${tall}"><style>${style}</style>${picture.parts.join("")}</svg>\n`
}
