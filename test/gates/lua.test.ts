import { describe, expect, test } from "vitest"
import { generateLua, luaProblems, readHeader } from "../../scripts/gates/lua.ts"
import { plant, root } from "./Tree.ts"

const folder = "packages/a/src/lua"
const good = [
  "-- Counts.",
  "-- uses: time",
  "-- KEYS: total (one)...",
  "-- ARGV: by (name)...",
  "-- returns: the sum",
  "return redis.call('INCRBY', total, by)",
  ""
].join("\n")
const time = "-- The clock.\nlocal clock = redis.call('TIME')\n"
const file = (name: string, text: string) => ({ path: `${folder}/${name}`, text })
const tree = (text: string, generated: string) =>
  plant({
    [`${folder}/count.lua`]: text,
    [`${folder}/shared/time.lua`]: time,
    [`${folder}/scripts.generated.ts`]: generated
  })
const current = generateLua(folder, [file("count.lua", good), file("shared/time.lua", time)]).text

describe("lua gate", () => {
  test("the workspace's own scripts are in step with what was generated", () => {
    expect(luaProblems(root)).toEqual([])
  })
  test("a script that is in step passes; its keys and arguments have names, shared parts come first", () => {
    using planted = tree(good, current)
    expect(luaProblems(planted.path)).toEqual([])
    expect(current).toContain(
      JSON.stringify(
        [
          "local total = KEYS[1]",
          "local by = ARGV[1]",
          "local fixedKeys, fixedArgs = 1, 1",
          "local count = (#KEYS - fixedKeys) / 1",
          "local clock = redis.call('TIME')",
          "return redis.call('INCRBY', total, by)"
        ].join("\n")
      )
    )
  })
  test("planted: an edit that was not generated again is found, in a script and in a shared part", () => {
    using script = tree(good.replace("INCRBY", "DECRBY"), current)
    expect(luaProblems(script.path)).toEqual([`${folder}/scripts.generated.ts is out of date: run node scripts/lua.ts`])
    using shared = tree(good, current.replace("TIME", "TIMES"))
    expect(luaProblems(shared.path)).toHaveLength(1)
  })
  test("planted: a key that was put together is found (R9)", () => {
    const bad = good.replace("total, by", "'total:' .. by, 1")
    const { problems } = generateLua(folder, [file("count.lua", bad), file("shared/time.lua", time)])
    expect(problems).toEqual([`${folder}/count.lua:6 INCRBY takes "'total:' .. by": name the key in the header (R9)`])
  })
  test("planted: headers that lack something, repeat a name or name no shared part are refused", () => {
    expect(() => readHeader(file("count.lua", good.replace("-- ARGV: by (name)...\n", "")))).toThrow("the header wants")
    expect(() => readHeader(file("count.lua", good.replace("ARGV: by", "ARGV: total")))).toThrow(
      '"total" is named twice'
    )
    expect(() => readHeader(file("count.lua", good.replace("KEYS: total", "KEYS: 1st")))).toThrow('"1st" is no name')
    expect(() => readHeader(file("count.lua", good.replace("-- Counts.", "local x = 1")))).toThrow(
      "begin with a comment"
    )
    expect(() => generateLua(folder, [file("count.lua", good)])).toThrow("there is no shared/time.lua")
  })
})
