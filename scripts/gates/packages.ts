import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { command, complaints } from "./command.ts"
import type { Gate } from "./gate.ts"
import { importsOf } from "./imports.ts"
import { isRecord, type Source, sources } from "./source.ts"

/** A package.json, as far as the gate looks at it. */
export type Manifest = Readonly<Record<string, unknown>>

const readManifest = (path: string): Manifest => {
  const value: unknown = JSON.parse(readFileSync(path, "utf8"))
  if (!isRecord(value)) throw new Error(`${path} is no object`)
  return value
}

const table = (manifest: Manifest, key: string): Manifest => {
  const value = manifest[key]
  return isRecord(value) ? value : {}
}

const effectRange = "~4.1.0"

/** What must hold of a packed manifest, whatever publint says. */
export const manifestProblems = (manifest: Manifest): ReadonlyArray<string> => {
  const peers = table(manifest, "peerDependencies")
  const dependencies = table(manifest, "dependencies")
  const ranges = Object.entries({ ...dependencies, ...peers })
  const sourceFirst = Object.entries(table(manifest, "exports")).filter(([, target]) => isRecord(target))
  return [
    ...(peers["effect"] === effectRange ? [] : [`effect must be a peer ${effectRange}, is ${String(peers["effect"])}`]),
    ...("effect" in dependencies ? ["effect must not be a dependency: two copies would split service keys"] : []),
    ...ranges
      .filter(([, range]) => typeof range !== "string" || /^(?:workspace|link|file|catalog):/u.test(range))
      .map(([name, range]) => `${name} is published with the range ${String(range)}`),
    ...sourceFirst
      .filter(([, target]) => isRecord(target) && (target["types"] === undefined || target["default"] === undefined))
      .map(([entry]) => `exports["${entry}"] needs types and default`),
    ...(manifest["type"] === "module" ? [] : ['type must be "module"']),
    ...(manifest["license"] === undefined ? ["no license"] : [])
  ]
}

const packageName = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/** Imports of published sources that no dependency or peer brings. */
export const undeclaredImports = (manifest: Manifest, files: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const declared = new Set([
    ...Object.keys(table(manifest, "dependencies")),
    ...Object.keys(table(manifest, "peerDependencies")),
    String(manifest["name"])
  ])
  return files.flatMap((source) =>
    importsOf(source)
      .filter(({ specifier, target }) => target === undefined && !specifier.startsWith("node:"))
      .filter(({ specifier }) => !declared.has(packageName(specifier)))
      .map(({ place, specifier }) => `${place} imports "${specifier}", which is neither a dependency nor a peer`)
  )
}

/** Puts what a package depends on, other than our own, beside the packed packages: an installer would. */
const linkDependencies = (manifest: Manifest, from: string, into: string): void => {
  for (const name of Object.keys(table(manifest, "dependencies"))) {
    const target = join(into, name)
    if (name.startsWith("@botmesh/") || existsSync(target)) continue
    mkdirSync(dirname(target), { recursive: true })
    symlinkSync(realpathSync(join(from, "node_modules", name)), target)
  }
}

/** Entries of a manifest that a program can import. */
export const entriesOf = (manifest: Manifest): ReadonlyArray<string> =>
  Object.entries(table(manifest, "exports"))
    .filter(([entry, target]) => isRecord(target) && !entry.includes("*"))
    .map(([entry]) => `${String(manifest["name"])}${entry.slice(1)}`)

/** Packs one package as it would be published, unpacks it into `into` and says what is wrong with it. */
export const packedProblems = async (folder: string, into: string, tools: string): Promise<ReadonlyArray<string>> => {
  mkdirSync(into, { recursive: true })
  const packed = await command("pnpm", ["pack", "--out", join(into, "package.tgz")], { cwd: folder, tools })
  if (packed.code !== 0) return complaints(packed)
  const unpacked = await command("tar", ["-xzf", "package.tgz", "--strip-components=1"], { cwd: into, tools })
  if (unpacked.code !== 0) return complaints(unpacked)
  const tarball = readFileSync(join(into, "package.tgz"))
  const bytes = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength)
  rmSync(join(into, "package.tgz"))
  const { messages, pkg } = await publint({ strict: true, level: "warning", pack: { tarball: bytes } })
  const said = messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)
  return [...said.map((text) => `publint: ${text}`), ...manifestProblems(readManifest(join(into, "package.json")))]
}

const consumerConfig = {
  compilerOptions: {
    target: "es2024",
    lib: ["ES2024", "ESNext.Disposable", "DOM", "DOM.AsyncIterable"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    types: ["node"],
    skipLibCheck: false,
    noEmit: true
  },
  files: ["consumer.ts"]
}

/** Programs that a manifest installs, as paths below the workspace's folder of packed packages. */
export const programsOf = (manifest: Manifest): ReadonlyArray<string> =>
  Object.values(table(manifest, "bin")).map((path) => join(String(manifest["name"]), String(path)))

/** A packed program must at least tell what it does. */
export const programProblems = async (
  folder: string,
  programs: ReadonlyArray<string>,
  tools: string
): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  for (const program of programs) {
    const result = await command(process.execPath, [join("node_modules", program), "--help"], { cwd: folder, tools })
    problems.push(...complaints(result).map((problem) => `${program} --help: ${problem}`))
    if (result.code === 0 && result.stdout.trim() === "") problems.push(`${program} --help prints nothing`)
  }
  return problems
}

/** Test kits load a test framework that works only inside its runner, so only their types are tried. */
const loadable = (entry: string): boolean => !entry.endsWith("/testing")

/** Uses what was packed as a stranger would: every entry type-checks from its declarations and loads in plain Node. */
export const consumerProblems = async (
  folder: string,
  entries: ReadonlyArray<string>,
  tools: string
): Promise<ReadonlyArray<string>> => {
  const lines = entries.map((entry, index) => `import * as entry${index} from "${entry}"\nvoid entry${index}\n`)
  writeFileSync(join(folder, "consumer.ts"), lines.join(""))
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(consumerConfig))
  const loads = entries.filter(loadable).map((entry) => `await import("${entry}")\n`)
  writeFileSync(join(folder, "load.mjs"), loads.join(""))
  const checked = complaints(await command("tsc", ["-p", "tsconfig.json"], { cwd: folder, tools }))
  const loaded = complaints(await command(process.execPath, ["load.mjs"], { cwd: folder, tools }))
  return [...checked, ...loaded]
}

export const packages: Gate = {
  name: "packages",
  run: async (root) => {
    // Inside the workspace, so that effect and the other peers are found on the way up.
    const folder = join(root, "node_modules/.cache/botmesh-gates/consumer")
    rmSync(folder, { recursive: true, force: true })
    const names = readdirSync(join(root, "packages")).filter((name) =>
      existsSync(join(root, "packages", name, "package.json"))
    )
    const problems: Array<string> = []
    const entries: Array<string> = []
    const programs: Array<string> = []
    for (const name of names) {
      const manifest = readManifest(join(root, "packages", name, "package.json"))
      if (manifest["private"] === true) continue
      const found = await packedProblems(
        join(root, "packages", name),
        join(folder, "node_modules/@botmesh", name),
        root
      )
      linkDependencies(manifest, join(root, "packages", name), join(folder, "node_modules"))
      const published = sources(root, [`packages`]).filter(({ path }) => path.startsWith(`packages/${name}/src/`))
      problems.push(
        ...[...found, ...undeclaredImports(manifest, published)].map((problem) => `@botmesh/${name}: ${problem}`)
      )
      entries.push(...entriesOf(manifest))
      programs.push(...programsOf(manifest))
    }
    problems.push(
      ...(await consumerProblems(folder, entries, root)),
      ...(await programProblems(folder, programs, root))
    )
    return { problems, notes: [] }
  }
}
