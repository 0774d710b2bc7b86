/**
 * The options of a bot and their settled defaults (design.md 6, 9). Durations are texts, milliseconds or Durations (B11).
 * Each field takes a value, or a `Config` of it that is read when the bot is built.
 */
import { Config, Effect } from "effect"
import type { HandoverFallback } from "../chat/Handover.ts"
import type { Languages } from "../i18n/Catalogue.ts"
import type { AccessLists } from "../inbound/2-admit/Access.ts"
import type { GroupMode } from "../inbound/2-admit/GroupMode.ts"
import { ConfigValidationError, type DurationInput } from "../model/Duration.ts"
import { count, duration, flag, type Given, name, names, oneOf, optionalDuration } from "./Options.ts"

export interface BotOptions {
  /** Keeps tenants apart in one store. Default "default". */
  readonly tenant?: Given<string>
  /** Longest hold of a turn by a handler and step still running; then they are cut. Default 1m (C9). */
  readonly settle?: Given<DurationInput>
  /** Longest wait for a turn without a grant on its key, with a shared coordinator; the coordinator's own, 2m, unless set (C8). */
  readonly turnWait?: Given<DurationInput>
  /** How long a stop waits for what is running. Default 10s. */
  readonly stopGrace?: Given<DurationInput>
  /**
   * Whether one replica at a time runs the transport: "auto" where the transport says so (`exclusiveSession`), "leader"
   * always, "shared" never. Default "auto" (C13).
   */
  readonly providerSession?: Given<ProviderSession>
  /** A leader whose transport is closed for so long lets another replica lead. Default 1m (C13). */
  readonly providerDown?: Given<DurationInput>
  /** What the bot hears in groups. Default "all" (A7). */
  readonly groupMode?: Given<GroupMode>
  /** One conversation a participant of a group, or one a chat. Default "participant" (B6). */
  readonly conversationScope?: Given<"participant" | "chat">
  /** Default `{ size: 1000 }`; false turns it off (A4). */
  readonly dedupe?: Given<boolean> | { readonly size?: Given<number>; readonly ttl?: Given<DurationInput> }
  /** Off unless given; true means `{ size: 1000 }` (A2). */
  readonly echoFilter?: Given<boolean> | { readonly size?: Given<number>; readonly ttl?: Given<DurationInput> }
  readonly access?: {
    readonly blacklist?: Given<ReadonlyArray<string>>
    /** When given, only these chats and senders are heard. */
    readonly whitelist?: Given<ReadonlyArray<string>>
  }
  readonly conversation?: {
    /** The wait of a question that names none. None unless set (B3). */
    readonly timeout?: Given<DurationInput>
    /** A parked persistent conversation gives its fiber up after this. Default 10m. */
    readonly dormantAfter?: Given<DurationInput>
  }
  /** What moves to another replica, or over a restart, and what happens to what cannot (C18, C19). */
  readonly handover?: {
    /** "forward" stores conversations that are not persistent too, for a while after their last wait. Default "off". */
    readonly flows?: Given<"forward" | "off">
    /** For a conversation whose code has changed, or that could not be stored. Default "drop". */
    readonly fallback?: HandoverFallback
    /** What "notify" says, in place of the localised `core.conversation.interrupted`. */
    readonly notifyMessage?: string
    /** How long a forwarded conversation is kept after its last wait; never less than the wait itself. Default `conversation.timeout`, else 5m. */
    readonly ttl?: Given<DurationInput>
    /** A larger answer is not stored: it is asked again. Default 16,384. */
    readonly maxAnswerBytes?: Given<number>
  }
  /** Default off (B23). */
  readonly typing?: { readonly min: Given<DurationInput>; readonly max: Given<DurationInput> }
  readonly i18n?: {
    /** Default "en". */
    readonly default?: Given<string>
    readonly languages?: Languages | ReadonlyArray<Languages>
    /** Guesses the language of a text; asked when neither the profile nor the transport knows (A9). */
    readonly detect?: (body: string) => string | undefined
  }
  readonly handoff?: { readonly allowCommands?: Given<ReadonlyArray<string>> }
  readonly limits?: {
    /** Messages waiting for one key; default 1,000. */
    readonly perKey?: Given<number>
    /** Messages waiting in the process; default 20,000. */
    readonly total?: Given<number>
    /** Steps without waiting for a person or a long sleep; default 1,000. */
    readonly steps?: Given<number>
    /** Gotos without waiting for a person or a long sleep; default 100. */
    readonly gotos?: Given<number>
    /** Messages kept while a conversation sleeps; default 16 (R16). */
    readonly pending?: Given<number>
    /** Cuts of one op in a row; default 8 (R16). */
    readonly cuts?: Given<number>
    /** Keys whose profile and handoff are kept in memory; default 10,000. */
    readonly views?: Given<number>
  }
  /** A localised apology when a handler fails and nothing answered for it. Default true (B25). */
  readonly apology?: Given<boolean>
  /** Starts with the layer. Default true. */
  readonly autoStart?: Given<boolean>
}

export type ProviderSession = "auto" | "leader" | "shared"

export interface Settings {
  readonly tenant: string
  readonly providerSession: ProviderSession
  /** All durations in ms. */
  readonly providerDown: number
  readonly settle: number
  readonly turnWait: number | undefined
  readonly stopGrace: number
  readonly groupMode: GroupMode
  readonly perParticipant: boolean
  readonly dedupe: { readonly size: number; readonly ttl: number | undefined } | undefined
  readonly echo: { readonly size: number; readonly ttl: number | undefined } | undefined
  readonly access: AccessLists
  readonly timeout: number | undefined
  readonly dormantAfter: number
  readonly handover: {
    readonly forward: boolean
    readonly fallback: HandoverFallback
    readonly notifyMessage: string | undefined
    /** ms. */
    readonly ttl: number
    readonly maxAnswerBytes: number
  }
  readonly typing: { readonly min: number; readonly max: number } | undefined
  readonly lang: string
  readonly languages: ReadonlyArray<Languages>
  readonly detect: ((body: string) => string | undefined) | undefined
  readonly handoffCommands: ReadonlyArray<string>
  readonly limits: {
    readonly perKey: number
    readonly total: number
    readonly steps: number
    readonly gotos: number
    readonly pending: number
    readonly cuts: number
    readonly views: number
  }
  readonly apology: boolean
  readonly autoStart: boolean
}

const groupModes: ReadonlyArray<GroupMode> = ["all", "mention", "command", "none"]
const sessions: ReadonlyArray<ProviderSession> = ["auto", "leader", "shared"]
const scopes = ["participant", "chat"] as const

type Ring = { readonly size?: Given<number>; readonly ttl?: Given<DurationInput> }

/** A ring of remembered keys: on, off, or as told. */
const ring = Effect.fnUntraced(function* (option: Given<boolean> | Ring | undefined, fallback: boolean, field: string) {
  const isRing = typeof option === "object" && option !== null && !isRead(option)
  const told: Ring = isRing ? option : {}
  if (!isRing && !(yield* flag(option, fallback, field))) return undefined
  return {
    size: yield* count(told.size, 1000, 1, `${field}.size`),
    ttl: yield* optionalDuration(told.ttl, `${field}.ttl`)
  }
})
const isRead = (option: Ring | Given<boolean>): option is Given<boolean> =>
  typeof option === "boolean" || Config.isConfig(option)

const typingRange = Effect.fnUntraced(function* (typing: BotOptions["typing"]) {
  if (typing === undefined) return undefined
  const min = yield* duration(typing.min, 0, "typing.min")
  const max = yield* duration(typing.max, 0, "typing.max")
  if (min <= max) return { min, max }
  return yield* ConfigValidationError.of("typing.max", `expected at least typing.min (${min} ms), got ${max} ms`)
})

const readLimits = (limits: NonNullable<BotOptions["limits"]>) =>
  Effect.all({
    perKey: count(limits.perKey, 1000, 1, "limits.perKey"),
    total: count(limits.total, 20_000, 1, "limits.total"),
    steps: count(limits.steps, 1000, 1, "limits.steps"),
    gotos: count(limits.gotos, 100, 0, "limits.gotos"),
    pending: count(limits.pending, 16, 1, "limits.pending"),
    cuts: count(limits.cuts, 8, 1, "limits.cuts"),
    views: count(limits.views, 10_000, 1, "limits.views")
  })

const readAccess = Effect.fnUntraced(function* (access: BotOptions["access"]) {
  const blacklist = yield* names(access?.blacklist, "access.blacklist")
  const whitelist = yield* names(access?.whitelist, "access.whitelist")
  const lists: AccessLists = {
    ...(blacklist === undefined ? {} : { blacklist }),
    ...(whitelist === undefined ? {} : { whitelist })
  }
  return lists
})

const fallbacks: ReadonlyArray<unknown> = ["drop", "notify", "restart"]
const readHandover = Effect.fnUntraced(function* ({ conversation, handover = {} }: BotOptions) {
  const { fallback = "drop", notifyMessage } = handover
  if (typeof fallback !== "function" && !fallbacks.includes(fallback)) {
    const got = JSON.stringify(fallback)
    return yield* ConfigValidationError.of(
      "handover.fallback",
      `expected one of ${fallbacks.join(", ")}, or a function, got ${got}`
    )
  }
  const timeout = yield* optionalDuration(conversation?.timeout, "conversation.timeout")
  return {
    forward: (yield* oneOf(handover.flows, ["forward", "off"], "off", "handover.flows")) === "forward",
    fallback,
    notifyMessage,
    ttl: yield* duration(handover.ttl, timeout ?? 300_000, "handover.ttl"),
    maxAnswerBytes: yield* count(handover.maxAnswerBytes, 16_384, 0, "handover.maxAnswerBytes")
  }
})

/** Checks every option; the first bad one fails with its path (B11). */
export const readOptions = Effect.fnUntraced(function* (options: BotOptions) {
  const { conversation, handoff, i18n } = options
  const languages = i18n?.languages ?? []
  const settings: Settings = {
    tenant: yield* name(options.tenant, "default", "tenant"),
    settle: yield* duration(options.settle, 60_000, "settle"),
    turnWait: yield* optionalDuration(options.turnWait, "turnWait"),
    stopGrace: yield* duration(options.stopGrace, 10_000, "stopGrace"),
    providerSession: yield* oneOf(options.providerSession, sessions, "auto", "providerSession"),
    providerDown: yield* duration(options.providerDown, 60_000, "providerDown"),
    groupMode: yield* oneOf(options.groupMode, groupModes, "all", "groupMode"),
    perParticipant:
      (yield* oneOf(options.conversationScope, scopes, "participant", "conversationScope")) === "participant",
    dedupe: yield* ring(options.dedupe, true, "dedupe"),
    echo: yield* ring(options.echoFilter, false, "echoFilter"),
    access: yield* readAccess(options.access),
    timeout: yield* optionalDuration(conversation?.timeout, "conversation.timeout"),
    dormantAfter: yield* duration(conversation?.dormantAfter, 600_000, "conversation.dormantAfter"),
    handover: yield* readHandover(options),
    typing: yield* typingRange(options.typing),
    lang: yield* name(i18n?.default, "en", "i18n.default"),
    languages: isList(languages) ? languages : [languages],
    detect: i18n?.detect,
    handoffCommands: (yield* names(handoff?.allowCommands, "handoff.allowCommands")) ?? [],
    limits: yield* readLimits(options.limits ?? {}),
    apology: yield* flag(options.apology, true, "apology"),
    autoStart: yield* flag(options.autoStart, true, "autoStart")
  }
  return settings
})

const isList = (languages: Languages | ReadonlyArray<Languages>): languages is ReadonlyArray<Languages> =>
  Array.isArray(languages)
