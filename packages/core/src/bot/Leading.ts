/**
 * Leading an exclusive transport (C13, R12, R13): only one replica runs it.
 *
 * LD1 the transport runs under the lead alone: started after the grant, destroyed before the lead is given up.
 * LD2 once the lead is lost or given up nothing more is sent or stored under it: the guard and the turns ask the lead
 *     itself, and what runs is suspended, which is no failed attempt.
 * LD3 a leader whose transport is closed for `providerDown` steps down, stands back for a while, and stands again.
 * LD4 a stand-by takes nothing and wakes nothing; it stands whatever the coordinator answers.
 */
import { Clock, Deferred, Effect, Exit, Option, Scope, Stream } from "effect"
import type { Lead } from "../outbound/Lifecycle.ts"
import type { Lease } from "../spi/Coordinator.ts"
import { LeaseLostError } from "../spi/Errors.ts"
import { ProviderError } from "../spi/Provider.ts"
import type { Assembly } from "./Assembly.ts"
import type { Settings } from "./Config.ts"

/** ms in which others may take the lead before this replica stands for it again; doubled while it cannot connect. */
export const standBack = 5_000
const longestStandBack = 60_000
/** ms between two attempts to stand while the coordinator cannot be reached. */
const standAgain = 1_000

/** What the bot's life does at the ends of a term. */
export interface Term {
  /** Starts the transport under a lead; it ends with the scope. */
  readonly connect: (lead: Lease) => Effect.Effect<void, ProviderError, Scope.Scope>
  /** Destroys the transport within its bound. */
  readonly disconnect: (transport: Scope.Closeable) => Effect.Effect<void>
  /** `ready` pends again. */
  readonly pend: () => void
  /** What still runs comes to its end, and live copies are left to the next leader. */
  readonly leave: Effect.Effect<void>
}

/** Why a term is over. */
type Ended = "lost" | "down"

/** The lead of one term, for whoever acts under it; none before the first. */
class Held implements Lead {
  quit = false
  readonly lease: Lease | undefined
  private readonly name: string
  constructor(name: string, lease: Lease | undefined) {
    this.name = name
    this.lease = lease
  }
  readonly lost = (): LeaseLostError | undefined =>
    this.quit || this.lease === undefined ? new LeaseLostError({ key: this.name, reason: "ended" }) : this.lease.lost()
}

export const makeLeading = (id: string, parts: Assembly, settings: Settings, term: Term) => {
  const { coordinator, failures, lifecycle, metrics, provider, publish, scope, turns } = parts
  const name = `provider:${provider.id}`
  /** Two bots of one transport share nothing (R21). */
  const led = `${scope}/${name}`
  const isStandBy = (): boolean => lifecycle.state === "stand-by"

  const follow = (reason: string): void => {
    metrics.follower()
    publish({ _tag: "coordination:follower", name, reason })
  }
  /** LD2. A bot that stops has drained already. */
  const quit = (held: Held, reason: string): void => {
    const why = held.lost()?.reason ?? reason
    held.quit = true
    if (lifecycle.state === "running") lifecycle.state = "stand-by"
    term.pend()
    for (const turn of [...turns.active.turns()]) turns.suspend(turn, "lease-lost")
    follow(why)
  }

  /** LD3. Attempts to connect again in between do not count as being open. */
  const down = Effect.suspend(() => {
    let since: number | undefined
    const closed = Stream.switchMap(provider.connection, ({ state }) => {
      if (state === "ready") since = undefined
      if (state !== "closed") return Stream.empty
      const rest = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        since ??= now
        return Effect.sleep(Math.max(0, since + settings.providerDown - now))
      })
      return Stream.fromEffect(rest)
    })
    return Effect.flatMap(Stream.runHead(closed), (end) => (Option.isSome(end) ? Effect.void : Effect.never))
  })

  /** LD1: a term from its grant to its end. Its scope releases the lead last. */
  const serve = Effect.fnUntraced(function* (
    lease: Lease,
    connected: Effect.Effect<unknown>
  ): Effect.fn.Return<Ended, ProviderError, Scope.Scope> {
    // Stopping since: others may lead at once.
    if (!isStandBy()) return "lost"
    const held = new Held(name, lease)
    const transport = yield* Scope.make()
    let reason = "stepped down"
    lifecycle.lead = held
    metrics.leader()
    publish({ _tag: "coordination:leader", name, fence: lease.fence })
    yield* Effect.addFinalizer(() => term.disconnect(transport))
    yield* Effect.addFinalizer(() => Effect.sync(() => quit(held, reason)))
    const untilDown = Effect.gen(function* () {
      yield* Scope.provide(term.connect(lease), transport)
      yield* connected
      yield* down
      reason = "transport closed"
      return "down" as const
    })
    return yield* Effect.raceFirst(untilDown, Effect.as(lease.whenLost, "lost" as const))
  })

  /** Terms without end, after the first has ended. */
  const stand = Effect.fnUntraced(function* (ended: Ended | undefined) {
    let wait = standBack
    const lead = Effect.mapError(coordinator.lead(led), unreachable(provider.id))
    const rested = Effect.sync(() => {
      wait = standBack
    })
    let before = ended
    for (;;) {
      if (before !== undefined) yield* term.leave
      if (before === "down") yield* Effect.sleep(standBack)
      if (!isStandBy()) return yield* Effect.never
      let stood = false
      const next = Effect.flatMap(lead, (lease) => {
        stood = true
        return serve(lease, rested)
      })
      const exit = yield* Effect.exit(Effect.scoped(next))
      before = Exit.isSuccess(exit) ? exit.value : stood ? "lost" : undefined
      if (Exit.isSuccess(exit)) continue
      if (!stood) {
        yield* Effect.logDebug(`bot "${id}" cannot stand for ${name}`, exit.cause)
        yield* Effect.sleep(standAgain)
        continue
      }
      yield* failures.failed({ cause: exit.cause, where: `starting ${provider.id}`, chat: undefined, engine: true })
      yield* Effect.sleep(wait)
      wait = Math.min(wait * 2, longestStandBack)
    }
  })

  /**
   * Leads if nobody does, and is connected when this returns; else stands by. Either goes on in the background, for as
   * long as the scope: the bot's life. Fails when the coordinator cannot be asked, or the transport cannot start.
   */
  const start = Effect.fnUntraced(function* () {
    lifecycle.state = "stand-by"
    lifecycle.lead = new Held(name, undefined)
    const first = yield* Effect.acquireRelease(Scope.make(), (opened) => Scope.close(opened, Exit.void))
    const lease = yield* Effect.mapError(Scope.provide(coordinator.tryLead(led), first), unreachable(provider.id))
    if (Option.isNone(lease)) {
      follow("led by another")
      yield* Effect.logInfo(`bot "${id}" is a stand-by of ${provider.id}`)
      return yield* Effect.asVoid(Effect.forkScoped(stand(undefined)))
    }
    const connected = yield* Deferred.make<void, ProviderError>()
    const told = Deferred.succeed(connected, undefined)
    const served = Effect.ensuring(Scope.provide(serve(lease.value, told), first), Scope.close(first, Exit.void))
    const terms = Effect.matchCauseEffect(served, {
      onFailure: (cause) => Deferred.failCause(connected, cause),
      onSuccess: (ended) => Effect.andThen(told, stand(ended))
    })
    yield* Effect.forkScoped(terms)
    yield* Deferred.await(connected)
  })
  return { start }
}

const unreachable = (provider: string) => (error: { readonly message: string }) =>
  new ProviderError({ provider, reason: "unreachable", detail: error.message })
