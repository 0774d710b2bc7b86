/**
 * What a bot counts (I24): plain numbers on the hot path, read by Effect's `Metric` registry when somebody looks, so
 * `PrometheusMetrics` and `Otlp` see them without a cost per message. Every series stands from the start with 0.
 */
import { type Context, Effect, Metric, type Scope } from "effect"
import { type DropReason, dropReasons, type SuspendReason, suspendReasons } from "../model/DropReason.ts"
import type { SendReason } from "../spi/Provider.ts"
import { type ConversationOutcome, conversationOutcomes, type HandoverOutcome, handoverOutcomes } from "./BotEvent.ts"

/** Why a send failed: the reason of a `SendError`, or the tag of an error that came before any call. */
export type SendFailure = SendReason["_tag"] | "BotNotRunningError" | "ProviderNotLeaderError" | "LeaseLostError"
export const sendFailures: ReadonlyArray<SendFailure> = [
  "RateLimited",
  "Unreachable",
  "AuthFailed",
  "InvalidContent",
  "Unsupported",
  "Transient",
  "MovedChat",
  "OutsideWindow",
  "Ambiguous",
  "BotNotRunningError",
  "ProviderNotLeaderError",
  "LeaseLostError"
]

/** All numbers of one moment. */
export interface MetricsSnapshot {
  readonly received: number
  readonly handled: number
  readonly dropped: Readonly<Record<DropReason, number>>
  readonly sent: number
  readonly sendFailed: Readonly<Record<SendFailure, number>>
  readonly errors: number
  readonly suspended: Readonly<Record<SuspendReason, number>>
  readonly conversationsStarted: number
  readonly conversationsEnded: Readonly<Record<ConversationOutcome, number>>
  readonly presenceSkipped: number
  readonly turns: number
  readonly overruns: number
  readonly leasesLost: number
  readonly handovers: Readonly<Record<HandoverOutcome, number>>
  readonly staleSends: number
  readonly checkpointsRefused: number
  readonly eventsLost: number
  readonly ledTerms: number
  readonly stateRefused: number
  readonly followed: number
  /** Of the coordinator, which other bots may use too. */
  readonly overlaps: number
  readonly activeConversations: number
  readonly waiting: number
  readonly leading: number
}

/** One method for each thing that is counted. All are plain calls of a few nanoseconds. Source: B19. */
export interface Metrics {
  readonly received: () => void
  readonly handled: () => void
  readonly dropped: (reason: DropReason) => void
  readonly sent: () => void
  readonly sendFailed: (reason: SendFailure) => void
  readonly error: () => void
  readonly suspended: (reason: SuspendReason) => void
  readonly conversationStarted: () => void
  readonly conversationEnded: (outcome: ConversationOutcome) => void
  readonly presenceSkipped: () => void
  readonly turn: () => void
  readonly overrun: () => void
  readonly leaseLost: () => void
  readonly handover: (outcome: HandoverOutcome) => void
  readonly staleSend: () => void
  readonly checkpointRefused: () => void
  readonly eventsLost: (count: number) => void
  readonly leader: () => void
  readonly stateRefused: () => void
  readonly follower: () => void
  /** Gauges take the current number. */
  readonly activeConversations: (count: number) => void
  readonly waiting: (count: number) => void
  readonly snapshot: () => MetricsSnapshot
  /** This bot's series in the Prometheus text format (version 0.0.4). */
  readonly prometheus: Effect.Effect<string>
}

/** One number under its labels. */
interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly read: () => number
}
/** All series of one name. */
interface Family {
  readonly name: string
  readonly type: "counter" | "gauge"
  readonly help: string
  readonly series: ReadonlyArray<Series>
}

const zeros = <K extends string>(keys: ReadonlyArray<K>): Record<K, number> => {
  const counts: Partial<Record<K, number>> = {}
  for (const key of keys) counts[key] = 0
  // Complete: the loop set every key of K.
  return counts as Record<K, number>
}

const makeCounts = () => ({
  received: 0,
  handled: 0,
  dropped: zeros(dropReasons),
  sent: 0,
  sendFailed: zeros(sendFailures),
  errors: 0,
  suspended: zeros(suspendReasons),
  conversationsStarted: 0,
  conversationsEnded: zeros(conversationOutcomes),
  presenceSkipped: 0,
  turns: 0,
  overruns: 0,
  leasesLost: 0,
  handovers: zeros(handoverOutcomes),
  staleSends: 0,
  checkpointsRefused: 0,
  eventsLost: 0,
  ledTerms: 0,
  stateRefused: 0,
  followed: 0,
  activeConversations: 0,
  waiting: 0
})
type Counts = ReturnType<typeof makeCounts>

/** What is read when somebody looks, instead of being told on every change. */
export interface Gauges {
  readonly waiting?: () => number
  readonly leading?: () => number
  readonly overlaps?: () => number
}

const families = (bot: string, counts: Counts, gauges: Gauges): ReadonlyArray<Family> => {
  const one = (type: Family["type"], name: string, help: string, read: () => number): Family => ({
    name: `botmesh_${name}`,
    type,
    help,
    series: [{ labels: { bot }, read }]
  })
  const counter = (name: string, help: string, read: () => number) => one("counter", `${name}_total`, help, read)
  const by = <K extends string>(
    name: string,
    help: string,
    label: string,
    keys: ReadonlyArray<K>,
    record: Record<K, number>
  ): Family => ({
    name: `botmesh_${name}_total`,
    type: "counter",
    help,
    series: keys.map((key) => ({ labels: { bot, [label]: key }, read: () => record[key] }))
  })
  return [
    counter("received", "Inbound events taken from the provider", () => counts.received),
    counter("handled", "Inbound events handled to the end", () => counts.handled),
    by("dropped", "Inbound events not handled, by reason", "reason", dropReasons, counts.dropped),
    counter("sent", "Messages the provider took", () => counts.sent),
    by("send_failed", "Messages the provider did not take, by reason", "reason", sendFailures, counts.sendFailed),
    counter("errors", "Handlers that failed", () => counts.errors),
    by("suspended", "Steps stopped with their checkpoint kept, by reason", "reason", suspendReasons, counts.suspended),
    counter("conversations_started", "Conversations started", () => counts.conversationsStarted),
    by(
      "conversations_ended",
      "Conversations ended, by outcome",
      "outcome",
      conversationOutcomes,
      counts.conversationsEnded
    ),
    counter("presence_skipped", "Typing and read marks not sent", () => counts.presenceSkipped),
    counter("turns", "Turns held", () => counts.turns),
    counter("overruns", "Turns whose code did not stop in time", () => counts.overruns),
    counter("leases_lost", "Turns whose lease was lost while they were held", () => counts.leasesLost),
    by(
      "handovers",
      "Conversations another life of the bot left behind, by outcome",
      "outcome",
      handoverOutcomes,
      counts.handovers
    ),
    counter("stale_sends", "Sends that went out after their turn", () => counts.staleSends),
    counter("checkpoints_refused", "Checkpoint writes a store refused", () => counts.checkpointsRefused),
    counter("events_lost", "Events slow subscribers did not see", () => counts.eventsLost),
    counter(
      "provider_state_refused",
      "Reads and writes of its state by a transport that lost its lead",
      () => counts.stateRefused
    ),
    counter("coordination_leader", "Times this replica took the lead of its transport", () => counts.ledTerms),
    counter("coordination_follower", "Times it began to stand by, or to again", () => counts.followed),
    counter(
      "coordination_overlap",
      "Turns another replica held at the same time, after lost writes",
      () => gauges.overlaps?.() ?? 0
    ),
    one("gauge", "leading", "1 while this replica leads its transport", () => gauges.leading?.() ?? 0),
    one("gauge", "active_conversations", "Conversations with a live fiber", () => counts.activeConversations),
    one("gauge", "waiting", "Messages that wait for their turn", () => gauges.waiting?.() ?? counts.waiting)
  ]
}

/** Shows a family to Effect's registry; gives back what takes it out again. */
const register = (family: Family) =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.sync(() => {
      const ignore = (): void => {}
      const taken = family.series.map(({ labels, read }) => {
        const options = { description: family.help, attributes: labels }
        return family.type === "gauge"
          ? Metric.registerUnsafe(Metric.gauge(family.name, options), context, {
              get: () => ({ value: read() }),
              update: ignore,
              modify: ignore
            })
          : Metric.registerUnsafe(Metric.counter(family.name, { ...options, incremental: true }), context, {
              get: () => ({ count: read(), incremental: true }),
              update: ignore,
              modify: ignore
            })
      })
      return () => {
        for (const registration of taken) registration.remove()
      }
    })
  )

const escapeLabel = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const renderFamily = (family: Family): string => {
  const lines = family.series.map(({ labels, read }) => {
    const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    return `${family.name}{${pairs.join(",")}} ${read()}\n`
  })
  return `# HELP ${family.name} ${family.help}\n# TYPE ${family.name} ${family.type}\n${lines.join("")}`
}

/**
 * The counters of one bot. They stand in the `MetricRegistry` until the scope closes; the object goes on counting.
 * Source: B19.
 *
 * @param bot the value of the label `bot`; a second bot of the same name replaces the first in the registry
 * @param gauges where current numbers are read; those left out are set by their methods
 */
export const makeMetrics: (bot: string, gauges?: Gauges) => Effect.Effect<Metrics, never, Scope.Scope> =
  Effect.fnUntraced(function* (bot, gauges = {}) {
    const counts = makeCounts()
    const all = families(bot, counts, gauges)
    yield* Effect.forEach(all, (family) =>
      Effect.acquireRelease(register(family), (unregister) => Effect.sync(unregister))
    )
    return metricsOf(counts, all, gauges)
  })

const metricsOf = (counts: Counts, all: ReadonlyArray<Family>, gauges: Gauges): Metrics => ({
  received: () => void counts.received++,
  handled: () => void counts.handled++,
  dropped: (reason) => void counts.dropped[reason]++,
  sent: () => void counts.sent++,
  sendFailed: (reason) => void counts.sendFailed[reason]++,
  error: () => void counts.errors++,
  suspended: (reason) => void counts.suspended[reason]++,
  conversationStarted: () => void counts.conversationsStarted++,
  conversationEnded: (outcome) => void counts.conversationsEnded[outcome]++,
  presenceSkipped: () => void counts.presenceSkipped++,
  turn: () => void counts.turns++,
  overrun: () => void counts.overruns++,
  leaseLost: () => void counts.leasesLost++,
  handover: (outcome) => void counts.handovers[outcome]++,
  staleSend: () => void counts.staleSends++,
  checkpointRefused: () => void counts.checkpointsRefused++,
  eventsLost: (count) => void (counts.eventsLost += count),
  leader: () => void counts.ledTerms++,
  stateRefused: () => void counts.stateRefused++,
  follower: () => void counts.followed++,
  activeConversations: (count) => void (counts.activeConversations = count),
  waiting: (count) => void (counts.waiting = count),
  snapshot: () => ({
    ...counts,
    waiting: gauges.waiting?.() ?? counts.waiting,
    leading: gauges.leading?.() ?? 0,
    overlaps: gauges.overlaps?.() ?? 0,
    dropped: { ...counts.dropped },
    sendFailed: { ...counts.sendFailed },
    suspended: { ...counts.suspended },
    conversationsEnded: { ...counts.conversationsEnded },
    handovers: { ...counts.handovers }
  }),
  prometheus: Effect.sync(() => all.map(renderFamily).join(""))
})
