/**
 * Known mistakes in coordination and checkpoints, each a patch of one site of the engine, and the invariant whose checker
 * is to find it. They are planted in a copy: nothing of them is in the engine.
 */
export interface Fault {
  readonly name: string
  readonly invariant: string
  /** Under packages/core/src. */
  readonly file: string
  /** Each stands there exactly once. */
  readonly edits: ReadonlyArray<{ readonly find: string; readonly replace: string }>
}

const hub = "memory/CoordinatorHub.ts"
const rows = "memory/CheckpointRows.ts"
const repair = "spi/coordination/Repair.ts"

const one = (name: string, invariant: string, file: string, find: string, replace: string): Fault => ({
  name,
  invariant,
  file,
  edits: [{ find, replace }]
})

export const faults: ReadonlyArray<Fault> = [
  one(
    "renewal dropped",
    "I4",
    repair,
    "driver.renew(life.index, { incarnation, epoch, lease })",
    "Effect.sync(() => [...life.held.values()].map(({ key, ticket, fence }) => ({ key, ticket, fence })))"
  ),
  one(
    "renewal revives a lost lease",
    "I1",
    repair,
    "if (rows === undefined || monotonic() >= life.goodUntil) return this.replica.begin(life)",
    "if (rows === undefined) { life.goodUntil = this.replica.goodFrom(sentAt); return Effect.void }"
  ),
  one("timer not cancelled", "I17", "conversation/Live.ts", "this.timer?.cancel()", ""),
  one(
    "non-atomic ticket",
    "I1",
    hub,
    "enqueue: (index, row) => act(backend, row.incarnation, (now) => enqueue(backend, backend.at(index), row, now)),",
    "enqueue: (index, row) => Effect.flatMap(act(backend, row.incarnation, (now) => backend.holdOf(backend.at(index), row.key, now) === undefined), (free) => Effect.andThen(Effect.sleep(1), act(backend, row.incarnation, (now) => { if (free) backend.at(index).holds.delete(row.key); return enqueue(backend, backend.at(index), row, now) }))),"
  ),
  one(
    "wake lost",
    "I6",
    hub,
    'this.tell(next.incarnation, { _tag: "wake", key, epoch, ticket, ...granted })',
    "void granted"
  ),
  one(
    "revision restarted by a clear",
    "I13",
    rows,
    "    this.held.rows.set(key, next)\n    if (next.wakeAt === null)",
    "    this.held.rows.set(key, next.data === null ? { ...next, revision: 0 } : next)\n    if (next.wakeAt === null)"
  ),
  one(
    "tombstone dropped at clear",
    "I13",
    rows,
    "    this.held.rows.set(key, next)\n    if (next.wakeAt === null)",
    '    if (next.data === null && next.id !== "") this.held.rows.delete(key)\n    else this.held.rows.set(key, next)\n    if (next.wakeAt === null)'
  ),
  one(
    "outbox key with the revision in it",
    "I21",
    "conversation/Live.ts",
    `const key = \`\${this.id}:\${this.visit}:\${op.name}\``,
    `const key = \`\${this.id}:\${this.visit}.\${this.revision}:\${op.name}\``
  )
]
