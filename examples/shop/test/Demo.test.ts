/** The demo in a terminal: a process of its own, killed and started again. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { runDemo, startDemo, temporary } from "./Demo.ts"
import { type Kind, killRound, seeded } from "./KillRound.ts"

// Each test starts whole processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 })

let place: ReturnType<typeof temporary>
beforeEach(() => {
  place = temporary()
})
afterEach(() => place.remove())

const charges = (): ReadonlyArray<string> => readFileSync(join(place.path, "charges.log"), "utf8").split("\n")

it("ends a sign-up that an earlier process began", async () => {
  const args = ["--data", place.data]
  const first = await runDemo(args, "hola\nregistrar\nAna\n")
  expect(first).toMatchObject({ code: 0, signal: null })
  expect(first.lines[0]).toBe("👋 ¡Hola!")
  expect(first.lines.slice(-2)).toEqual(["¿Tu nombre?", "¿Tu edad?"])
  expect(first.errors).toContain('bot "shop" is running')
  expect(existsSync(join(place.path, "charges.log"))).toBe(false)

  const second = await runDemo(args, "31\npro\n")
  expect(second).toMatchObject({ code: 0, lines: ["¿Plan?", "1. Pro", "2. Max", "Listo, Ana: pro"] })
  expect(charges()).toEqual([expect.stringMatching(/^you\/registrar\/\S+:charge$/u), ""])
})

it("takes a whole sign-up in one go, the plan by its number, from a person who got the age wrong", async () => {
  const { code, lines } = await runDemo(["--data", place.data], "registrar\nAna\n17\ntreinta\n٣١\n2\n")
  expect(code).toBe(0)
  expect(lines).toEqual([
    "¿Tu nombre?",
    "¿Tu edad?",
    "Entre 18 y 99, por favor",
    "Entre 18 y 99, por favor",
    "¿Plan?",
    "1. Pro",
    "2. Max",
    "Listo, Ana: max"
  ])
})

it("tells what it does, and ends at once where there is nothing to read", async () => {
  const [help, version, nothing] = await Promise.all([
    runDemo(["--help"]),
    runDemo(["--version"]),
    runDemo(["--data", place.data])
  ])
  expect([help.code, version.code, nothing.code]).toEqual([0, 0, 0])
  for (const word of ["--data FILE", "--port", "TELEGRAM_TOKEN", "TELEGRAM_SECRET", "SIGTERM"]) {
    expect(help.lines.join("\n")).toContain(word)
  }
  expect(nothing.lines).toEqual([])
})

it("says in words what is wrong with its file or its port", async () => {
  writeFileSync(join(place.path, "notes.txt"), "this is no database, but a text of some length: ".repeat(100))
  const results = await Promise.all([
    runDemo(["--data", join(place.path, "none", "shop.db")]),
    runDemo(["--data", join(place.path, "notes.txt")]),
    runDemo(["--port", "70000"])
  ])
  for (const { code, errors } of results) {
    expect(code).toBe(1)
    expect(errors).not.toMatch(/^\s+at /mu)
  }
  expect(results.map(({ errors }) => errors)).toEqual([
    expect.stringContaining("none"),
    expect.stringContaining("notes.txt"),
    expect.stringContaining("70000 is no port: 0 to 65535")
  ])
})

it("stops gracefully on SIGTERM with its input open: what is under way ends first", async () => {
  const demo = startDemo(["--data", place.data])
  for (const line of ["registrar", "Ana", "31", "pro"]) demo.say(line)
  await demo.sees((line) => line === "2. Max")
  demo.kill("SIGTERM")
  expect(await demo.ended).toEqual({ code: 0, signal: null })
  expect(demo.lines.at(-1)).toMatch(/^Listo, Ana: pro$|^2\. Max$/u)
})

it("leaves with /quit while its input is still open", async () => {
  const demo = startDemo(["--data", place.data])
  demo.say("hola")
  demo.say("/quit")
  expect(await demo.ended).toEqual({ code: 0, signal: null })
  expect(demo.lines[0]).toBe("👋 ¡Hola!")
})

const kills: ReadonlyArray<readonly [round: number, kind: Kind]> = [
  [1, "anywhere"],
  [2, "answers"],
  [3, "charge"],
  [4, "anywhere"],
  [5, "start"],
  [6, "charge"]
]
it("kill -9 in the middle of a sign-up, six times: each ends right after a restart", async () => {
  const seed = Number(process.env["BOTMESH_SEED"] ?? 20)
  const random = seeded(seed)
  for (const [round, kind] of kills) {
    const { problems } = await killRound(place.path, round, kind, random)
    expect({ seed, round, kind, problems }).toEqual({ seed, round, kind, problems: [] })
  }
})
