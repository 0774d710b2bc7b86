import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Gate } from "./gate.ts"
import { files } from "./source.ts"

/** What the header of a Lua file says: names in order, and those in `( … )...` that come once an item. */
export interface LuaHeader {
  readonly name: string
  readonly uses: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
  readonly eachKeys: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
  readonly eachArgs: ReadonlyArray<string>
}

export interface LuaFile {
  /** Beginning at the workspace's root. */
  readonly path: string
  readonly text: string
}

const words = (text: string): ReadonlyArray<string> => text.split(/\s+/u).filter((word) => word !== "")

const line = (file: LuaFile, label: string): string | undefined =>
  file.text
    .split("\n")
    .find((text) => text.startsWith(`-- ${label}: `))
    ?.slice(label.length + 5)
    .trim()

const name = /^[a-z][A-Za-z]*$/u

const group = (file: LuaFile, label: string, text: string): readonly [ReadonlyArray<string>, ReadonlyArray<string>] => {
  const match = /^([^()]*)(?:\(([^()]*)\)\.\.\.)?$/u.exec(text)
  if (match === null) throw new Error(`${file.path}: -- ${label}: cannot read "${text}"`)
  const [fixed, each] = [words(match[1] ?? ""), words(match[2] ?? "")]
  const bad = [...fixed, ...each].find((word) => !name.test(word))
  if (bad !== undefined) throw new Error(`${file.path}: -- ${label}: "${bad}" is no name`)
  return [fixed, each]
}

/** Reads the header of a script. Throws with what is wrong with it. */
export const readHeader = (file: LuaFile): LuaHeader => {
  if (!/^-- [A-Z]/u.test(file.text)) throw new Error(`${file.path}: begin with a comment that says what it does`)
  const [keys, args, returns] = [line(file, "KEYS"), line(file, "ARGV"), line(file, "returns")]
  if (keys === undefined || args === undefined || returns === undefined)
    throw new Error(`${file.path}: the header wants "-- KEYS:", "-- ARGV:" and "-- returns:"`)
  const [fixedKeys, eachKeys] = group(file, "KEYS", keys)
  const [fixedArgs, eachArgs] = group(file, "ARGV", args)
  const all = [...fixedKeys, ...eachKeys, ...fixedArgs, ...eachArgs]
  const twice = all.find((word, index) => all.indexOf(word) !== index)
  if (twice !== undefined) throw new Error(`${file.path}: "${twice}" is named twice`)
  return {
    name: basename(file.path, ".lua"),
    uses: words(line(file, "uses") ?? ""),
    keys: fixedKeys,
    eachKeys,
    args: fixedArgs,
    eachArgs
  }
}

const code = (text: string): string =>
  text
    .split("\n")
    .filter((row) => row.trim() !== "" && !row.startsWith("--"))
    .join("\n")

const locals = (names: ReadonlyArray<string>, table: string): ReadonlyArray<string> =>
  names.length === 0
    ? []
    : [`local ${names.join(", ")} = ${names.map((_, index) => `${table}[${index + 1}]`).join(", ")}`]

const batch = ({ args, eachKeys, keys }: LuaHeader): ReadonlyArray<string> =>
  eachKeys.length === 0
    ? []
    : [
        `local fixedKeys, fixedArgs = ${keys.length}, ${args.length}`,
        `local count = (#KEYS - fixedKeys) / ${eachKeys.length}`
      ]

/** The script as Redis gets it: names for KEYS and ARGV, the shared parts it uses, then the file's own code. */
export const linkLua = (file: LuaFile, header: LuaHeader, shared: ReadonlyMap<string, string>): string =>
  [
    ...locals(header.keys, "KEYS"),
    ...locals(header.args, "ARGV"),
    ...batch(header),
    ...header.uses.map((part) => {
      const text = shared.get(part)
      if (text === undefined) throw new Error(`${file.path}: there is no shared/${part}.lua`)
      return code(text)
    }),
    code(file.text)
  ].join("\n")

/** A script may touch only keys that were declared to it (R9): a name or a place in KEYS, never a text put together. */
const undeclared = (file: LuaFile): ReadonlyArray<string> =>
  file.text.split("\n").flatMap((row, index) => {
    const calls = [...row.matchAll(/redis\.p?call\('([A-Z]+)'(?:, ([^,)]*))?/gu)]
    return calls.flatMap(([, command, key]) =>
      command === "TIME" || command === "PUBLISH" || /^(?:[a-z][A-Za-z]*|KEYS\[.*)$/u.test(key ?? "")
        ? []
        : [`${file.path}:${index + 1} ${command} takes "${key}": name the key in the header (R9)`]
    )
  })

export interface Generated {
  readonly path: string
  readonly text: string
  readonly problems: ReadonlyArray<string>
}

const list = (names: ReadonlyArray<string>): string => `[${names.map((one) => `"${one}"`).join(", ")}]`

const row = (file: LuaFile, shared: ReadonlyMap<string, string>): string => {
  const header = readHeader(file)
  const lua = linkLua(file, header, shared)
  return [
    `export const ${header.name} = script({`,
    `  name: "${header.name}",`,
    `  sha: "${createHash("sha1").update(lua).digest("hex")}",`,
    `  keys: ${list(header.keys)},`,
    `  args: ${list(header.args)},`,
    `  eachKeys: ${list(header.eachKeys)},`,
    `  eachArgs: ${list(header.eachArgs)},`,
    `  lua: ${JSON.stringify(lua)}`,
    "})"
  ].join("\n")
}

/** The descriptors of all scripts of one folder, as the text of its scripts.generated.ts. */
export const generateLua = (folder: string, all: ReadonlyArray<LuaFile>): Generated => {
  const shared = new Map(
    all
      .filter(({ path }) => dirname(path) === `${folder}/shared`)
      .map(({ path, text }) => [basename(path, ".lua"), text] as const)
  )
  const own = all.filter(({ path }) => dirname(path) === folder)
  const head = [
    "// Written by scripts/lua.ts from the Lua files beside it. Edit those, then run: node scripts/lua.ts",
    `import { script } from "../client/Script.ts"`
  ].join("\n")
  return {
    path: `${folder}/scripts.generated.ts`,
    text: `${[head, ...own.map((file) => row(file, shared))].join("\n\n")}\n`,
    problems: all.flatMap(undeclared)
  }
}

/** Folders with scripts, and what is to be generated beside them. */
export const generateAll = (root: string): ReadonlyArray<Generated> => {
  const all = files(root, ["packages"], [".lua"])
    .filter((path) => /^packages\/[^/]+\/src\//u.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
  const folders = new Set(all.map(({ path }) => dirname(path)).filter((folder) => basename(folder) !== "shared"))
  return [...folders].map((folder) =>
    generateLua(
      folder,
      all.filter(({ path }) => path.startsWith(`${folder}/`))
    )
  )
}

/** What is wrong with the scripts of a workspace, or with what was generated from them. */
export const luaProblems = (root: string): ReadonlyArray<string> =>
  generateAll(root).flatMap(({ path, problems, text }) => {
    const stands = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : ""
    return stands === text ? problems : [...problems, `${path} is out of date: run node scripts/lua.ts`]
  })

/** Lua scripts keep to their header, and what is generated from them is in step. */
export const lua: Gate = { name: "lua", run: async (root) => ({ problems: luaProblems(root), notes: [] }) }
