#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// Node keeps what it has compiled, so that the command starts at once the next time.
enableCompileCache()
await import("../dist/run.js")
