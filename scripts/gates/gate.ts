/** What a gate found: problems fail it, notes are only printed. */
export interface Report {
  readonly problems: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
}

export interface Gate {
  readonly name: string
  readonly run: (root: string) => Promise<Report>
}

export interface Outcome {
  readonly name: string
  readonly seconds: number
  readonly report: Report
}

/** Runs one gate. A gate that throws has failed: a crash must never look like a pass. */
export const runGate = async (gate: Gate, root: string): Promise<Outcome> => {
  const started = performance.now()
  const report = await gate.run(root).catch(
    (cause: unknown): Report => ({
      problems: [`the gate itself failed: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`],
      notes: []
    })
  )
  return { name: gate.name, seconds: (performance.now() - started) / 1000, report }
}

/** Runs gates at most `limit` at a time and tells each outcome as it comes; the result keeps the order given. */
export const runGates = async (
  gates: ReadonlyArray<Gate>,
  root: string,
  limit: number,
  onOutcome: (outcome: Outcome) => void
): Promise<ReadonlyArray<Outcome>> => {
  const outcomes: Array<Outcome> = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (;;) {
      const index = next++
      const gate = gates[index]
      if (gate === undefined) return
      const outcome = await runGate(gate, root)
      outcomes[index] = outcome
      onOutcome(outcome)
    }
  }
  await Promise.all(Array.from({ length: limit }, worker))
  return outcomes
}

export const failed = (outcome: Outcome): boolean => outcome.report.problems.length > 0

/** One clear line a gate, then what it found. */
export const render = (outcome: Outcome): string => {
  const head = `${failed(outcome) ? "FAIL" : "ok  "}  ${outcome.name.padEnd(10)} ${outcome.seconds.toFixed(1)}s`
  const problems = outcome.report.problems.map((problem) => `      ${problem.replaceAll("\n", "\n      ")}`)
  const notes = outcome.report.notes.map((note) => `      note: ${note}`)
  return [head, ...problems, ...notes].join("\n")
}
