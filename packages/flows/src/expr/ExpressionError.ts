import { Schema } from "effect"

/**
 * An expression or a template that cannot be compiled. `at` is the place in its source, in UTF-16 units from 0.
 * Trying again gives the same error. Source: E5
 */
export class ExpressionError extends Schema.TaggedError<ExpressionError>()("ExpressionError", {
  problem: Schema.String,
  at: Schema.Int,
  /** What may have been meant. */
  suggestion: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `${this.problem} (at character ${this.at + 1})`
  }
}

/** Edits that turn one word into another, given up above `most`. */
const distance = (one: string, other: string, most: number): number => {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same))
    }
    row = next
  }
  return row[other.length] ?? most + 1
}

/** The known word most like an unknown one, if any is near enough to be a slip of the finger. */
export const nearest = (word: string, known: Iterable<string>): string | undefined => {
  const wanted = word.toLowerCase().slice(0, 64)
  let best: string | undefined
  let least = Math.max(1, Math.min(3, wanted.length >> 1)) + 1
  for (const candidate of known) {
    const edits = distance(wanted, candidate.toLowerCase(), least - 1)
    if (edits >= least) continue
    least = edits
    best = candidate
  }
  return best
}
