/** What a benchmark says: a table to read, and one JSON object of a form that every benchmark keeps. */

export interface Target {
  readonly name: string
  readonly want: number
  readonly got: number
  readonly met: boolean
}

export interface Result {
  readonly case: string
  readonly unit: string
  readonly ours: number
  /** The median of each peer. */
  readonly peers: Readonly<Record<string, number>>
  readonly targets: ReadonlyArray<Target>
}

export interface Report {
  readonly bench: string
  readonly results: ReadonlyArray<Result>
}

/** A target that is hoped for: told, but `--strict` does not fail on it. */
export const isStretch = (target: Target): boolean => target.name.startsWith("stretch")

export const missed = (report: Report): ReadonlyArray<Target> =>
  report.results.flatMap(({ targets }) => targets).filter((target) => !target.met && !isStretch(target))

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

const round = (value: number): string =>
  Number.isNaN(value)
    ? "failed"
    : Math.abs(value) >= 100
      ? Math.round(value).toLocaleString("en-US")
      : value.toPrecision(3)

const line = (cells: ReadonlyArray<string>, widths: ReadonlyArray<number>): string =>
  cells
    .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
    .join("  ")

const aligned = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => line(row, widths)).join("\n")
}

export const table = (report: Report): string =>
  report.results
    .map((result) => {
      const { ours } = result
      const rows = [
        [`${result.case} (${result.unit})`, "median", "ours is"],
        ["  botmesh", round(ours), ""],
        ...Object.entries(result.peers).map(([name, value]) => [
          `  ${name}`,
          round(value),
          Number.isNaN(value) ? "" : `${round(ours / value)}×`
        ])
      ]
      const targets = result.targets.map(
        ({ got, met, name, want }) => `  ${met ? "met   " : "MISSED"} ${name}: want ${round(want)}, got ${round(got)}`
      )
      return [aligned(rows), ...targets].join("\n")
    })
    .join("\n\n")
