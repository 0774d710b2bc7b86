/**
 * One connection to one SQLite file over `node:sqlite`: as Effect's `SqlClient`, and as plain synchronous calls for code
 * that runs per message. Both take turns on it, and both join a transaction that the calling fiber has open.
 */
import { ConfigValidationError, type DurationInput, parseDuration, type StoreError } from "@botmesh/core/spi"
import {
  type Config,
  Context,
  type Duration,
  Effect,
  type Fiber,
  Layer,
  Option,
  Schedule,
  type Scope,
  Semaphore,
  Stream
} from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { closeSync, openSync } from "node:fs"
import { resolve } from "node:path"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import type { Script } from "../rows/Script.ts"
import { readSetting, type Setting } from "../Setting.ts"
import { storeError } from "./Failure.ts"
import { makeGroup } from "./Group.ts"

export interface SqliteClientOptions {
  /** A path, or `:memory:`. A new file is readable by its owner only (mode 0600); its directory must exist. */
  readonly filename: Setting<string>
  /**
   * `normal` (default): what was stored survives the end of the process at any moment; a power cut may take the last
   * writes, never the file. `full`: survives a power cut too, at one disk flush a write.
   */
  readonly synchronous?: Setting<"normal" | "full">
  /** How long a write waits for another process to give the file free, then fails with `busy`. Default 5 s. */
  readonly busyTimeout?: Setting<DurationInput>
  /** Prepared statements kept, the least used go first. Default 200. */
  readonly statements?: Setting<number>
}

/** Gives the prepared statement of a text. Only good until the function it was given to returns. */
export type Prepare = (sql: string) => StatementSync

export interface SqliteClientShape {
  readonly filename: string
  /** False for `:memory:`. */
  readonly persistent: boolean
  /** Runs one statement, or several reads, in one go: no other fiber comes between. Waits for a transaction in progress. */
  readonly use: <A>(operation: string, f: (prepare: Prepare) => A) => Effect.Effect<A, StoreError>
  /**
   * Runs one statement that writes. It shares its commit with what other fibers write now; a transaction that the calling
   * fiber has open takes it instead.
   */
  readonly write: <A>(operation: string, f: (prepare: Prepare) => A) => Effect.Effect<A, StoreError>
  /**
   * Runs all of `f` or nothing of it; what `f` throws takes it back. Reads in it see one state of the file. Its commit is
   * shared like that of `write`.
   */
  readonly transaction: <A>(operation: string, f: (prepare: Prepare) => A) => Effect.Effect<A, StoreError>
  /** The same for a script. */
  readonly transact: <A>(operation: string, script: () => Script<A>) => Effect.Effect<A, StoreError>
  /** The same for one that only reads. */
  readonly read: <A>(operation: string, script: () => Script<A>) => Effect.Effect<A, StoreError>
}

/** An open SQLite file. Source: H SQLite. */
export class SqliteClient extends Context.Service<SqliteClient, SqliteClientShape>()("@botmesh/sql/SqliteClient") {}

// How long a call may block the event loop on a lock. The rest of busyTimeout is waited for in sleeps: a bot that stands
// still for seconds would lose its leases.
const blockingMillis = 50
const walLimitBytes = 64 * 1024 * 1024
const memory = ":memory:"

interface Settings {
  readonly filename: string
  readonly synchronous: "normal" | "full"
  readonly busyTimeout: Duration.Duration
  readonly statements: number
}

const readSettings = Effect.fnUntraced(function* (options: SqliteClientOptions) {
  const filename = yield* readSetting(options.filename)
  const synchronous = yield* readSetting(options.synchronous ?? "normal")
  const statements = yield* readSetting(options.statements ?? 200)
  const wait = yield* readSetting<DurationInput>(options.busyTimeout ?? "5s")
  const busyTimeout = yield* Effect.fromResult(parseDuration(wait, "sqlite.busyTimeout"))
  if (filename === "") return yield* ConfigValidationError.of("sqlite.filename", `expected a path or ${memory}, got ""`)
  if (synchronous !== "normal" && synchronous !== "full")
    return yield* ConfigValidationError.of("sqlite.synchronous", `expected 'normal' or 'full', got ${synchronous}`)
  if (!Number.isInteger(statements) || statements < 1)
    return yield* ConfigValidationError.of("sqlite.statements", `expected a whole number from 1 on, got ${statements}`)
  return { filename: filename === memory ? memory : resolve(filename), synchronous, busyTimeout, statements }
})

/** Runs what may meet a lock again until `busyTimeout` has passed. */
const patiently =
  <E>(timeout: Duration.Duration, busy: (error: E) => boolean) =>
  <A, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catch(self, (error) =>
      busy(error)
        ? Effect.retry(self, {
            schedule: Schedule.spaced("20 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: timeout })),
            while: busy
          })
        : Effect.fail(error)
    )

const openFile = ({ filename, synchronous }: Settings): DatabaseSync => {
  // SQLite would give a new file the mode of the umask, and would open one that cannot be written for reading.
  if (filename !== memory) closeSync(openSync(filename, "a", 0o600))
  const db = new DatabaseSync(filename, { timeout: blockingMillis })
  try {
    if (filename !== memory) {
      const mode = db.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode
      if (mode !== "wal") throw new Error(`the file system of ${filename} cannot share memory: keep it on a local disk`)
      db.exec(`PRAGMA journal_size_limit = ${walLimitBytes}`)
    }
    db.exec(`PRAGMA synchronous = ${synchronous}`)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

const open = (settings: Settings): Effect.Effect<DatabaseSync, StoreError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => openFile(settings),
      catch: (cause) => storeError(settings.filename, "open", cause)
    }).pipe(patiently(settings.busyTimeout, (error) => error.reason === "busy")),
    (db) => Effect.sync(() => db.close()),
    { interruptible: true }
  )

/** Statements by text, the least used dropped first: a Map keeps its keys in the order in which they were set. */
const makePrepare = (db: DatabaseSync, size: number): Prepare => {
  const cache = new Map<string, StatementSync>()
  return (sql) => {
    const known = cache.get(sql)
    // Order matters only once something must go.
    if (known !== undefined && cache.size < size) return known
    cache.delete(sql)
    const [oldest] = cache.size < size ? [] : cache.keys()
    if (oldest !== undefined) cache.delete(oldest)
    const statement = known ?? db.prepare(sql)
    cache.set(sql, statement)
    return statement
  }
}

const begin = "BEGIN IMMEDIATE"
/** All or nothing, in a transaction or, inside one, in a savepoint. */
const atomically = <A>(db: DatabaseSync, prepare: Prepare, f: (prepare: Prepare) => A): A => {
  const nested = db.isTransaction
  prepare(nested ? "SAVEPOINT botmesh" : begin).run()
  try {
    const result = f(prepare)
    prepare(nested ? "RELEASE botmesh" : "COMMIT").run()
    return result
  } catch (cause) {
    // A full disk or a broken one has ended the transaction already.
    if (db.isTransaction) {
      prepare(nested ? "ROLLBACK TO botmesh" : "ROLLBACK").run()
      if (nested) prepare("RELEASE botmesh").run()
    }
    throw cause
  }
}

const runScript = <A>(prepare: Prepare, script: () => Script<A>): A => {
  const steps = script()
  let next = steps.next()
  while (next.done !== true) next = steps.next(prepare(next.value.statement).all(...next.value.params))
  return next.value
}

const bindable = (value: unknown): SQLInputValue => {
  if (value === undefined || value === null) return null
  if (typeof value === "boolean") return value ? 1 : 0
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "string") return value
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite takes no ${typeof value} as a parameter`)
}

/** The connection as Effect's sql modules want it. */
const makeConnection = (db: DatabaseSync, prepare: Prepare, timeout: Duration.Duration): SqlConnection.Connection => {
  const attempt = <A>(f: () => A): Effect.Effect<A, SqlError.SqlError> =>
    patiently<SqlError.SqlError>(
      timeout,
      (error) => error.reason._tag === "LockTimeoutError" && !db.isTransaction
    )(Effect.try({ try: f, catch: sqlError }))
  const rows = (statement: StatementSync, params: ReadonlyArray<unknown>) => statement.all(...params.map(bindable))
  // As arrays: two columns of one name are two values.
  const values = (statement: StatementSync, params: ReadonlyArray<unknown>) => {
    statement.setReturnArrays(true)
    try {
      return rows(statement, params).map(Object.values)
    } finally {
      statement.setReturnArrays(false)
    }
  }
  return {
    execute: (sql, params, transform) => attempt(() => (transform ?? identity)(rows(prepare(sql), params))),
    executeUnprepared: (sql, params, transform) =>
      attempt(() => (transform ?? identity)(rows(db.prepare(sql), params))),
    executeRaw: (sql, params) => attempt(() => prepare(sql).run(...params.map(bindable))),
    executeValues: (sql, params) => attempt(() => values(prepare(sql), params)),
    executeValuesUnprepared: (sql, params) => attempt(() => values(db.prepare(sql), params)),
    // A page a pull: a result is never held in memory whole.
    executeStream: (sql, params, transform) =>
      Stream.unwrap(
        Effect.map(
          attempt(() => db.prepare(sql).iterate(...params.map(bindable))),
          (iterator) =>
            Stream.paginate(
              iterator,
              (rest) =>
                Effect.map(
                  attempt(() => take(rest, 64)),
                  (page) => [(transform ?? identity)(page), page.length < 64 ? Option.none() : Option.some(rest)]
                )
              // An iterator left open would hold a read lock, and with it the log, for as long as it lives.
            ).pipe(Stream.ensuring(Effect.sync(() => iterator.return?.())))
        )
      )
  }
}
const identity = <A>(value: A): A => value
const take = <A>(iterator: Iterator<A>, count: number): Array<A> => {
  const page: Array<A> = []
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    if (page.push(next.value) === count) break
  }
  return page
}

const uniqueCode = 2067
const primaryKeyCode = 1555
const sqlError = (cause: unknown): SqlError.SqlError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  const code = cause instanceof Error && "errcode" in cause ? cause.errcode : undefined
  // The classifier reads `errno`, and takes a primary key for no unique one. The error itself stays the cause.
  const errno = code === primaryKeyCode ? uniqueCode : code
  const classified = code === undefined ? cause : { errno, message, cause }
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError(classified, { message, operation: "execute" })
  })
}

const make = Effect.fnUntraced(function* (options: SqliteClientOptions) {
  const settings = yield* readSettings(options)
  const { busyTimeout, filename } = settings
  const db = yield* open(settings)
  const prepare = makePrepare(db, settings.statements)
  const connection = makeConnection(db, prepare, busyTimeout)
  const patient = patiently<StoreError>(busyTimeout, (error) => error.reason === "busy")
  const semaphore = yield* Semaphore.make(1)
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connection),
    semaphore,
    isTransaction: () => db.isTransaction
  })
  const client = yield* SqlClient.make({
    ...acquirers,
    compiler: Statement.makeCompilerSqlite(),
    driver: "node:sqlite",
    // The write lock is taken at once: a transaction that read first could not be given it later.
    beginTransaction: begin,
    prepareTransactionControls: true,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
  const isOwner = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
    Context.getOrUndefined(fiber.context, client.transactionService) !== undefined
  const run = <A>(operation: string, f: () => A): Effect.Effect<A, StoreError> => {
    const once = Effect.suspend(() => {
      try {
        return Effect.succeed(f())
      } catch (cause) {
        return Effect.fail(storeError(filename, operation, cause))
      }
    })
    return patient(
      Effect.withFiber((fiber) =>
        // Another fiber's transaction is waited for; in nobody's, or our own, a synchronous call needs no permit.
        db.isOpen && db.isTransaction && !isOwner(fiber) ? semaphore.withPermit(once) : once
      )
    )
  }
  const group = yield* makeGroup({
    run,
    atomically: (f) => atomically(db, prepare, f),
    isTransaction: () => db.isTransaction,
    error: (operation, cause) => storeError(filename, operation, cause)
  })
  const write = <A>(operation: string, f: () => A): Effect.Effect<A, StoreError> =>
    Effect.withFiber((fiber) => (isOwner(fiber) ? run(operation, f) : group.add(operation, f)))
  const shape: SqliteClientShape = {
    filename,
    persistent: filename !== memory,
    use: (operation, f) => run(operation, () => f(prepare)),
    write: (operation, f) => write(operation, () => f(prepare)),
    transaction: (operation, f) => write(operation, () => atomically(db, prepare, f)),
    transact: (operation, script) => write(operation, () => atomically(db, prepare, () => runScript(prepare, script))),
    read: (operation, script) => run(operation, () => runScript(prepare, script))
  }
  return Context.make(SqliteClient, shape).pipe(Context.add(SqlClient.SqlClient, client))
})

/**
 * Opens a SQLite file, closed with the scope. Write-ahead log, safe for several processes on one machine.
 *
 * Fails with `StoreError` (`unavailable`: the path or the disk, `corrupt`: no database or a damaged one, `busy`: locked for
 * longer than `busyTimeout`) and with `ConfigValidationError` for an option out of range. Source: H SQLite
 */
export const layer = (
  options: SqliteClientOptions
): Layer.Layer<SqliteClient | SqlClient.SqlClient, StoreError | ConfigValidationError | Config.ConfigError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))
