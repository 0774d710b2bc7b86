import { counts, type Skip, skipProblems, type TestReport } from "./report.ts"
import { type Fixture, unnamedIds } from "./titles.ts"

/** Why a run of the tests is no success; empty when it is one. `code` is vitest's own exit code. */
export const judge = (
  report: TestReport,
  skips: ReadonlyArray<Skip>,
  fixtures: ReadonlyArray<Fixture>,
  code: number
): ReadonlyArray<string> => {
  const { failed, passed } = counts(report)
  const problems = [
    ...report.tests.filter(({ status }) => status === "failed").map(({ file, title }) => `${file}: ${title}`),
    ...report.broken.map(({ file, message }) => `${file}: ${message === "" ? "could not be run" : message}`),
    ...(passed + failed === 0 ? ["no test ran"] : []),
    ...skipProblems(report, skips),
    ...(failed === 0 ? unnamedIds(fixtures, report.tests) : [])
  ]
  // Errors outside any test (an unhandled rejection, a failed teardown) show only in the exit code.
  return code !== 0 && problems.length === 0 ? [`vitest ended with exit code ${code}`] : problems
}
