import { command, complaints } from "./command.ts"
import type { Gate } from "./gate.ts"

/**
 * Builds a project with its references: sources, tests and type tests (`*.types.ts`: assertions on types and
 * `@ts-expect-error`, which is itself an error where nothing is wrong any more).
 */
export const typeProblems = async (project: string, tools: string): Promise<ReadonlyArray<string>> =>
  complaints(await command("tsc", ["-b", project], { cwd: tools }))

export const types: Gate = {
  name: "types",
  run: async (root) => ({ problems: await typeProblems("tsconfig.json", root), notes: [] })
}
