/** What a running bot stands on, before anything is wired: the services beneath it and the state it keeps in memory. */
import { type Cause, type Context, Effect, Random } from "effect"
import type { Chat } from "../chat/Chat.ts"
import * as Timers from "../conversation/Timers.ts"
import type { BotEvent } from "../events/BotEvent.ts"
import { makeEventHub } from "../events/EventHub.ts"
import { makeMetrics } from "../events/Metrics.ts"
import { makeCatalogue } from "../i18n/Catalogue.ts"
import { EchoFilter } from "../inbound/1-receive/Echo.ts"
import { Access } from "../inbound/2-admit/Access.ts"
import { Admissions } from "../inbound/2-admit/Admissions.ts"
import { Dedupe } from "../inbound/2-admit/Dedupe.ts"
import { ChatQueue } from "../inbound/3-turn/ChatQueue.ts"
import { Views } from "../inbound/3-turn/Views.ts"
import type { LifecycleCell } from "../outbound/Lifecycle.ts"
import { Coordinator } from "../spi/Coordinator.ts"
import { Durability } from "../spi/Durability.ts"
import { Provider } from "../spi/Provider.ts"
import { Scheduler } from "../spi/Scheduler.ts"
import { Store } from "../spi/Store.ts"
import type { Settings } from "./Config.ts"

/** Keeps the ids of triggers apart over restarts. */
const nonce = Effect.map(Random.nextBetween(0, Number.MAX_SAFE_INTEGER), (n) => Math.floor(n).toString(36))

/**
 * @param context what the fibers of the bot are started with
 * @param isLive whether a key has a live conversation here
 */
export const makeParts = Effect.fnUntraced(function* (
  id: string,
  settings: Settings,
  context: Context.Context<never>,
  isLive: (key: string) => boolean
) {
  const provider = yield* Provider
  const store = yield* Store
  const coordinator = yield* Coordinator
  const durability = yield* Durability
  const scheduler = yield* Scheduler
  const random = yield* nonce
  const timers = yield* Timers.make

  /** Tenant and bot: what keeps two bots apart in one store (R21). */
  const scope = `${settings.tenant}/${id}`
  const lifecycle: LifecycleCell = { state: "idle", finishing: false, lead: undefined }
  const queue = new ChatQueue({ perKey: settings.limits.perKey, total: settings.limits.total }, scope)
  const metrics = yield* makeMetrics(id, {
    waiting: () => queue.waiting,
    leading: () => (lifecycle.lead?.lost() === undefined && lifecycle.lead !== undefined ? 1 : 0),
    overlaps: () => coordinator.counts().overlap
  })
  const hub = makeEventHub<BotEvent<Chat, unknown>>({ onLost: metrics.eventsLost })
  return {
    id,
    settings,
    provider,
    store,
    coordinator,
    durability,
    scheduler,
    context,
    random,
    timers,
    scope,
    queue,
    metrics,
    hub,
    publish: hub.publish,
    lifecycle,
    catalogue: makeCatalogue({ languages: settings.languages, defaultLang: settings.lang }),
    access: new Access(settings.access),
    admissions: new Admissions(timers, store.name),
    dedupe: settings.dedupe === undefined ? undefined : new Dedupe(settings.dedupe),
    echo: settings.echo === undefined ? undefined : new EchoFilter(settings.echo),
    views: new Views(store, scope, coordinator, settings.limits.views, isLive),
    /** Runs without being waited for. */
    run: (effect: Effect.Effect<void>): void => {
      Effect.runForkWith(context)(effect)
    },
    /** Logs without being waited for. */
    warn: (message: string): void => {
      Effect.runForkWith(context)(Effect.logWarning(message))
    },
    log: (message: string, cause: Cause.Cause<unknown>): void => {
      Effect.runForkWith(context)(Effect.logError(message, cause))
    }
  }
})
export type Parts = Effect.Success<ReturnType<typeof makeParts>>
