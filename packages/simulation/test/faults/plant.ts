/** Plants a fault in a copy of the engine and searches it from there, in a process of its own. */
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Fault } from "./list.ts"

const root = join(import.meta.dirname, "../../../..")

/** The engine's file with the fault in it. @throws when a site is not there exactly once: the engine has moved on */
export const patched = (fault: Fault, text: string): string =>
  fault.edits.reduce((before, { find, replace }) => {
    if (before.split(find).length !== 2) throw new Error(`"${fault.name}": ${fault.file} has not exactly one ${find}`)
    return before.replace(find, () => replace)
  }, text)

export const sourceOf = (fault: Fault): string => readFileSync(join(root, "packages/core/src", fault.file), "utf8")

export interface Search {
  readonly found: ReadonlyArray<number>
  readonly tried: number
  /** How many of the worlds were found bad by another checker. */
  readonly others: Readonly<Record<string, number>>
}
export interface SearchOptions {
  readonly seeds: ReadonlyArray<number>
  /** Ends after so many finds. */
  readonly finds: number
  /** ms. */
  readonly patience: number
}

const copy = (fault: Fault): string => {
  const home = mkdtempSync(join(tmpdir(), "botmesh-fault-"))
  const modules = join(home, "node_modules")
  mkdirSync(join(modules, "@botmesh"), { recursive: true })
  for (const name of ["core", "simulation"]) {
    const to = join(home, "packages", name)
    cpSync(join(root, "packages", name, "src"), join(to, "src"), { recursive: true })
    cpSync(join(root, "packages", name, "package.json"), join(to, "package.json"))
    symlinkSync(to, join(modules, "@botmesh", name), "dir")
  }
  symlinkSync(join(root, "packages/core/node_modules"), join(home, "packages/core/node_modules"), "dir")
  symlinkSync(realpathSync(join(root, "packages/core/node_modules/effect")), join(modules, "effect"), "dir")
  const target = join(home, "packages/core/src", fault.file)
  writeFileSync(target, patched(fault, readFileSync(target, "utf8")))
  cpSync(join(import.meta.dirname, "search.ts"), join(home, "search.ts"))
  writeFileSync(join(home, "package.json"), JSON.stringify({ type: "module" }))
  return home
}

export const search = (fault: Fault, options: SearchOptions): Promise<Search> => {
  const home = copy(fault)
  const input = JSON.stringify({ invariant: fault.invariant, ...options })
  const flags = ["--conditions=botmesh-source", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=64"]
  const child = spawn(process.execPath, [...flags, join(home, "search.ts")], { stdio: ["pipe", "pipe", "pipe"] })
  let said = ""
  let errors = ""
  child.stdout.on("data", (chunk) => {
    said += chunk
  })
  child.stderr.on("data", (chunk) => {
    errors += chunk
  })
  child.stdin.end(input)
  return new Promise<Search>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => {
      rmSync(home, { recursive: true, force: true })
      if (code === 0) resolve(JSON.parse(said))
      else reject(new Error(`"${fault.name}" ended with ${code}: ${errors.slice(0, 2000)}`))
    })
  })
}
