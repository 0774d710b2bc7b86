/** What a turn on Redis costs, beside other libraries, the raw call and a floor by hand. */
import { against, atLeast, atMost, type Case } from "../Case.ts"
import type { Job } from "../Process.ts"

const perSecond = "turns per CPU second"
const job = (script: string, args: ReadonlyArray<string>): Job => ({ script: `coordination/${script}`, args })
const cycle = (file: string, callers: number): Job => job("cycle.ts", [file, String(callers)])
const free = (script: string, args: ReadonlyArray<string> = []): Job => ({ ...job(script, args), free: true })

const ours = "./Botmesh.ts"
const message = "./Message.ts"
const files = {
  "raw EVALSHA": "./peers/raw.mjs",
  "floor: two scripts": "./peers/floor.mjs",
  redlock: "./peers/redlock.mjs",
  "chat-adapter, its lock": "./peers/chat-adapter.mjs",
  "chat-adapter, lock, queue and dedupe": "./peers/chat-adapter-message.mjs",
  BullMQ: "./peers/bullmq.mjs"
} as const
type Peer = keyof typeof files

const peersBy = (of: (file: string) => Job, ...names: ReadonlyArray<Peer>): Case["peers"] =>
  Object.fromEntries(names.map((name) => [name, of(files[name])]))

const turns = (name: string, callers: number, aims: Case["aims"]): Case => ({
  name,
  unit: perSecond,
  ours: cycle(ours, callers),
  peers: peersBy(
    (file) => cycle(file, callers),
    ...(["raw EVALSHA", "floor: two scripts", "redlock", "chat-adapter, its lock", "BullMQ"] as const)
  ),
  aims
})
const messages = (name: string, callers: number, aims: Case["aims"]): Case => ({
  name,
  unit: "messages per CPU second",
  ours: cycle(message, callers),
  peers: peersBy((file) => cycle(file, callers), "chat-adapter, lock, queue and dedupe", "BullMQ"),
  aims
})
const polled = ["floor: two scripts", "redlock", "chat-adapter, its lock"] as const

export const cases: ReadonlyArray<Case> = [
  turns("turns-1", 1, []),
  turns("turns-50", 50, [against("at least 0.6× the two scripts", 0.6, "floor: two scripts")]),
  turns("turns-500", 500, []),
  messages("messages-50", 50, [
    against("at least the chat-adapter's cycle", 1, "chat-adapter, lock, queue and dedupe")
  ]),
  messages("messages-500", 500, [against("at least 1.5× BullMQ", 1.5, "BullMQ")]),
  {
    name: "trips",
    unit: "commands an uncontended turn, counted by the server",
    ours: job("trips.ts", [ours]),
    peers: peersBy(
      (file) => job("trips.ts", [file]),
      ...(["raw EVALSHA", "floor: two scripts", "redlock", "chat-adapter, its lock", "BullMQ"] as const),
      "chat-adapter, lock, queue and dedupe"
    ),
    once: true,
    aims: [atMost("at most 2 round trips", 2)]
  },
  {
    name: "grant",
    unit: "round trips from a release to the grant in another process",
    ours: free("grant.ts", [ours]),
    peers: peersBy((file) => free("grant.ts", [file]), "floor: two scripts", "redlock"),
    aims: [atMost("at most 3 round trips at p50", 3)]
  },
  {
    name: "share",
    unit: "least share of ten callers on one key, 1 is even",
    ours: job("share.ts", [ours]),
    peers: peersBy((file) => job("share.ts", [file]), ...polled),
    aims: [atLeast("even: at least 0.95", 0.95)]
  },
  {
    name: "take-over",
    unit: "ms from kill -9 to the grant at p99, lease 1 s",
    ours: free("takeOver.ts"),
    peers: {},
    aims: [atMost("at most the lease and a second", 2_000)]
  },
  {
    name: "renewals",
    unit: "commands to renew 10,000 turns over those for 640",
    ours: free("renewals.ts"),
    peers: {},
    once: true,
    aims: [atMost("does not grow with turns held", 1.1)]
  }
]
