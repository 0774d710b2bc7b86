import { isRecord } from "./source.ts"

export interface Test {
  /** The titles of its groups and its own, joined by blanks. */
  readonly title: string
  readonly status: string
  readonly file: string
  readonly messages: ReadonlyArray<string>
}

/** What vitest's JSON reporter wrote, as far as it is judged here. */
export interface TestReport {
  readonly tests: ReadonlyArray<Test>
  /** Files that failed as a whole: they could not be loaded, or a hook failed. */
  readonly broken: ReadonlyArray<{ readonly file: string; readonly message: string }>
}

const list = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isRecord) : []

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const readTest = (file: string, value: Readonly<Record<string, unknown>>): Test => {
  const messages = value["failureMessages"]
  return {
    title: text(value["fullName"]).trim(),
    status: text(value["status"]),
    file,
    messages: Array.isArray(messages) ? messages.map(text) : []
  }
}

export const readReport = (json: unknown): TestReport => {
  if (!isRecord(json) || !Array.isArray(json["testResults"])) throw new Error("vitest wrote no report of tests")
  const files = list(json["testResults"])
  const tests = files.flatMap((file) =>
    list(file["assertionResults"]).map((test) => readTest(text(file["name"]), test))
  )
  const broken = files
    .filter(
      (file) => file["status"] === "failed" && !list(file["assertionResults"]).some((t) => t["status"] === "failed")
    )
    .map((file) => ({ file: text(file["name"]), message: text(file["message"]) }))
  return { tests, broken }
}

export interface Counts {
  readonly passed: number
  readonly failed: number
}

export const counts = (report: TestReport): Counts => ({
  passed: report.tests.filter(({ status }) => status === "passed").length,
  failed: report.tests.filter(({ status }) => status === "failed").length + report.broken.length
})

/** A test that may be skipped, by its whole title, and why. */
export interface Skip {
  readonly title: string
  readonly reason: string
}

const isSkip = (value: unknown): value is Skip =>
  isRecord(value) && typeof value["title"] === "string" && typeof value["reason"] === "string"

export const readSkips = (value: unknown): ReadonlyArray<Skip> => {
  if (!Array.isArray(value) || !value.every(isSkip)) throw new Error("test/skips.json: want [{ title, reason }]")
  return value
}

/** Tests that did not run and are not on the list; entries without a reason, or whose test runs or is no more. */
export const skipProblems = (report: TestReport, skips: ReadonlyArray<Skip>): ReadonlyArray<string> => {
  const idle = report.tests.filter(({ status }) => status !== "passed" && status !== "failed")
  const listed = new Set(skips.map(({ title }) => title))
  const titles = new Set(idle.map(({ title }) => title))
  return [
    ...idle
      .filter(({ title }) => !listed.has(title))
      .map(({ file, status, title }) => `${file}: "${title}" is ${status} and not in test/skips.json`),
    ...skips
      .filter(({ reason }) => reason.trim() === "")
      .map(({ title }) => `test/skips.json: "${title}" has no reason`),
    ...skips
      .filter(({ title }) => !titles.has(title))
      .map(({ title }) => `test/skips.json: "${title}" names no skipped test: remove it`)
  ]
}
