/** `pnpm demo`: the program is demo.ts; node keeps it compiled, so that it starts at once the next time. */
import { enableCompileCache } from "node:module"

enableCompileCache()
await import("./demo.ts")
