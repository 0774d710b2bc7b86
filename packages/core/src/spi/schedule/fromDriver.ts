/** Lifts a schedule driver to the contract: codecs, tokens and the compare-and-set loop are handled here and nowhere else. */
import { Clock, Effect, Random, Schema } from "effect"
import { findNotJson } from "../../model/PlainJson.ts"
import type { Json } from "../../model/Json.ts"
import type { JobRow, ScheduleDriver } from "../ScheduleDriver.ts"
import { ScheduleStoreError, type ScheduleStoreShape, type StoredJob } from "../ScheduleStore.ts"
import type { BotScope } from "../Store.ts"
import * as Acts from "./Acts.ts"

const isJson = (value: unknown): value is Json => findNotJson(value) === undefined
const JsonValue = Schema.Unknown.pipe(Schema.refine(isJson))

const Stored = Schema.fromJsonString(
  Schema.Struct({
    format: Schema.Literal(1),
    job: Schema.Struct({
      id: Schema.String,
      spec: JsonValue,
      policy: Schema.Literals(["skip", "once", "all"]),
      paused: Schema.Boolean,
      next: Schema.optionalKey(Schema.Number),
      asked: Schema.optionalKey(Schema.Number),
      run: Schema.optionalKey(
        Schema.Struct({
          at: Schema.Number,
          token: Schema.String,
          until: Schema.Number,
          attempt: Schema.Int,
          forced: Schema.Boolean
        })
      ),
      last: Schema.optionalKey(
        Schema.Struct({
          at: Schema.Number,
          finishedAt: Schema.Number,
          token: Schema.String,
          ok: Schema.Boolean
        })
      ),
      fence: Schema.Number
    })
  })
)
const decodeStored = Schema.decodeUnknownEffect(Stored)

const newToken: Effect.Effect<string> = Effect.gen(function* () {
  const part = () => Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)
  return `${(yield* part()).toString(36)}${(yield* part()).toString(36)}`
})

/** How often a write that others came before is tried again before it fails as `busy`. */
const tries = 50

/** The contract on a driver. Source: D4. */
export const fromDriver = (driver: ScheduleDriver): ScheduleStoreShape => {
  const fail = (operation: string, reason: ScheduleStoreError["reason"], detail: string) =>
    new ScheduleStoreError({ operation, reason, detail })
  const read = (operation: string, id: string, row: JobRow): Effect.Effect<StoredJob, ScheduleStoreError> =>
    Effect.catch(
      Effect.map(decodeStored(row.data), ({ job }) => job),
      (error) => Effect.fail(fail(operation, "corrupt", `the job ${id} cannot be read: ${error.message}`))
    )
  const within = <A>(operation: string, limit: number, page: Effect.Effect<A, ScheduleStoreError>) =>
    Number.isInteger(limit) && limit >= 1 && limit <= 1_000
      ? page
      : Effect.fail(fail(operation, "invalid", `expected a limit from 1 to 1000, got ${limit}`))

  /** Reads a job, lets an act decide, and writes what it made of it; again when another write came between. */
  const change = Effect.fnUntraced(function* <A>(
    operation: string,
    bot: BotScope,
    id: string,
    act: (job: StoredJob | undefined, now: number) => Acts.Change<A>
  ): Effect.fn.Return<A, ScheduleStoreError> {
    for (let attempt = 0; attempt < tries; attempt++) {
      const row = yield* driver.read(bot, id)
      const now = yield* Clock.currentTimeMillis
      const job = row === undefined ? undefined : yield* read(operation, id, row)
      const { answer, job: next } = act(job, now)
      if (next === undefined) return answer
      const written = {
        revision: Math.max((row?.revision ?? 0) + 1, Math.ceil(now)),
        due: Acts.dueOf(next),
        data: JSON.stringify({ format: 1, job: next })
      }
      if (yield* driver.writeIf(bot, id, row?.revision ?? null, written)) return answer
    }
    return yield* fail(operation, "busy", `others wrote the job ${id} ${tries} times meanwhile`)
  })
  const known =
    <A>(absent: A, act: (job: StoredJob, now: number) => Acts.Change<A>) =>
    (job: StoredJob | undefined, now: number): Acts.Change<A> =>
      job === undefined ? { job: undefined, answer: absent } : act(job, now)
  const readAll = (operation: string, rows: ReadonlyArray<{ readonly id: string; readonly row: JobRow }>) =>
    Effect.forEach(rows, ({ id, row }) => read(operation, id, row))

  return {
    name: driver.name,
    persistent: driver.persistent,
    define: (bot, job) => {
      const bad = findNotJson(job.spec)
      return bad === undefined
        ? change("define", bot, job.id, (stands) => Acts.define(stands, job))
        : Effect.fail(
            fail("define", "invalid", `the spec of ${job.id} is not plain JSON at ${bad.path}: ${bad.reason}`)
          )
    },
    take: (bot, id, options) =>
      Effect.flatMap(newToken, (token) =>
        change(
          "take",
          bot,
          id,
          known({ _tag: "absent" }, (job, now) => Acts.take(job, options, token, now))
        )
      ),
    skip: (bot, id, options) =>
      change(
        "skip",
        bot,
        id,
        known(false, (job) => Acts.skip(job, options))
      ),
    renew: (bot, id, token, until) =>
      change(
        "renew",
        bot,
        id,
        known(false, (job) => Acts.renew(job, token, until))
      ),
    finish: (bot, id, token, ok) =>
      change(
        "finish",
        bot,
        id,
        known(false, (job, now) => Acts.finish(job, token, ok, now))
      ),
    pause: (bot, id) => change("pause", bot, id, known(false, Acts.pause)),
    resume: (bot, id, next) =>
      change(
        "resume",
        bot,
        id,
        known(false, (job) => Acts.resume(job, next))
      ),
    runNow: (bot, id) => change("runNow", bot, id, known(false, Acts.runNow)),
    remove: Effect.fnUntraced(function* (bot, id) {
      for (let attempt = 0; attempt < tries; attempt++) {
        const row = yield* driver.read(bot, id)
        if (row === undefined) return false
        if (yield* driver.writeIf(bot, id, row.revision, null)) return true
      }
      return yield* fail("remove", "busy", `others wrote the job ${id} ${tries} times meanwhile`)
    }),
    find: (bot, id) =>
      Effect.flatMap(driver.read(bot, id), (row) => (row === undefined ? Effect.undefined : read("find", id, row))),
    list: (bot, options) =>
      within(
        "list",
        options.limit,
        Effect.flatMap(driver.list(bot, options), ({ items, next }) =>
          Effect.map(readAll("list", items), (jobs) => (next === undefined ? { items: jobs } : { items: jobs, next }))
        )
      ),
    due: (bot, options) =>
      within(
        "due",
        options.limit,
        Effect.flatMap(driver.due(bot, options), (rows) => readAll("due", rows))
      )
  }
}
