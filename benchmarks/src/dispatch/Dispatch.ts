/** How fast a message gets through, and what a waiting conversation weighs, beside peers and hand-written floors. */
import { against, atMost, besides, type Aim, type Case } from "../Case.ts"
import type { Job } from "../Process.ts"

const perSecond = "messages per CPU second"
const speed = (engine: string, scenario: string, triggers = 1, variant = ""): Job => ({
  script: "dispatch/speed.ts",
  args: [engine, scenario, String(triggers), variant]
})
const heap = { node: ["--expose-gc", "--max-old-space-size=8192"], script: "dispatch/memory.ts" }
const weight = (engine: string, variant = ""): Job => ({ ...heap, args: [engine, variant] })

const ours = "./Botmesh.ts"
const floor = "./peers/floor.mjs"
const pipeline = "./peers/pipeline.mjs"
const grammy = "./peers/grammy.mjs"
const chatSdk = "./peers/chat-sdk.mjs"
const botbuilder = "./peers/botbuilder.mjs"
const xstate = "./peers/xstate.mjs"

const answering = (scenario: string, triggers = 1): Case["peers"] => ({
  "floor: a map": speed(floor, scenario, triggers),
  "floor: our pipeline by hand": speed(pipeline, scenario, triggers),
  "grammY, ordered within a chat": speed(grammy, scenario, triggers, "ordered"),
  grammY: speed(grammy, scenario, triggers),
  "Chat SDK": speed(chatSdk, scenario, triggers),
  botbuilder: speed(botbuilder, scenario, triggers)
})
const talking: Case["peers"] = {
  "floor: promises": speed(floor, "conversation"),
  "floor: our pipeline by hand": speed(pipeline, "conversation"),
  XState: speed(xstate, "conversation"),
  "Chat SDK": speed(chatSdk, "conversation"),
  "grammY conversations": speed(grammy, "conversation", 1, "ordered"),
  botbuilder: speed(botbuilder, "conversation")
}
const waiting: Case["peers"] = {
  "floor: promises": weight(floor),
  XState: weight(xstate),
  "Chat SDK": weight(chatSdk),
  "grammY conversations": weight(grammy, "ordered"),
  botbuilder: weight(botbuilder)
}

const conversationAims: ReadonlyArray<Aim> = [
  against("at least 2.5× grammY conversations", 2.5, "grammY conversations"),
  against("stretch: as fast as XState", 1, "XState")
]

export const cases: ReadonlyArray<Case> = [
  {
    name: "trivial",
    unit: perSecond,
    ours: speed(ours, "trivial"),
    peers: answering("trivial"),
    aims: [
      against("at least 0.4× our pipeline by hand", 0.4, "floor: our pipeline by hand"),
      against("stretch: as fast as grammY with order within a chat", 1, "grammY, ordered within a chat")
    ]
  },
  {
    name: "triggers-100",
    unit: perSecond,
    ours: speed(ours, "triggers", 100),
    peers: answering("triggers", 100),
    aims: [
      against("at least 15× grammY", 15, "grammY, ordered within a chat"),
      besides("at least 0.8× our own trivial", 0.8, "trivial")
    ]
  },
  {
    name: "triggers-10000",
    unit: perSecond,
    ours: speed(ours, "triggers", 10_000),
    peers: { "floor: our pipeline by hand": speed(pipeline, "triggers", 10_000) },
    aims: [besides("flat: at least 0.8× our own trivial", 0.8, "trivial")]
  },
  {
    name: "conversation",
    unit: perSecond,
    ours: speed(ours, "conversation", 1, "flow"),
    peers: talking,
    aims: conversationAims
  },
  {
    name: "conversation-free-form",
    unit: perSecond,
    ours: speed(ours, "conversation"),
    peers: {
      XState: speed(xstate, "conversation"),
      "grammY conversations": speed(grammy, "conversation", 1, "ordered")
    },
    aims: conversationAims
  },
  {
    name: "memory-live",
    unit: "heap bytes a conversation",
    ours: weight(ours, "flow-persistent"),
    peers: waiting,
    once: true,
    aims: [atMost("at most 3.5 KB beyond its store rows", 3.5 * 1024)]
  },
  {
    name: "memory-live-free-form",
    unit: "heap bytes a conversation",
    ours: weight(ours, "persistent"),
    peers: {},
    once: true,
    aims: [atMost("at most 3.5 KB beyond its store rows", 3.5 * 1024)]
  },
  {
    name: "memory-dormant",
    unit: "heap bytes a conversation",
    ours: weight(ours, "flow-dormant"),
    peers: {},
    once: true,
    aims: [atMost("at most 0.2 KB beyond its store rows", 0.2 * 1024)]
  },
  {
    name: "memory-million",
    unit: "heap bytes of the process, a million dormant in SQLite",
    ours: { ...heap, script: "dispatch/million.ts", args: [], limit: 1_800_000 },
    peers: {},
    aims: [atMost("at most 100 MB", 100 * 1024 * 1024)],
    slow: true,
    once: true
  }
]
