/** What is listed of a stored conversation. */
import { Store } from "@botmesh/core"
import type { BotScope, Checkpoint, StoredCheckpoint } from "@botmesh/core/spi"
import { DateTime, Effect } from "effect"

export interface Row {
  readonly key: string
  readonly flow: string
  readonly step: string
  /** What it waits for, in words. */
  readonly waits: string
  /** When somebody last wrote or was written to in its chat, ISO; "" when nothing is stored of it. */
  readonly since: string
}

const time = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

const waitOf = ({ wait }: Checkpoint): string => {
  if (wait === undefined) return "the next message"
  switch (wait.kind) {
    case "ask":
      return `an answer to ${wait.op}${wait.deadline === undefined ? "" : ` until ${time(wait.deadline)}`}`
    case "sleep":
      return `time to pass until ${time(wait.deadline)}`
    case "resume":
      return `its next try at ${time(wait.at)}`
    case "handoff":
      return "a person to give the chat back"
  }
}

const pageSize = 200

/** All stored conversations of a bot, by key, page by page. */
export const rowsOf = (scope: BotScope) =>
  Effect.gen(function* () {
    const store = yield* Store
    const row = Effect.fnUntraced(function* ({ checkpoint, key }: StoredCheckpoint) {
      const [last] = (yield* store.messages(scope, checkpoint.origin.from, { limit: 1 })).items
      return {
        key,
        flow: checkpoint.flow,
        step: checkpoint.stepId,
        waits: waitOf(checkpoint),
        since: last === undefined ? "" : time(last.at)
      } satisfies Row
    })
    const rows: Array<Row> = []
    let after: string | undefined
    do {
      const page = yield* store.checkpoints(scope, { limit: pageSize, ...(after === undefined ? {} : { after }) })
      for (const item of page.items) rows.push(yield* row(item))
      after = page.next
    } while (after !== undefined)
    return rows
  })

const head: Row = { key: "KEY", flow: "FLOW", step: "STEP", waits: "WAITS FOR", since: "SINCE" }

/** Rows as columns. Pure. */
export const table = (rows: ReadonlyArray<Row>): string => {
  const all = [head, ...rows]
  const width = (of: (row: Row) => string) => Math.max(...all.map((row) => of(row).length))
  const columns = [(r: Row) => r.key, (r: Row) => r.flow, (r: Row) => r.step, (r: Row) => r.waits]
  const widths = columns.map(width)
  return all
    .map((row) => [...columns.map((of, at) => of(row).padEnd(widths[at] ?? 0)), row.since].join("  ").trimEnd())
    .join("\n")
}
