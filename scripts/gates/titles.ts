import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Test } from "./report.ts"
import { files, isRecord } from "./source.ts"

/** An id of a scenario or a corpus case: CONV-01, TG-05, DURATION-001, TXT-001. */
const id = /^[A-Z][A-Z0-9]*-\d{2,}$/u

/** A recorded payload is a case as a whole; its file name is the id: telegram-01-command-start. */
const payload = /^[a-z]+-\d{2,}-[a-z0-9-]+$/u

/** All values of keys `id` that look like a case's id, wherever they stand in a document. */
export const idsIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(idsIn)
  if (!isRecord(value)) return []
  const own = value["id"]
  const nested = Object.values(value).flatMap(idsIn)
  return typeof own === "string" && id.test(own) ? [own, ...nested] : nested
}

/** Ids of one fixture file: of the cases in it, or its own name where it is a payload. */
export const fixtureIds = (path: string, text: string): ReadonlyArray<string> => {
  const name = basename(path, ".json")
  return payload.test(name) ? [name] : idsIn(read(path, text))
}

const read = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&")

/** Whether an id stands in a title as a whole word: TG-1 is not in TG-10, nor in XTG-1 or TG-1-2. */
export const names = (title: string, wanted: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}_-])${escape(wanted)}(?![\\p{L}\\p{N}_]|-[\\p{L}\\p{N}])`, "u").test(title)

export interface Fixture {
  readonly path: string
  readonly ids: ReadonlyArray<string>
}

/** Ids that stand in no title of a test that passed, one line a fixture. */
export const unnamedIds = (fixtures: ReadonlyArray<Fixture>, tests: ReadonlyArray<Test>): ReadonlyArray<string> => {
  const titles = tests.filter(({ status }) => status === "passed").map(({ title }) => title)
  // One text for all titles keeps this linear; a line break is no part of a word.
  const text = titles.map((title) => title.replaceAll("\n", " ")).join("\n")
  return fixtures.flatMap(({ ids, path }) => {
    const missing = [...new Set(ids)].filter((wanted) => !names(text, wanted))
    return missing.length === 0 ? [] : [`${path}: in no title of a passed test: ${missing.join(" ")}`]
  })
}

const folders = ["packages", "examples", "test", "benchmarks"]

/** The fixtures copied so far: every JSON file below a folder test/fixtures. */
export const readFixtures = (root: string): ReadonlyArray<Fixture> =>
  files(root, folders, [".json"], new Set(["node_modules", "dist"]))
    .filter((path) => /(?:^|\/)test\/fixtures\//u.test(path))
    .map((path) => ({ path, ids: fixtureIds(path, readFileSync(join(root, path), "utf8")) }))
