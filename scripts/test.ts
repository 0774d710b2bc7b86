import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { runAll } from "./gates/all.ts"
import { failed } from "./gates/gate.ts"
import { counts, readReport, readSkips } from "./gates/report.ts"
import { readFixtures } from "./gates/titles.ts"
import { judge } from "./gates/verdict.ts"

const root = dirname(import.meta.dirname)
const cache = join(root, "node_modules/.cache/botmesh-gates")
const reportFile = join(cache, "tests.json")

/** The last line of every run, whatever happened before it: CI reads it. */
const finish = (passed: number, failures: number): void => {
  console.log(`${passed} passed, ${failures} failed`)
  process.exitCode = failures > 0 ? 1 : 0
}

/** Runs every test, shows what vitest prints and returns its exit code. */
const runTests = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const vitest = join(root, "node_modules/vitest/vitest.mjs")
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`]
    const args = [vitest, "run", "--allowOnly=false", ...reporters]
    const env = process.stdout.isTTY ? process.env : { NO_COLOR: "1", ...process.env }
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] })
    child.on("error", reject)
    child.on("close", (code) => resolve(code ?? 1))
  })

/** Gates first; then all tests, and what only a finished run can tell: skipped tests and scenario ids without a test. */
const main = async (): Promise<void> => {
  const started = performance.now()
  const outcomes = await runAll(root, (line) => console.log(line))
  const bad = outcomes.filter(failed)
  if (bad.length > 0) {
    console.log(`gates failed: ${bad.map(({ name }) => name).join(", ")}; the tests did not run`)
    return finish(0, bad.length)
  }
  mkdirSync(cache, { recursive: true })
  rmSync(reportFile, { force: true })
  const code = await runTests()
  const report = readReport(JSON.parse(readFileSync(reportFile, "utf8")))
  const skips = readSkips(JSON.parse(readFileSync(join(root, "test/skips.json"), "utf8")))
  const problems = judge(report, skips, readFixtures(root), code)
  for (const problem of problems) console.log(`FAIL  ${problem}`)
  const { failed: failures, passed } = counts(report)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`${outcomes.length} gates, ${report.tests.length} tests, ${seconds}s`)
  finish(passed, Math.max(failures, problems.length > 0 ? 1 : 0))
}

if (process.argv.length > 2) {
  console.log("pnpm test runs everything; for some of it: pnpm test:unit PATH, or pnpm check for the gates alone")
  finish(0, 1)
} else {
  await main().catch((cause: unknown) => {
    console.log(cause instanceof Error ? cause.stack : cause)
    finish(0, 1)
  })
}
