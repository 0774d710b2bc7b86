/**
 * What several statements do in one transaction, written once for both databases: a generator that yields each statement
 * and is given its rows. SQLite runs it without a pause, Postgres with a round trip for each.
 */
import type { Row } from "./Column.ts"

export type Param = string | number | null

export interface Step {
  readonly statement: string
  readonly params: ReadonlyArray<Param>
}

export type Script<A> = Generator<Step, A, ReadonlyArray<Row>>

/** Runs a statement; its rows. A write answers with rows where it says RETURNING. */
export function* all(statement: string, ...params: ReadonlyArray<Param>): Script<ReadonlyArray<Row>> {
  return yield { statement, params }
}

/** The first row of a statement. */
export function* first(statement: string, ...params: ReadonlyArray<Param>): Script<Row | undefined> {
  const [row] = yield { statement, params }
  return row
}
