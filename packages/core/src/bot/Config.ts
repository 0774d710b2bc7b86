/** The options of a bot and their settled defaults (design.md 6, 9). Durations are texts, milliseconds or Durations (B11). */
import { Duration, Effect } from "effect"
import type { Languages } from "../i18n/Catalogue.ts"
import type { AccessLists } from "../inbound/2-admit/Access.ts"
import type { GroupMode } from "../inbound/2-admit/GroupMode.ts"
import { ConfigValidationError, type DurationInput, parseDuration } from "../model/Duration.ts"

export interface BotOptions {
  /** Keeps tenants apart in one store. Default "default". */
  readonly tenant?: string
  /** Longest hold of a turn by a handler and step still running; then they are cut. Default 1m (C9). */
  readonly settle?: DurationInput
  /** Longest wait for a turn without a grant on its key, with a shared coordinator. Default 2m (C8). */
  readonly turnWait?: DurationInput
  /** How long a stop waits for what is running. Default 10s. */
  readonly stopGrace?: DurationInput
  /** What the bot hears in groups. Default "all" (A7). */
  readonly groupMode?: GroupMode
  /** One conversation a participant of a group, or one a chat. Default "participant" (B6). */
  readonly conversationScope?: "participant" | "chat"
  /** Default `{ size: 1000 }`; false turns it off (A4). */
  readonly dedupe?: false | { readonly size?: number; readonly ttl?: DurationInput }
  /** Off unless given; true means `{ size: 1000 }` (A2). */
  readonly echoFilter?: boolean | { readonly size?: number; readonly ttl?: DurationInput }
  readonly access?: AccessLists
  readonly conversation?: {
    /** The wait of a question that names none. None unless set (B3). */
    readonly timeout?: DurationInput
    /** A parked persistent conversation gives its fiber up after this. Default 10m. */
    readonly dormantAfter?: DurationInput
  }
  /** Default off (B23). */
  readonly typing?: { readonly min: DurationInput; readonly max: DurationInput }
  readonly i18n?: {
    /** Default "en". */
    readonly default?: string
    readonly languages?: Languages | ReadonlyArray<Languages>
    /** Guesses the language of a text; asked when neither the profile nor the transport knows (A9). */
    readonly detect?: (body: string) => string | undefined
  }
  readonly handoff?: { readonly allowCommands?: ReadonlyArray<string> }
  readonly limits?: {
    /** Messages waiting for one key; default 1,000. */
    readonly perKey?: number
    /** Messages waiting in the process; default 20,000. */
    readonly total?: number
    /** Steps of a turn without a wait; default 1,000. */
    readonly steps?: number
    /** Gotos of a turn without a wait; default 100. */
    readonly gotos?: number
    /** Messages kept while a conversation sleeps; default 16 (R16). */
    readonly pending?: number
    /** Cuts of one op in a row; default 8 (R16). */
    readonly cuts?: number
    /** Keys whose profile and handoff are kept in memory; default 10,000. */
    readonly views?: number
  }
  /** A localised apology when a handler fails and nothing answered for it. Default true (B25). */
  readonly apology?: boolean
  /** Starts with the layer. Default true. */
  readonly autoStart?: boolean
}

export interface Settings {
  readonly tenant: string
  /** All durations in ms. */
  readonly settle: number
  readonly stopGrace: number
  readonly groupMode: GroupMode
  readonly perParticipant: boolean
  readonly dedupe: { readonly size: number; readonly ttl: number | undefined } | undefined
  readonly echo: { readonly size: number; readonly ttl: number | undefined } | undefined
  readonly access: AccessLists
  readonly timeout: number | undefined
  readonly dormantAfter: number
  readonly typing: { readonly min: number; readonly max: number } | undefined
  readonly lang: string
  readonly languages: ReadonlyArray<Languages>
  readonly detect: ((body: string) => string | undefined) | undefined
  readonly handoffCommands: ReadonlyArray<string>
  readonly limits: Required<NonNullable<BotOptions["limits"]>>
  readonly apology: boolean
  readonly autoStart: boolean
}

/** Zero is refused: each of these is a timeout or a bound (design.md 9). */
const millis = (input: DurationInput, field: string): Effect.Effect<number, ConfigValidationError> =>
  Effect.map(Effect.fromResult(parseDuration(input, `config.${field}`, { zero: "refuse" })), Duration.toMillis)
const optional = (input: DurationInput | undefined, field: string) =>
  input === undefined ? Effect.undefined : millis(input, field)

const atLeast = (value: number, minimum: number, field: string): Effect.Effect<number, ConfigValidationError> =>
  Number.isInteger(value) && value >= minimum
    ? Effect.succeed(value)
    : Effect.fail(
        new ConfigValidationError({
          field: `config.${field}`,
          message: `Invalid config.${field}: expected a whole number of at least ${minimum}, got ${String(value)}`
        })
      )

const ring = Effect.fnUntraced(function* (
  option: boolean | { readonly size?: number; readonly ttl?: DurationInput } | undefined,
  field: string
) {
  if (option === undefined || option === false) return undefined
  const given = option === true ? {} : option
  return {
    size: yield* atLeast(given.size ?? 1000, 1, `${field}.size`),
    ttl: yield* optional(given.ttl, `${field}.ttl`)
  }
})

/** Checks every option; the first bad one fails with its path (B11). */
export const readOptions = Effect.fnUntraced(function* (options: BotOptions) {
  const limits = options.limits ?? {}
  const languages = options.i18n?.languages ?? []
  const settings: Settings = {
    tenant: options.tenant ?? "default",
    settle: yield* millis(options.settle ?? "1m", "settle"),
    stopGrace: yield* millis(options.stopGrace ?? "10s", "stopGrace"),
    groupMode: options.groupMode ?? "all",
    perParticipant: options.conversationScope !== "chat",
    dedupe: yield* ring(options.dedupe ?? true, "dedupe"),
    echo: yield* ring(options.echoFilter, "echoFilter"),
    access: options.access ?? {},
    timeout: yield* optional(options.conversation?.timeout, "conversation.timeout"),
    dormantAfter: yield* millis(options.conversation?.dormantAfter ?? "10m", "conversation.dormantAfter"),
    typing:
      options.typing === undefined
        ? undefined
        : {
            min: yield* millis(options.typing.min, "typing.min"),
            max: yield* millis(options.typing.max, "typing.max")
          },
    lang: options.i18n?.default ?? "en",
    languages: isList(languages) ? languages : [languages],
    detect: options.i18n?.detect,
    handoffCommands: options.handoff?.allowCommands ?? [],
    limits: {
      perKey: yield* atLeast(limits.perKey ?? 1000, 1, "limits.perKey"),
      total: yield* atLeast(limits.total ?? 20_000, 1, "limits.total"),
      steps: yield* atLeast(limits.steps ?? 1000, 1, "limits.steps"),
      gotos: yield* atLeast(limits.gotos ?? 100, 0, "limits.gotos"),
      pending: yield* atLeast(limits.pending ?? 16, 1, "limits.pending"),
      cuts: yield* atLeast(limits.cuts ?? 8, 1, "limits.cuts"),
      views: yield* atLeast(limits.views ?? 10_000, 1, "limits.views")
    },
    apology: options.apology ?? true,
    autoStart: options.autoStart ?? true
  }
  yield* optional(options.turnWait, "turnWait")
  return settings
})

const isList = (languages: Languages | ReadonlyArray<Languages>): languages is ReadonlyArray<Languages> =>
  Array.isArray(languages)
