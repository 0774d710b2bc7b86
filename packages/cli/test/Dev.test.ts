import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { fixture, run, start, temporary } from "./Botmesh.ts"

// Each test starts whole processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let place: ReturnType<typeof temporary>
beforeAll(() => {
  place = temporary()
})
afterAll(() => place.remove())
const written = (name: string, text: string): string => {
  const path = join(place.path, name)
  writeFileSync(path, text)
  return path
}

it("tells what it does, whole and command by command", async () => {
  const [whole, dev, version] = await Promise.all([run(["--help"]), run(["dev", "--help"]), run(["--version"])])
  expect([whole.code, dev.code, version.code]).toEqual([0, 0, 0])
  expect(whole.out.join("\n")).toMatch(/dev .*conversations/su)
  expect(dev.out.join("\n")).toMatch(/--data FILE.*--watch/su)
  expect(version.out).toEqual(["botmesh v0.1.0"])
})

it("talks to the bot of a TypeScript file, and keeps what it is told to keep", async () => {
  const data = join(place.path, "shop.db")
  const first = await run(["dev", fixture("shop.ts"), "--data", data], "hola\nregistrar\nAna")
  expect(first).toMatchObject({ code: 0, out: ["👋 ¡Hola!", "¿Tu nombre?", "¿Plan?", "1. Pro", "2. Max"] })
  expect(first.err).toContain('bot "shop" is running')
  const second = await run(["dev", fixture("shop.ts"), "--data", data], "2")
  expect(second).toMatchObject({ code: 0, out: ["Listo, Ana: max por 9"] })
})

it("keeps nothing without --data, and warns about it", async () => {
  const args = ["dev", fixture("shop.ts")]
  const [first, second] = [await run(args, "registrar"), await run(args, "Ana")]
  expect([first.out, second.out]).toEqual([["¿Tu nombre?"], ["No te entendí"]])
  expect(first.err).toContain("a restart forgets it")
})

it("shows what a handler fails with, and goes on", async () => {
  const { code, out } = await run(["dev", fixture("shop.ts")], "fallo\nhola")
  expect(code).toBe(0)
  expect(out).toContain('[error in when "fallo"] Error: se rompió')
  expect(out.at(-1)).toBe("👋 ¡Hola!")
})

it("says what to do when it cannot run the file", async () => {
  const cases: ReadonlyArray<readonly [file: string, says: RegExp]> = [
    [join(place.path, "none.ts"), /There is no file .*none\.ts: give the file that exports your bot/u],
    [written("empty.mjs", ""), /has no default export \(it exports nothing\)\. Write\n\n +export default Bot\.make/u],
    [written("named.mjs", "export const shop = 1, x = 2"), /has no default export \(it exports shop, x\)/u],
    [written("number.mjs", "export default 7"), /is a value of type number and no bot: export what Bot\.make gives/u],
    [written("broken.mjs", "export default {"), /broken\.mjs cannot be loaded: Unexpected end of input/u],
    [written("lost.mjs", 'import "./gone.ts"'), /cannot be loaded: Cannot find module .*gone\.ts/u],
    [
      fixture("twice.ts"),
      /Bot "twice" cannot be built:\n.*the trigger "HOLA " is registered twice \(first as "hola"\)/u
    ]
  ]
  const results = await Promise.all(cases.map(([file]) => run(["dev", file])))
  for (const [at, { code, err, out }] of results.entries()) {
    expect({ code, out }).toEqual({ code: 1, out: [] })
    expect(err).toMatch(cases[at]?.[1] ?? /^$/u)
    expect(err).not.toMatch(/^\s+at /mu)
  }
})

it("says so when the export `layer` is no layer, or the bot needs a service that it does not give", async () => {
  const bot = 'import { Bot } from "@botmesh/core"\nexport default Bot.make("b", [])\nexport const layer = []'
  const [wrong, missing] = await Promise.all([
    run(["dev", written("layer.mjs", bot)]),
    run(["dev", fixture("unserved.ts")], "registrar\nAna\npro")
  ])
  expect(wrong.code).toBe(1)
  expect(wrong.err).toContain('The export "layer" of')
  expect(wrong.err).toContain("is an array and no Layer")
  expect(missing.out.join("\n")).toContain("Service not found: test/Prices")
})

it("stops gracefully when it is told to", async () => {
  const command = start(["dev", fixture("shop.ts")])
  command.say("hola")
  await command.sees("¡Hola!")
  command.kill("SIGTERM")
  expect((await command.ended).code).toBe(0)
})

it("starts again when the file changes, also after a fault in it, and ends with its input", async () => {
  const bot = (reply: string) =>
    `import { Bot } from "@botmesh/core"\nexport default Bot.make("w", [Bot.onMessage((chat) => chat.reply("${reply}"))])\n`
  const file = written("watched.mjs", bot("uno"))
  const command = start(["dev", file, "--watch"])
  command.say("a")
  await command.sees("uno\n")
  writeFileSync(file, "export default {")
  await command.sees("Waiting for a change")
  writeFileSync(file, bot("dos"))
  await command.sees("starting again\n")
  command.say("b")
  await command.sees("dos\n")
  command.end()
  const { code, out } = await command.ended
  expect({ code, out }).toEqual({ code: 0, out: ["uno", "dos"] })
})
