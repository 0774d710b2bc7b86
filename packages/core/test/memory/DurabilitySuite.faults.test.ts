/**
 * The suite finds what it is for: with each planted fault the tests named here fail (a deviation that passes is an error),
 * and no others.
 */
import { DurabilityMemory } from "@botmesh/core"
import { Durability, type DurabilityDriver, durabilityFromDriver, type SendRow } from "@botmesh/core/spi"
import { DurabilitySuite } from "@botmesh/core/testing"
import { Effect, Layer } from "effect"

const titles = {
  repeat: "IN1 a message that was recorded is a duplicate while its record is there, and seven days longer, R15",
  deadRepeat: "IN1 a dead message is a duplicate as long as it is there, and seven days after it was dropped",
  race: "IN1 of 50 concurrent records of one message one is recorded, and all name it",
  order: "IN2 records are claimed in the order they were recorded, one under each fence, I5",
  numbered: "IN2 what many record at once is numbered apart, and claimed once each in that order",
  reclaim: "IN2 the same claimant asking again gets the same record, R4",
  backoff: "IN3 while the oldest backs off nothing later of its key is claimed, and other keys go on, R4",
  lower: "IN4 whatever comes under a lower fence is refused and changes nothing, R5",
  bare: "IN4 a fence can be raised where nothing stands, and a claim raises it, R5",
  only: "IN5 only the claim that stands signs a record off, I10",
  again: "IN5 the same sign-off again is a repeat and changes nothing",
  charge: "IN6 an owner that vanished charges one crash; releases, its own return and repeats charge none, R14",
  poison:
    "DUR-09 a message that ends its process is dead at the sixth time, and the next of its chat is claimed at once, R14",
  requeue: "IN7 a dead record frees its chat's queue, and comes back at its end when it is requeued, D1",
  drop: "IN7 a dead or an idle record can be dropped, one that runs cannot",
  due: "R4 keys with open records are due when their oldest is, each once, with who runs it",
  listed: "D1 records are listed by state, the oldest first, each once across pages",
  counted: "I24 what is pending and what is dead is counted, with the age of the oldest",
  apart: "R21 two bots, and two keys that begin alike, share no record",
  known: "OUT1 a known send is kept as it was first, and another content under its id is told, R7",
  seven: "OUT1 what went out stays known for seven days, R7",
  planned: "OUT2 sends go out in the order they were planned, and a repeated plan adds only what is new, I12",
  whole: "OUT2 plans made at once do not mix: each is stored whole and in a row",
  planFence: "OUT3 a plan under a lower fence is refused and stores nothing; a plan raises the fence, R5",
  one: "OUT4 of many attempts at once one takes the oldest, the others wait for its deadline, R11",
  later: "DUR-11 a send that is to wait keeps its place, and everything behind it waits too, I12",
  unknown: "OUT5 an attempt without a word is unknown, and nothing of its lane goes out before a decision, R11",
  last: "OUT6 only the last attempt is heard, and its report again is a repeat, I11",
  late: "OUT6 what the transport says late is still the truth, until the next attempt",
  leave:
    "OUT7 refused, dead and held sends leave the lane; they come back at its end when requeued, never when dropped",
  lanes: "R11 lanes are due when their oldest send is, each once",
  sends: "D2 sends are listed by state, the oldest first, each once across pages, and counted",
  model: "D3 any sequence of acts and hours ends as the reference says (60 sequences)"
} as const
type Title = keyof typeof titles

type Change = (driver: DurabilityDriver) => {
  readonly inbox?: Partial<DurabilityDriver["inbox"]>
  readonly outbox?: Partial<DurabilityDriver["outbox"]>
  readonly raiseFence?: DurabilityDriver["raiseFence"]
}

const plant = (fault: string, found: ReadonlyArray<Title>, change: Change): void =>
  DurabilitySuite.suite(
    `planted: ${fault}`,
    Layer.sync(Durability, () => {
      const memory = DurabilityMemory.make()
      const { inbox, outbox, ...rest } = change(memory)
      return durabilityFromDriver({
        ...memory,
        ...rest,
        inbox: { ...memory.inbox, ...inbox },
        outbox: { ...memory.outbox, ...outbox }
      })
    }),
    { deviations: [{ reason: fault, tests: found.map((title) => titles[title]) }], sequences: 60 }
  )

plant("messages are not deduplicated", ["repeat", "deadRepeat", "race", "drop", "model"], ({ inbox }) => ({
  inbox: { record: (bot, key, row, now) => inbox.record(bot, key, { ...row, dedupe: "" }, now) }
}))

plant("a message is looked up before it is recorded", ["race"], ({ inbox }) => {
  const known = new Map<string, string>()
  return {
    inbox: {
      record: Effect.fnUntraced(function* (bot, key, row, now) {
        const at = `${bot}|${key}|${row.dedupe}`
        const id = row.dedupe === "" ? undefined : known.get(at)
        yield* Effect.yieldNow
        if (id !== undefined) return yield* inbox.record(bot, key, row, now)
        known.set(at, row.id)
        const found = yield* inbox.record(bot, key, row, now)
        return found.isNew ? found : yield* inbox.record(bot, key, { ...row, dedupe: "" }, now)
      })
    }
  }
})

plant("a message is forgotten when it is acknowledged", ["repeat", "model"], ({ inbox }) => {
  const ages = new Map<string, number>()
  return {
    inbox: {
      record: (bot, key, row, now) => {
        const dedupe = row.dedupe === "" ? "" : `${row.dedupe}${ages.get(bot) ?? 0}`
        return inbox.record(bot, key, { ...row, dedupe }, now)
      },
      ack: (bot, key, id, fence, now) =>
        Effect.tap(inbox.ack(bot, key, id, fence, now), (accepted) =>
          Effect.sync(() => accepted && ages.set(bot, (ages.get(bot) ?? 0) + 1))
        )
    }
  }
})

plant("a younger record is claimed while the oldest backs off", ["backoff", "model"], ({ inbox }) => {
  const younger = Effect.fnUntraced(function* (bot: string, key: string) {
    const { items } = yield* inbox.list(bot, { state: "open", limit: 1_000 })
    return items.find((row) => row.key === key && row.due === 0)
  })
  return {
    inbox: {
      claim: Effect.fnUntraced(function* (bot, key, by, now) {
        const claimed = yield* inbox.claim(bot, key, by, now)
        if (claimed._tag !== "waiting") return claimed
        const row = yield* younger(bot, key)
        return row === undefined ? claimed : { _tag: "claimed", row, left: true }
      })
    }
  }
})

plant("fences are not compared", ["lower", "bare", "only", "planFence", "model"], ({ inbox, outbox }) => {
  const highest = new Map<string, number>()
  const lift = (bot: string, key: string, fence: number): number => {
    const at = `${bot}|${key}`
    const lifted = Math.max(fence, highest.get(at) ?? 0)
    highest.set(at, lifted)
    return lifted
  }
  return {
    inbox: {
      claim: (bot, key, by, now) => inbox.claim(bot, key, { ...by, fence: lift(bot, key, by.fence) }, now),
      ack: (bot, key, id, fence, now) => inbox.ack(bot, key, id, lift(bot, key, fence), now)
    },
    outbox: { plan: (bot, key, fence, sends, now) => outbox.plan(bot, key, lift(bot, key, fence), sends, now) }
  }
})

plant("a fence is raised in another row than the writes lock", ["lower", "bare", "planFence", "model"], (memory) => ({
  raiseFence: (bot, key, fence, now) => memory.raiseFence(bot, `fence of ${key}`, fence, now)
}))

plant("a claim is not stored before the work", ["charge", "poison", "due", "reclaim", "model"], ({ inbox }) => ({
  inbox: {
    claim: (bot, key, by, now) => inbox.claim(bot, key, { ...by, owner: "nobody" }, now)
  }
}))

plant("whoever holds the key may acknowledge", ["only", "model"], ({ inbox }) => ({
  inbox: {
    ack: Effect.fnUntraced(function* (bot, key, id, fence, now) {
      return (yield* inbox.ack(bot, key, id, fence, now)) || (yield* inbox.drop(bot, key, id))
    })
  }
}))

plant(
  "a dead record stays in its chat's way",
  ["requeue", "only", "again", "listed", "counted", "model"],
  ({ inbox }) => ({
    inbox: {
      dead: (bot, key, id, fence, _, now) => inbox.release(bot, key, id, { fence, failed: true, due: now + 9_000 })
    }
  })
)

plant(
  "an outbox id has the fence in it",
  ["known", "planned", "whole", "planFence", "one", "later", "unknown", "last", "late", "leave", "lanes", "model"],
  ({ outbox }) => ({
    outbox: {
      plan: (bot, lane, fence, sends, now) =>
        outbox.plan(
          bot,
          lane,
          fence,
          sends.map((send) => ({ ...send, id: `${send.id}@${fence}` })),
          now
        )
    }
  })
)

plant("another content under a known id is not told", ["known", "model"], ({ outbox }) => ({
  outbox: {
    plan: (bot, lane, fence, sends, now) =>
      Effect.map(outbox.plan(bot, lane, fence, sends, now), (planned) =>
        planned._tag === "planned"
          ? { ...planned, sends: planned.sends.map((send) => ({ ...send, diverged: false })) }
          : planned
      )
  }
}))

plant("a plan is stored one send after the other", ["whole"], ({ outbox }) => ({
  outbox: {
    plan: Effect.fnUntraced(function* (bot, lane, fence, sends, now) {
      const [first, ...rest] = sends
      const planned = yield* outbox.plan(bot, lane, fence, first === undefined ? [] : [first], now)
      if (planned._tag !== "planned") return planned
      const all = [...planned.sends]
      for (const send of rest) {
        yield* Effect.yieldNow
        const more = yield* outbox.plan(bot, lane, fence, [send], now)
        if (more._tag !== "planned") return more
        all.push(...more.sends)
      }
      return { _tag: "planned", sends: all }
    })
  }
}))

plant("an attempt without a word is simply made again", ["unknown", "last", "leave", "model"], ({ outbox }) => ({
  outbox: {
    attempt: Effect.fnUntraced(function* (bot, lane, by, now) {
      const taken = yield* outbox.attempt(bot, lane, by, now)
      if (taken._tag !== "unknown") return taken
      yield* outbox.decide(bot, lane, taken.row.id, "resend", now)
      return yield* outbox.attempt(bot, lane, by, now)
    })
  }
}))

plant("two attempts of one lane at once", ["one", "unknown", "model"], ({ outbox }) => ({
  outbox: {
    attempt: Effect.fnUntraced(function* (bot, lane, by, now) {
      const taken = yield* outbox.attempt(bot, lane, by, now)
      if (taken._tag !== "waiting") return taken
      const rows: ReadonlyArray<SendRow> = (yield* outbox.list(bot, { state: "attempting", limit: 1_000 })).items
      const row = rows.find((send) => send.lane === lane)
      return row === undefined ? taken : { _tag: "attempt", row, left: true }
    })
  }
}))

plant("a held send is kept in the lane", ["unknown", "late", "leave"], ({ outbox }) => ({
  outbox: {
    decide: (bot, lane, id, decision, now) =>
      decision === "hold"
        ? Effect.map(outbox.find(bot, lane, id), (send) => send?.state === "unknown")
        : outbox.decide(bot, lane, id, decision, now)
  }
}))

plant("any attempt is heard", ["last"], ({ outbox }) => {
  const tokens = new Map<string, string>()
  return {
    outbox: {
      attempt: (bot, lane, by, now) =>
        Effect.tap(outbox.attempt(bot, lane, by, now), (taken) =>
          Effect.sync(() => taken._tag === "attempt" && tokens.set(`${bot}|${lane}|${taken.row.id}`, taken.row.token))
        ),
      report: (bot, lane, id, token, report, now) =>
        outbox.report(bot, lane, id, tokens.get(`${bot}|${lane}|${id}`) ?? token, report, now)
    }
  }
})

plant("a send that is to wait goes to the end", ["later", "lanes", "model"], ({ outbox }) => ({
  outbox: {
    report: Effect.fnUntraced(function* (bot, lane, id, token, report, now) {
      if (report.tag !== "later") return yield* outbox.report(bot, lane, id, token, report, now)
      const refused = yield* outbox.report(bot, lane, id, token, { ...report, tag: "dead" }, now)
      return refused && (yield* outbox.decide(bot, lane, id, "requeue", now))
    })
  }
}))
