/** The demo: three replicas, a crowd, a kill every two seconds; what happened, and whether it was as promised. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { redis, ServiceError } from "@botmesh/test-services"
import { Effect, type Scope } from "effect"
import { seeded } from "../../../../test/chaos/Chance.ts"
import { Fleet, type Member } from "../../../../test/chaos/Fleet.ts"
import { type Findings, judge } from "../../../../test/chaos/judge/Judge.ts"
import { Crowd } from "../../../../test/chaos/post/Crowd.ts"
import { Post } from "../../../../test/chaos/post/Post.ts"
import type { Entry, Fault } from "../../../../test/chaos/wire/Entry.ts"
import { monotonic } from "../../../../test/chaos/wire/Wire.ts"
import { Shopper } from "./Shopper.ts"
import type { ShopReplica } from "./replica.ts"
import { draw, print, type Scoreboard, tell } from "./Table.ts"

export interface ShowOptions {
  readonly replicas: number
  readonly seconds: number
  /** The Redis to use; a private one when absent. */
  readonly url: string | undefined
  /** Completes when it is to end before its time. */
  readonly ends: Effect.Effect<void>
}

/** ms. */
const lease = 2_000
const boot = 60_000
const killEvery = 2_000
const patience = 2 * lease + 2_000
const customers = 60
/** Messages a second. */
const rate = 40

interface Seen {
  readonly entries: Array<Entry>
  readonly faults: Array<Fault>
  readonly takeOvers: Array<number>
  readonly turns: Map<string, number>
  readonly lives: Map<string, number>
  leader: number | undefined
  /** When the last leader died, while there is none. */
  leaderless: number | undefined
  sent: number
  answered: number
}

const watch = (seen: Seen, names: ReadonlyMap<number, string>, entry: Entry): void => {
  seen.entries.push(entry)
  if (entry.e === "wrote") seen.sent++
  if (entry.e === "said" && !entry.text.startsWith("begin")) {
    const name = names.get(entry.pid) ?? ""
    seen.answered++
    seen.turns.set(name, (seen.turns.get(name) ?? 0) + 1)
  }
  if (entry.e !== "told") return
  if (entry.what === "leads") {
    if (seen.leaderless !== undefined) seen.takeOvers.push(entry.at - seen.leaderless)
    seen.leaderless = undefined
    seen.leader = entry.pid
    tell(`${names.get(entry.pid)} leads`)
  } else if (seen.leader === entry.pid) seen.leader = undefined
}

const boardOf = (seen: Seen, fleet: Fleet, began: number, of: number): Scoreboard => ({
  seconds: Math.min(of, (monotonic() - began) / 1000),
  of,
  sent: seen.sent,
  answered: seen.answered,
  kills: seen.faults.length,
  takeOvers: seen.takeOvers,
  rows: fleet.all().map(({ expected, name, pid, up }) => ({
    name,
    pid,
    state: up ? "up" : expected ? "killed" : "starting",
    leads: seen.leader === pid,
    lives: seen.lives.get(name) ?? 0,
    turns: seen.turns.get(name) ?? 0
  }))
})

/** A kill once begun is finished: its process is to be started again, and the judge is to know of it. */
const kill = (fleet: Fleet, seen: Seen, start: (name: string) => void, victim: Member): Effect.Effect<void> =>
  Effect.uninterruptible(
    Effect.suspend(() => {
      const from = monotonic()
      return Effect.map(fleet.kill(victim), () => {
        seen.faults.push({ verb: "kill", pid: victim.pid, from, to: monotonic() })
        if (seen.leader === victim.pid) {
          seen.leader = undefined
          seen.leaderless = from
        }
        tell(`${victim.name} killed (${victim.pid})`)
        start(victim.name)
      })
    })
  )

export const show = Effect.fn("demo.replicas")(function* (
  options: ShowOptions
): Effect.fn.Return<Findings & { readonly crashes: ReadonlyArray<string> }, ServiceError, Scope.Scope> {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "botmesh-demo-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const url = options.url ?? (yield* redis({ detached: true })).url
  tell(options.url === undefined ? "started a private Redis" : "uses the Redis of REDIS_URL")
  const random = seeded(process.pid)
  const pids = new Map<number, string>()
  const seen: Seen = {
    entries: [],
    faults: [],
    takeOvers: [],
    turns: new Map(),
    lives: new Map(),
    leader: undefined,
    leaderless: undefined,
    sent: 0,
    answered: 0
  }
  const crashes: Array<string> = []
  const post = new Post({
    log: (entry) => {
      watch(seen, pids, entry)
      if (entry.e === "up" || entry.e === "down") fleet.heard(entry.pid, entry.e === "up")
    },
    onSaid: (chat, text) => crowd.heard(chat, text),
    onTicket: (chat, n) => crowd.placed(chat, n)
  })
  const all = Array.from({ length: customers }, (_, nth) => new Shopper(`customer${nth}`, random, patience))
  const crowd = new Crowd(post, all, rate)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      crowd.stop()
      post.close()
    })
  )
  const port = yield* Effect.tryPromise({
    try: () => post.listen(),
    catch: (cause) => new ServiceError({ message: "the transport could not listen", cause })
  })
  const prefix = `demo-${process.pid}`
  const fleet = new Fleet({
    script: fileURLToPath(new URL("replica.ts", import.meta.url)),
    argument: (name) => {
      const given: ShopReplica = { name, port, redis: { url, prefix }, lease, charges: join(folder, "charges.log") }
      return JSON.stringify(given)
    },
    onCrash: (member, code) => {
      tell(`${member.name} ended by itself with ${code}`)
      crashes.push(`${member.name} ended by itself with ${code}: ${member.errors().slice(-600)}`)
      start(member.name)
    }
  })
  const start = (name: string): void => {
    pids.set(fleet.start(name).pid, name)
    seen.lives.set(name, (seen.lives.get(name) ?? 0) + 1)
  }
  yield* Effect.addFinalizer(() => fleet.end)
  for (let nth = 1; nth <= options.replicas; nth++) start(`shop-${nth}`)
  yield* Effect.raceFirst(fleet.until(options.replicas, boot), options.ends)

  const began = monotonic()
  const board = () => boardOf(seen, fleet, began, options.seconds)
  const redraw = Effect.andThen(
    Effect.sync(() => draw(board())),
    Effect.sleep(250)
  )
  const kills = Effect.gen(function* () {
    yield* Effect.sleep(killEvery)
    // One is to be left: the demo shows a take-over, not an outage.
    yield* fleet.until(2, boot)
    const up = fleet.up()
    const victim = up[Math.floor(random() * up.length)]
    if (victim !== undefined) yield* kill(fleet, seen, start, victim)
  })
  crowd.start()
  yield* Effect.forkScoped(Effect.forever(redraw))
  yield* Effect.raceFirst(Effect.forever(kills), Effect.raceFirst(Effect.sleep(options.seconds * 1000), options.ends))
  crowd.stop()
  tell("nobody writes any more; what is open gets its time")
  yield* Effect.raceFirst(Effect.sleep(lease + 5_000), nothingOpen(seen))
  print(board())
  fleet.rest()
  yield* Effect.forEach(fleet.up(), (member) => fleet.stop(member, 20_000), { concurrency: "unbounded", discard: true })
  return { ...judge(seen.entries, seen.faults), crashes }
})

/** Until all that was written is answered or surely lost. */
const nothingOpen = (seen: Seen): Effect.Effect<void> =>
  Effect.sleep(500).pipe(
    Effect.andThen(
      Effect.sync(() => {
        const found = judge(seen.entries, seen.faults)
        return found.answered + found.lost.killed.length === found.sent
      })
    ),
    Effect.repeat({ until: (done) => done }),
    Effect.asVoid
  )
