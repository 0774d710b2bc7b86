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
const finish = (passed: number, failures: number, code: number): void => {
  console.log(`${passed} passed, ${failures} failed`)
  process.exitCode = code
}

/** Runs every test, shows what vitest prints and returns its exit code. */
const runTests = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const vitest = join(root, "node_modules/vitest/vitest.mjs")
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`]
    const args = [vitest, "run", "--allowOnly=false", ...reporters]
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
    child.on("error", reject)
    child.on("close", (code) => resolve(code ?? 1))
  })

const started = performance.now()
const outcomes = await runAll(root, (line) => console.log(line))
const bad = outcomes.filter(failed)
if (bad.length > 0) {
  console.log(`gates failed: ${bad.map(({ name }) => name).join(", ")}; the tests did not run`)
  finish(0, bad.length, 1)
} else {
  mkdirSync(cache, { recursive: true })
  rmSync(reportFile, { force: true })
  const code = await runTests()
  const report = readReport(JSON.parse(readFileSync(reportFile, "utf8")))
  const skips = readSkips(JSON.parse(readFileSync(join(root, "test/skips.json"), "utf8")))
  const problems = judge(report, skips, readFixtures(root), code)
  for (const problem of problems) console.log(`FAIL  ${problem}`)
  const { failed: failures, passed } = counts(report)
  console.log(
    `${outcomes.length} gates, ${report.tests.length} tests, ${((performance.now() - started) / 1000).toFixed(0)}s`
  )
  finish(passed, Math.max(failures, problems.length > 0 ? 1 : 0), problems.length > 0 ? 1 : 0)
}
