import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { command, complaints } from "./command.ts"
import type { Gate } from "./gate.ts"
import { isRecord, sources } from "./source.ts"

/**
 * Builds a project with its references: sources, tests and type tests (`*.types.ts`: assertions on types and
 * `@ts-expect-error`, which is itself an error where nothing is wrong any more).
 */
export const typeProblems = async (project: string, tools: string): Promise<ReadonlyArray<string>> =>
  complaints(await command("tsc", ["-b", project], { cwd: tools }))

/** Folders of sources that the root's tsconfig.json does not reach: nothing would check them. */
export const uncheckedFolders = (tsconfig: unknown, folders: ReadonlyArray<string>): ReadonlyArray<string> => {
  const references = isRecord(tsconfig) && Array.isArray(tsconfig["references"]) ? tsconfig["references"] : []
  const reached = new Set(references.map((reference: unknown) => (isRecord(reference) ? reference["path"] : undefined)))
  return folders
    .filter((folder) => !reached.has(folder))
    .map((folder) => `${folder} is not among the references of tsconfig.json`)
}

const sourceFolders = (root: string): ReadonlyArray<string> =>
  ["packages", "examples"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
    .filter((folder) => sources(root, [folder]).some(({ path }) => path.startsWith(`${folder}/src/`)))

export const types: Gate = {
  name: "types",
  run: async (root) => {
    const config: unknown = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"))
    const unchecked = uncheckedFolders(config, sourceFolders(root))
    return { problems: [...unchecked, ...(await typeProblems("tsconfig.json", root))], notes: [] }
  }
}
