/** The direction of imports as data (design, "The house"): ranks in packages/core/src from the bottom up; equals are siblings. */
export const coreRanks: ReadonlyArray<ReadonlyArray<string>> = [
  ["model"],
  ["spi"],
  ["memory", "events", "hooks", "i18n"],
  ["outbound"],
  ["chat"],
  ["conversation", "handlers"],
  ["inbound"],
  ["scheduler"],
  ["bot"],
  ["testing", "dev"]
]

/** The entry files of core stand above the folders; each may show what its name says. The value is the highest folder it may import. */
export const coreEntries: ReadonlyMap<string, string> = new Map([
  ["spi.ts", "spi"],
  ["index.ts", "bot"],
  ["testing.ts", "testing"],
  ["dev.ts", "dev"]
])

export interface Bounds {
  /** Workspace packages (or their entries) that src may import; "*" is any. */
  readonly src: ReadonlyArray<string> | "*"
  /** The same for test, beside those of src. */
  readonly test: ReadonlyArray<string> | "*"
}

const core = "@botmesh/core"
const spi = "@botmesh/core/spi"
const testing = "@botmesh/core/testing"

const adapter: Bounds = { src: [spi], test: [core, testing] }
const library: Bounds = { src: [core, spi], test: [testing] }
const free: Bounds = { src: "*", test: "*" }

/** What each package may import of the others. A package that stands not here is a library. */
export const packageBounds: ReadonlyMap<string, Bounds> = new Map<string, Bounds>([
  ["core", { src: [], test: [] }],
  ["redis", { src: [spi], test: [core, testing, "@botmesh/test-services"] }],
  ["sql", { src: [spi], test: [core, testing, "@botmesh/test-services"] }],
  ["mongo", adapter],
  ["telegram", adapter],
  ["meta", adapter],
  ["baileys", adapter],
  ["discord", adapter],
  ["email", adapter],
  ["local", { src: [core, spi, "@botmesh/sql"], test: [testing] }],
  ["cli", free],
  ["simulation", free]
])

export const boundsOf = (name: string): Bounds => packageBounds.get(name) ?? library

/** Size limits in lines by kind of file (design, "Sizes"); the first pattern that fits counts. */
export const sizes: ReadonlyArray<{ readonly kind: string; readonly pattern: RegExp; readonly lines: number }> = [
  { kind: "stage", pattern: /^packages\/core\/src\/(?:inbound|outbound)\/\d+-[^/]+\/.+\.ts$/u, lines: 120 },
  { kind: "list file", pattern: /^packages\/core\/src\/inbound\/(?:Message|Call|Trigger|Redeliver)\.ts$/u, lines: 60 },
  { kind: "list file", pattern: /^packages\/core\/src\/outbound\/Send\.ts$/u, lines: 60 },
  { kind: "contract", pattern: /^packages\/core\/src\/spi\/.+\.ts$/u, lines: 200 },
  { kind: "Lua file", pattern: /\.lua$/u, lines: 40 },
  { kind: "file", pattern: /^packages\/[^/]+\/src\/.+\.ts$/u, lines: 300 }
]

/** Lines of a function. */
export const functionLines = 40
