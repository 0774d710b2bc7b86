/**
 * What a person holding the chat does to the wait of its conversation: the time it had left is kept, not its deadline
 * (B14, design.md 6). Stored like any wait, so a restart in between changes nothing. Pure.
 */
import type { Wait } from "../model/Checkpoint.ts"

/** The wait as it rests while a person holds the chat. @param since ms since the epoch: when its time stopped */
export const paused = (wait: Wait, since: number): Wait => {
  const left = (time: number): number => Math.max(0, time - since)
  switch (wait.kind) {
    case "ask":
      return {
        kind: "handoff",
        op: wait.op,
        then: "ask",
        ...(wait.deadline === undefined ? {} : { remaining: left(wait.deadline) }),
        ...(wait.idleAt === undefined ? {} : { idle: left(wait.idleAt) })
      }
    case "sleep":
      return { kind: "handoff", op: wait.op, then: "sleep", remaining: left(wait.deadline) }
    case "resume":
      return { kind: "handoff", op: wait.op, then: "resume", remaining: left(wait.at) }
    case "handoff":
      return wait
  }
}

/** The wait once the chat is given back. @param now ms since the epoch */
export const resumed = (wait: Wait, now: number): Wait => {
  if (wait.kind !== "handoff") return wait
  const { idle, op, remaining, then } = wait
  switch (then) {
    case "ask":
      return {
        kind: "ask",
        op,
        ...(remaining === undefined ? {} : { deadline: now + remaining }),
        ...(idle === undefined ? {} : { idleAt: now + idle })
      }
    case "sleep":
      return { kind: "sleep", op, deadline: now + (remaining ?? 0) }
    case "resume":
      return { kind: "resume", op, at: now + (remaining ?? 0), cuts: 1 }
  }
}

/** A wait that was never stored as paused, given back `pause` ms later: as if its time had stood still. */
export const delayed = (wait: Wait, pause: number): Wait => resumed(paused(wait, 0), pause)
