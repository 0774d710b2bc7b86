#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// Node keeps what it has compiled, so that the command starts at once the next time.
enableCompileCache()
const { main } = await import("@botmesh/cli")
main()
