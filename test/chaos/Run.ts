/** One run: services, transport, replicas and customers up; faults; an end; the verdict. */
import { type ChildProcess, fork } from "node:child_process"
import { createReadStream, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { ServiceError } from "@botmesh/test-services"
import { Deferred, Effect, type Scope } from "effect"
import { seeded } from "./Chance.ts"
import { Fleet } from "./Fleet.ts"
import { judge } from "./judge/Judge.ts"
import { type Writes, writesOf } from "./judge/Writes.ts"
import { addressOf, raise, serversOf } from "./nemesis/Ground.ts"
import { plans, type PlanName } from "./nemesis/Plan.ts"
import { cut } from "./nemesis/Servers.ts"
import type { Verb, World } from "./nemesis/World.ts"
import type { PostCommand, PostReport, PostSettings } from "./post/main.ts"
import type { ReplicaOptions } from "./replica/Options.ts"
import { type Verdict, verdictOf } from "./Verdict.ts"
import type { Entry, Fault } from "./wire/Entry.ts"
import { monotonic } from "./wire/Wire.ts"

export interface RunOptions {
  readonly plan: PlanName
  /** How long faults are made. */
  readonly seconds: number
  readonly rate: number
  readonly chats: number
  readonly replicas: number
  readonly seed: number
  /** ms. */
  readonly lease: number
  /** ms after which an unanswered delivery is made again, elsewhere. */
  readonly again: number | undefined
  /** Where the transport's log is kept; in a temporary place when absent. */
  readonly log: string | undefined
  readonly tell: (line: string) => void
}

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const boot = 60_000
/** ms of load before the first fault. */
const warm = 2_000

interface PostHandle {
  readonly child: ChildProcess
  readonly port: number
  readonly command: (command: PostCommand) => void
  /** Ends it; returns when the log is whole. */
  readonly end: Effect.Effect<void>
}

const startPost = Effect.fnUntraced(function* (
  settings: PostSettings,
  heard: (report: PostReport) => void
): Effect.fn.Return<PostHandle, never, Scope.Scope> {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      fork(fileOf("post/main.ts"), [JSON.stringify(settings)], {
        execArgv: ["--conditions=botmesh-source", "--disable-warning=ExperimentalWarning"],
        detached: true
      })
    ),
    (one) => Effect.sync(() => one.kill("SIGKILL"))
  )
  const listens = yield* Deferred.make<number>()
  const ended = yield* Deferred.make<void>()
  child.on("message", (report: PostReport) => {
    if (report.t === "listens") Deferred.doneUnsafe(listens, Effect.succeed(report.port))
    if (report.t === "ended") Deferred.doneUnsafe(ended, Effect.void)
    heard(report)
  })
  const command = (what: PostCommand): void => {
    child.send(what)
  }
  return {
    child,
    port: yield* Deferred.await(listens),
    command,
    end: Effect.suspend(() => {
      command("end")
      return Deferred.await(ended)
    })
  }
})

const readLog = Effect.fnUntraced(function* (file: string) {
  const entries: Array<Entry> = []
  yield* Effect.promise(async () => {
    for await (const line of createInterface({ input: createReadStream(file) })) entries.push(JSON.parse(line))
  })
  return entries
})

const addUp = (all: ReadonlyArray<Writes>): Writes => ({
  checkpoints: all.reduce((sum, one) => sum + one.checkpoints, 0),
  keys: all.reduce((sum, one) => sum + one.keys, 0),
  stale: all.reduce((sum, one) => sum + one.stale, 0),
  broken: all.reduce((sum, one) => sum + one.broken, 0),
  evidence: all.flatMap(({ evidence }) => evidence)
})

export const run = Effect.fn("chaos.run")(function* (
  options: RunOptions
): Effect.fn.Return<Verdict, ServiceError, Scope.Scope> {
  const { lease, plan: name, seed, tell } = options
  const plan = plans[name]
  const verbs: ReadonlyArray<Verb> = plan.verbs
  const names = Array.from({ length: options.replicas }, (_, nth) => `r${nth + 1}`)
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "botmesh-chaos-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const log = options.log ?? join(folder, "post.ndjson")
  const random = seeded(seed)
  const faults: Array<Fault> = []
  const crashes: Array<string> = []
  const ground = yield* raise(plan.ground, verbs.includes(cut) ? names : [])
  tell(`redis is up (${plan.ground})`)
  const post = yield* startPost(
    { log, seed, chats: options.chats, rate: options.rate, again: options.again },
    (report) => {
      if (report.t === "up" || report.t === "down") fleet.heard(report.pid, report.t === "up")
    }
  )
  const argument = (replica: string): string => {
    const given: ReplicaOptions = { name: replica, port: post.port, redis: addressOf(ground, replica), lease }
    return JSON.stringify(given)
  }
  const fleet = new Fleet({
    script: fileOf("replica/main.ts"),
    argument,
    onCrash: (member, code) => {
      crashes.push(`${member.name} (${member.pid}) ended by itself with ${code}: ${member.errors().slice(-600)}`)
      fleet.start(member.name)
    }
  })
  yield* Effect.addFinalizer(() => fleet.end)
  for (const one of names) fleet.start(one)
  yield* fleet.until(names.length, boot)
  tell(`${names.length} replicas are up`)

  const began = monotonic()
  post.command("start")
  yield* Effect.sleep(warm)
  const world: World = {
    fleet,
    random,
    lease,
    ground,
    record: (fault) => {
      faults.push(fault)
      tell(`${fault.verb} ${fault.pid ?? "redis"} ${Math.round(fault.to - fault.from)} ms`)
    }
  }
  const until = monotonic() + options.seconds * 1000
  for (let nth = 0; monotonic() < until; nth++) {
    const from = monotonic()
    const verb = verbs[nth % verbs.length]
    if (verb !== undefined) yield* verb(world)
    const rest = Math.min(from + plan.every, until) - monotonic()
    if (rest > 0) yield* Effect.sleep(rest)
  }
  post.command("stop")
  const wroteFor = monotonic() - began
  tell(`the last fault is over; ${lease + 5000} ms for what is open`)
  yield* Effect.sleep(lease + 5000)
  fleet.rest()
  yield* post.end
  const writes: Array<Writes> = []
  for (const server of serversOf(ground)) {
    const directory = (yield* server.cli("config", "get", "dir")).trim().split("\n").at(-1) ?? ""
    writes.push(writesOf(directory, ground.kind === "standalone"))
  }
  yield* fleet.end
  const findings = judge(yield* readLog(log), faults)
  return verdictOf(options, findings, addUp(writes), faults, crashes, wroteFor)
})
