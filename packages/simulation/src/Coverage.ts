/**
 * What happened in many worlds: a world where nothing happens proves nothing. A run counts every fault, every way a
 * message or a step can be given up, and what came of what people wrote; and it fails where too little happened.
 */
import { type DropReason, dropReasons, type SuspendReason, suspendReasons } from "@botmesh/core/spi"
import type { Entry } from "./History.ts"
import { verbs } from "./Nemesis.ts"

/** How often, by what. */
export type Coverage = Map<string, number>

/** Reasons the engine has names for and does not give: they belong to what is not built, or end as something else. */
export const notGiven: ReadonlyMap<string, string> = new Map<`drop ${DropReason}` | `suspend ${SuspendReason}`, string>(
  [
    ["drop handoff", "a message of a chat held by a person is handled: by its silence (A11)"],
    ["suspend handoff", "a conversation rests while a person holds its chat; nothing of it is cut (B14)"],
    ["suspend timeout", "a question that times out fails with QuestionTimedOut; nothing of it is cut (R24)"]
  ]
)

/** Everything a run must have seen. */
export const required: ReadonlyArray<string> = [
  ...verbs.map((verb) => `fault ${verb}`),
  ...dropReasons.map((reason) => `drop ${reason}`).filter((name) => !notGiven.has(name)),
  ...suspendReasons.map((reason) => `suspend ${reason}`).filter((name) => !notGiven.has(name)),
  "refused CAS",
  "handover",
  "dead turn",
  "redelivery"
]

const add = (coverage: Coverage, name: string, count = 1): void => {
  coverage.set(name, (coverage.get(name) ?? 0) + count)
}

/** Adds up what happened in one world. */
export const cover = (coverage: Coverage, history: ReadonlyArray<Entry>): void => {
  const writers = new Map<string, string>()
  const inputs = new Set<string>()
  const answered = new Set<string>()
  let isCalm = false
  add(coverage, "worlds")
  for (const entry of history) {
    switch (entry._tag) {
      case "fault":
        add(coverage, `fault ${entry.verb}`)
        break
      case "dropped":
        add(coverage, `drop ${entry.reason}`)
        break
      case "suspended":
        add(coverage, `suspend ${entry.reason}`)
        break
      case "granted":
        add(coverage, "turn")
        if (entry.overDead) add(coverage, "dead turn")
        break
      case "write": {
        add(coverage, "checkpoint")
        if (!entry.accepted) add(coverage, "refused CAS")
        const writer = writers.get(entry.id)
        if (entry.accepted && writer !== undefined && writer !== entry.machine) add(coverage, "handover")
        if (entry.accepted) writers.set(entry.id, entry.machine)
        break
      }
      case "given":
        if (entry.again) add(coverage, "redelivery")
        break
      case "send":
        if (entry.hold !== "own") add(coverage, "stale send")
        break
      case "calm":
        isCalm = true
        break
      case "wrote":
        if (isCalm) inputs.add(entry.id)
        break
      case "handled":
        answered.add(entry.id)
        break
      default:
    }
  }
  add(coverage, "input", inputs.size)
  add(coverage, "input answered", [...inputs].filter((id) => answered.has(id)).length)
}

export const merge = (into: Coverage, from: Iterable<readonly [string, number]>): void => {
  for (const [name, count] of from) add(into, name, count)
}

/** What happened too seldom: each of `required` a hundred times in 20,000 worlds, and nine in ten inputs answered (I25). */
export const missed = (coverage: Coverage): ReadonlyArray<string> => {
  const worlds = coverage.get("worlds") ?? 0
  const least = Math.floor(worlds / 200)
  const seldom = required
    .filter((name) => (coverage.get(name) ?? 0) < least)
    .map((name) => `${name}: ${coverage.get(name) ?? 0} of ${least}`)
  const inputs = coverage.get("input") ?? 0
  const answered = coverage.get("input answered") ?? 0
  return answered < inputs * 0.9
    ? [...seldom, `inputs answered once the faults stopped: ${answered} of ${inputs}`]
    : seldom
}
