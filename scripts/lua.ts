import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { generateAll } from "./gates/lua.ts"

/** Writes scripts.generated.ts beside each folder of Lua scripts. */
const root = dirname(import.meta.dirname)
for (const { path, problems, text } of generateAll(root)) {
  writeFileSync(join(root, path), text)
  for (const problem of problems) {
    console.log(problem)
    process.exitCode = 1
  }
}
