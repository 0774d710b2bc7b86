import { command, complaints } from "./command.ts"
import type { Gate } from "./gate.ts"

/** Format and lint of a folder by the biome.json in it; `tools` is the workspace root. */
export const formatProblems = async (folder: string, tools: string): Promise<ReadonlyArray<string>> => {
  const args = ["check", "--colors=off", "--max-diagnostics=50", "--diagnostic-level=error", "."]
  const result = await command("biome", args, { cwd: folder, tools })
  return complaints(result).map((problem) => `${problem}\n(pnpm format repairs what can be repaired)`)
}

export const format: Gate = {
  name: "format",
  run: async (root) => ({ problems: await formatProblems(root, root), notes: [] })
}
