/** The judge finds what it is for, and nothing where there is nothing: a log is written by hand, then broken. */
import { describe, expect, it } from "vitest"
import type { Entry, Fault } from "../wire/Entry.ts"
import { judge } from "./Judge.ts"
import { commandsOf, readWrites } from "./Writes.ts"

const chat = "chat1"
const wrote = (n: number, at: number, body = `echo #${n} 5`): Entry => ({ e: "wrote", n, chat, at, body })
const delivered = (n: number, at: number, pid: number): Entry => ({ e: "delivered", n, at, pid })
const ticket = (n: number, at: number, pid: number): Entry => ({ e: "ticket", n, at, pid })
const said = (text: string, at: number, pid: number, sent = at): Entry => ({ e: "said", chat, text, at, pid, sent })
const dropped = (n: number, at: number, pid: number, reason: string): Entry => ({ e: "dropped", n, at, pid, reason })
const fault = (verb: Fault["verb"], pid: number | undefined, from: number, to: number): Fault => ({
  verb,
  pid,
  from,
  to
})
const turn = (n: number, at: number, pid: number): ReadonlyArray<Entry> => [
  said(`begin #${n}`, at, pid),
  said(`end #${n}`, at + 10, pid)
]
/** Two messages of a chat, on two replicas, whose tickets were taken in order. */
const two = [wrote(1, 0), delivered(1, 1, 7), ticket(1, 5, 7), wrote(2, 6), delivered(2, 7, 8), ticket(2, 9, 8)]

describe("the judge of chaos", () => {
  it("finds nothing in a run where all is well", () => {
    const { evidence, ...found } = judge([...two, ...turn(1, 10, 7), ...turn(2, 30, 8)], [])
    expect(evidence).toEqual([])
    expect(found).toMatchObject({ sent: 2, answered: 2, unanswered: [], overlaps: 0, outOfOrder: 0, doubled: 0 })
  })
  it("I1 finds a turn inside another's", () => {
    const log = [...two, said("begin #1", 10, 7), ...turn(2, 12, 8), said("end #1", 40, 7)]
    expect(judge(log, [])).toMatchObject({ overlaps: 1, staleSends: { inFreeze: 0, other: 0 } })
  })
  it("R25 counts it apart where a failover lost the grant, and only as long as a renewal takes", () => {
    const failover = [fault("failover", undefined, 5, 20)]
    const log = [...two, said("begin #1", 10, 7), ...turn(2, 12, 8)]
    expect(judge([...log, said("end #1", 40, 7)], failover)).toMatchObject({ overlaps: 0, overlapsAtFailover: 1 })
    expect(judge([...log, said("end #1", 5_000, 7)], failover)).toMatchObject({ overlaps: 1, overlapsAtFailover: 0 })
  })
  it("R10 tells a stale send that a freeze began in from one that began after it", () => {
    const log = [...two, said("begin #1", 10, 7), ...turn(2, 1_200, 8)]
    const frozen = [fault("freeze", 7, 20, 2_000)]
    expect(judge([...log, said("end #1", 2_001, 7, 19)], frozen).staleSends).toEqual({ inFreeze: 1, other: 0 })
    expect(judge([...log, said("end #1", 2_001, 7, 2_000)], frozen).staleSends).toEqual({ inFreeze: 0, other: 1 })
  })
  it("I5 finds a message that overtook another across replicas", () => {
    const log = [...two, ...turn(2, 10, 8), ...turn(1, 30, 7)]
    expect(judge(log, [])).toMatchObject({ outOfOrder: 1, requeued: 0 })
    // A fault of the first one's replica may have cost it the place; one of another replica may not.
    expect(judge(log, [fault("freeze", 7, 9, 25)])).toMatchObject({ outOfOrder: 0, requeued: 1 })
    expect(judge(log, [fault("freeze", 8, 9, 25)])).toMatchObject({ outOfOrder: 1, requeued: 0 })
  })
  it("I5 asks nothing where the second was delivered before the first had its ticket", () => {
    const log = [wrote(1, 0), delivered(1, 1, 7), wrote(2, 2), delivered(2, 3, 8), ticket(1, 5, 7), ...turn(2, 10, 8)]
    expect(judge([...log, ...turn(1, 30, 7)], [])).toMatchObject({ outOfOrder: 0 })
  })
  it("A8 holds the order of one replica, whatever happens to it", () => {
    const log = [wrote(1, 0), delivered(1, 1, 7), wrote(2, 2), delivered(2, 3, 7), ...turn(2, 10, 7), ...turn(1, 30, 7)]
    expect(judge(log, [fault("cut", 7, 0, 50)])).toMatchObject({ outOfOrder: 1, requeued: 0 })
  })
  it("I14 finds a conversation that went back to a former question", () => {
    const log = [wrote(1, 0, "form #1"), said("Q1 run=1", 2, 7), said("Q2 run=1 a=2", 4, 7), said("no Q1 run=1", 6, 8)]
    expect(judge(log, [])).toMatchObject({ outOfOrder: 1, rolledBack: 0 })
    // A failover may have lost the last checkpoints.
    expect(judge(log, [fault("failover", undefined, 3, 5)])).toMatchObject({ outOfOrder: 0, rolledBack: 1 })
  })
  it("R23 takes a message of a killed replica for lost, and lists it", () => {
    const log = [...two, ...turn(2, 30, 8)]
    expect(judge(log, [fault("kill", 7, 8, 9)])).toMatchObject({ lost: { killed: [1] }, unanswered: [] })
    // Killed before it was delivered there, or another one: nothing explains it.
    expect(judge(log, [fault("kill", 7, 0, 0.5)])).toMatchObject({ unanswered: [1] })
    expect(judge(log, [fault("kill", 8, 40, 41)])).toMatchObject({ unanswered: [1] })
  })
  it("R23 takes what the bot said it gave up for lost, where it may give up", () => {
    const log = [...two, ...turn(2, 30, 8)]
    const lost = [...log, dropped(1, 20, 7, "turn-lost")]
    const frozen = [fault("freeze", 7, 2, 19)]
    expect(judge(lost, frozen)).toMatchObject({ lost: { told: { "turn-lost": [1] } }, unanswered: [] })
    // Nothing had happened to its replica.
    expect(judge(lost, [fault("freeze", 8, 2, 19)])).toMatchObject({ unanswered: [1] })
    expect(judge([...log, dropped(1, 20, 7, "overloaded")], frozen)).toMatchObject({ unanswered: [1] })
    expect(judge([...log, dropped(1, 20, 7, "not-running")], [])).toMatchObject({ unanswered: [1] })
    const stopped = [fault("stop", 7, 10, 25)]
    expect(judge([...log, dropped(1, 20, 7, "not-running")], stopped)).toMatchObject({
      lost: { told: { "not-running": [1] } }
    })
  })
  it("I9 finds a message that was taken up twice, on whichever replica", () => {
    const log = [...two, ...turn(1, 10, 7), ...turn(1, 30, 8), ...turn(2, 50, 8)]
    expect(judge(log, [fault("kill", 7, 22, 23)])).toMatchObject({ doubled: 1, repeated: 0 })
  })
  it("R2 lets the last words of a turn that a fault cut be said again, and no others", () => {
    const log = [wrote(1, 0, "form #1"), said("Q1 run=1", 2, 7), said("Q1 run=1", 2_000, 8)]
    expect(judge(log, [fault("kill", 7, 10, 11)])).toMatchObject({ doubled: 0, repeated: 1 })
    expect(judge(log, [])).toMatchObject({ doubled: 1, repeated: 0 })
    const told: Entry = { e: "told", what: "suspended", detail: `${chat} lease-lost`, at: 3, pid: 7 }
    expect(judge([...log.slice(0, 2), told, ...log.slice(2)], [])).toMatchObject({ doubled: 0, repeated: 1 })
  })
  it("I17 finds a deadline that acted twice", () => {
    const log = [
      wrote(1, 0, "wait #1"),
      said("W run=1", 2, 7),
      said("late run=1", 1_002, 7),
      said("late run=1", 1_900, 8)
    ]
    expect(judge(log, [])).toMatchObject({ staleTimers: 1 })
  })
  it("measures how long a chat stood still after a kill", () => {
    const log = [...two, said("begin #1", 10, 7), ...turn(2, 1_015, 8)]
    expect(judge(log, [fault("kill", 7, 15, 16)]).takeOver).toEqual({ count: 1, p50: 1_000, p99: 1_000, most: 1_000 })
  })
})

const row = (id: string, revision: number, fence: number): ReadonlyArray<string> =>
  `HSET {p}:checkpoint:k id ${id} revision ${revision} fence ${fence}`.split(" ")

describe("the judge of writes", () => {
  it("I13 follows the revisions of a key, over runs", () => {
    const log = [row("a", 1, 5), row("a", 2, 5), row("a", 3, 6), row("b", 1, 7)]
    expect(readWrites(log)).toMatchObject({ checkpoints: 4, keys: 1, stale: 0, broken: 0 })
    expect(readWrites([...log, row("b", 3, 7)])).toMatchObject({ broken: 1 })
    // A log that begins in the middle says nothing of what was before.
    expect(readWrites(log.slice(1))).toMatchObject({ broken: 1 })
    expect(readWrites(log.slice(1), false)).toMatchObject({ broken: 0 })
  })
  it("I2 finds a write under a fence that had been passed", () => {
    const raised = "HSET {p}:checkpoint:k fence 9".split(" ")
    expect(readWrites([row("a", 1, 5), raised, row("a", 2, 9)])).toMatchObject({ stale: 0, broken: 0 })
    expect(readWrites([row("a", 1, 5), raised, row("a", 2, 8)])).toMatchObject({ stale: 1 })
  })
  it("reads an append-only file up to a command that was cut short", () => {
    const text = "#TS:1\r\n*2\r\n$3\r\nDEL\r\n$3\r\nñ1\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$2\r\n"
    expect([...commandsOf(Buffer.from(text))]).toEqual([["DEL", "ñ1"]])
  })
})
