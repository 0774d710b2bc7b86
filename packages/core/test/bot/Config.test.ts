import { describe, expect, it } from "@effect/vitest"
import { Config, ConfigProvider, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Bot, type ConfigValidationError } from "../../src/index.ts"
import { readOptions } from "../../src/bot/Config.ts"
import { run } from "../kit/Engine.ts"

type Options = Parameters<typeof readOptions>[0]
const bad = (options: Options): Effect.Effect<ConfigValidationError, unknown> => Effect.flip(readOptions(options))
/** What somebody without a type checker may write. */
const untyped = (options: object): Options => options

describe("B11 options", () => {
  const forms: ReadonlyArray<readonly [Options["settle"], number]> = [
    ["500ms", 500],
    ["30s", 30_000],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["1d", 86_400_000],
    ["1w", 604_800_000],
    ["5 minutes", 300_000],
    ["1h30m", 5_400_000],
    [1500, 1500],
    [Duration.seconds(3), 3000]
  ]
  for (const [form, millis] of forms) {
    it.effect(`B11 a duration may be ${typeof form === "object" ? "an Effect Duration" : JSON.stringify(form)}`, () =>
      Effect.gen(function* () {
        const settings = yield* readOptions({ settle: form!, conversation: { timeout: form! }, stopGrace: form! })
        expect([settings.settle, settings.timeout, settings.stopGrace]).toEqual([millis, millis, millis])
      })
    )
  }

  const durations: ReadonlyArray<readonly [string, (value: "soon") => Options]> = [
    ["settle", (value) => ({ settle: value })],
    ["turnWait", (value) => ({ turnWait: value })],
    ["stopGrace", (value) => ({ stopGrace: value })],
    ["dedupe.ttl", (value) => ({ dedupe: { ttl: value } })],
    ["echoFilter.ttl", (value) => ({ echoFilter: { ttl: value } })],
    ["conversation.timeout", (value) => ({ conversation: { timeout: value } })],
    ["conversation.dormantAfter", (value) => ({ conversation: { dormantAfter: value } })],
    ["handover.ttl", (value) => ({ handover: { ttl: value } })],
    ["typing.min", (value) => ({ typing: { min: value, max: "1s" } })],
    ["typing.max", (value) => ({ typing: { min: "1s", max: value } })]
  ]
  for (const [field, options] of durations) {
    it.effect(`B11 a bad ${field} fails with ConfigValidationError that names its path`, () =>
      Effect.gen(function* () {
        expect(yield* bad(options("soon"))).toMatchObject({
          _tag: "ConfigValidationError",
          field,
          message: `Invalid config.${field}: expected a duration ('500ms', '30s', '10m', '1h') or milliseconds, got string ("soon")`
        })
        expect((yield* bad(untyped(options(0 as never)))).message).toContain(`Invalid config.${field}: `)
      })
    )
  }

  const others: ReadonlyArray<readonly [string, object, string]> = [
    [
      "handover.fallback",
      { handover: { fallback: "maybe" } },
      'one of drop, notify, restart, or a function, got "maybe"'
    ],
    ["handover.flows", { handover: { flows: "on" } }, 'one of forward, off, got string ("on")'],
    ["tenant", { tenant: "a/b" }, 'a text without "/", got string ("a/b")'],
    ["tenant", { tenant: "" }, 'a text without "/", got string ("")'],
    ["groupMode", { groupMode: "some" }, 'one of all, mention, command, none, got string ("some")'],
    ["providerSession", { providerSession: "both" }, 'one of auto, leader, shared, got string ("both")'],
    ["conversationScope", { conversationScope: "person" }, 'one of participant, chat, got string ("person")'],
    ["dedupe", { dedupe: "yes" }, 'true or false, got string ("yes")'],
    ["dedupe.size", { dedupe: { size: 0 } }, "a whole number of at least 1, got number (0)"],
    ["dedupe.size", { dedupe: { size: 1.5 } }, "a whole number of at least 1, got number (1.5)"],
    ["echoFilter.size", { echoFilter: { size: "9" } }, 'a whole number of at least 1, got string ("9")'],
    ["access.blacklist", { access: { blacklist: "ana" } }, 'a list of texts, got string ("ana")'],
    ["access.whitelist", { access: { whitelist: [5] } }, "a list of texts, got array"],
    ["handoff.allowCommands", { handoff: { allowCommands: {} } }, "a list of texts, got object"],
    ["i18n.default", { i18n: { default: 5 } }, 'a text without "/", got number (5)'],
    ["typing.max", { typing: { min: "2s", max: "1s" } }, "at least typing.min (2000 ms), got 1000 ms"],
    ["apology", { apology: "no" }, 'true or false, got string ("no")'],
    ["autoStart", { autoStart: 1 }, "true or false, got number (1)"],
    ...["perKey", "total", "steps", "pending", "cuts", "views"].map(
      (limit) =>
        [`limits.${limit}`, { limits: { [limit]: -1 } }, "a whole number of at least 1, got number (-1)"] as const
    ),
    ["limits.gotos", { limits: { gotos: Number.NaN } }, "a whole number of at least 0, got number (NaN)"]
  ]
  for (const [field, options, expected] of others) {
    it.effect(`B11 a bad ${field} is named: ${expected}`, () =>
      Effect.gen(function* () {
        const error = yield* bad(untyped(options))
        expect(error).toMatchObject({ field, message: `Invalid config.${field}: expected ${expected}` })
      })
    )
  }

  it.effect("B11 the layer does not build with a bad option", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(run(Bot.make("shop", [], { settle: "soon" })))).toMatchObject({
        _tag: "ConfigValidationError",
        field: "settle"
      })
    })
  )

  it.effect("B11 the defaults are the settled ones", () =>
    Effect.gen(function* () {
      expect(yield* readOptions({})).toEqual({
        tenant: "default",
        providerSession: "auto",
        providerDown: 60_000,
        settle: 60_000,
        stopGrace: 10_000,
        groupMode: "all",
        perParticipant: true,
        dedupe: { size: 1000, ttl: undefined },
        echo: undefined,
        access: {},
        timeout: undefined,
        dormantAfter: 600_000,
        turnWait: undefined,
        handover: {
          forward: false,
          fallback: "drop",
          notifyMessage: undefined,
          ttl: 300_000,
          maxAnswerBytes: 16_384
        },
        typing: undefined,
        lang: "en",
        languages: [],
        detect: undefined,
        handoffCommands: [],
        limits: { perKey: 1000, total: 20_000, steps: 1000, gotos: 100, pending: 16, cuts: 8, views: 10_000 },
        apology: true,
        autoStart: true
      })
    })
  )
})

describe("options from Config", () => {
  const env = (values: Record<string, unknown>) => ConfigProvider.layer(ConfigProvider.fromUnknown(values))

  it.effect("each field takes a Config of its value, read when the bot is built", () =>
    Effect.gen(function* () {
      const options: Options = {
        tenant: Config.String("TENANT"),
        settle: Config.String("SETTLE"),
        stopGrace: Config.Duration("GRACE"),
        groupMode: Config.Literals(["all", "mention"], "GROUPS"),
        dedupe: { size: Config.Int("DEDUPE"), ttl: Config.String("TTL") },
        echoFilter: Config.Boolean("ECHO"),
        access: { blacklist: Config.map(Config.String("BLOCKED"), (text) => text.split(",")) },
        typing: { min: Config.String("TYPING"), max: "9s" },
        limits: { perKey: Config.Int("PER_KEY") },
        i18n: { default: Config.String("LANG").pipe(Config.withDefault("es")) },
        apology: Config.Boolean("APOLOGY")
      }
      const settings = yield* readOptions(options)
      expect(settings).toMatchObject({
        tenant: "acme",
        settle: 30_000,
        stopGrace: 5_000,
        groupMode: "mention",
        dedupe: { size: 7, ttl: 3_600_000 },
        echo: { size: 1000 },
        access: { blacklist: ["a", "b"] },
        typing: { min: 1000, max: 9000 },
        limits: { perKey: 3 },
        lang: "es",
        apology: false
      })
    }).pipe(
      Effect.provide(
        env({
          TENANT: "acme",
          SETTLE: "30s",
          GRACE: "5 seconds",
          GROUPS: "mention",
          DEDUPE: "7",
          TTL: "1h",
          ECHO: "true",
          BLOCKED: "a,b",
          TYPING: "1s",
          PER_KEY: "3",
          APOLOGY: "false"
        })
      )
    )
  )

  it.effect("a missing or bad one names the option's path", () =>
    Effect.gen(function* () {
      const missing = yield* bad({ limits: { perKey: Config.Int("PER_KEY") } })
      expect(missing).toMatchObject({ _tag: "ConfigValidationError", field: "limits.perKey" })
      expect(missing.message).toContain("PER_KEY")
      expect(yield* bad({ settle: Config.String("SETTLE") })).toMatchObject({
        field: "settle",
        message: `Invalid config.settle: expected a duration ('500ms', '30s', '10m', '1h') or milliseconds, got string ("soon")`
      })
    }).pipe(Effect.provide(env({ SETTLE: "soon" })))
  )

  it.effect("a bot is built with them", () =>
    Effect.gen(function* () {
      const { bot, inbound, mock } = yield* run(
        Bot.make("shop", [Bot.onMessage(() => Effect.never)], { settle: Config.String("SETTLE") })
      )
      yield* mock.deliver(inbound.text({ chat: "ana", body: "x" }))
      const settled = yield* Effect.forkChild(bot.settled, { startImmediately: true })
      yield* TestClock.adjust("7 seconds")
      yield* Fiber.join(settled)
      expect(bot.metrics.snapshot().suspended.settle).toBe(1)
    }).pipe(Effect.provide(env({ SETTLE: "7s" })))
  )
})
