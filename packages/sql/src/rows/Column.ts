/** Columns of a stored row, each of the type it must be. Whole numbers come as `number` or, from Postgres, as `bigint`. */

/** A stored value that is not of its column's type. */
export class BadColumn extends Error {}

/** A row as the database gives it. */
export type Row = Readonly<Record<string, unknown>>

const bad = (column: string, value: unknown, wanted: string): never => {
  throw new BadColumn(`column ${column} holds ${value === null ? "null" : typeof value} where ${wanted} belongs`)
}

export const text = (row: Row, column: string): string => {
  const value = row[column]
  return typeof value === "string" ? value : bad(column, value, "text")
}
export const number = (row: Row, column: string): number => {
  const value = row[column]
  if (typeof value === "number") return value
  return typeof value === "bigint" ? Number(value) : bad(column, value, "a number")
}
export const textOrNull = (row: Row, column: string): string | null => (row[column] === null ? null : text(row, column))
export const numberOrNull = (row: Row, column: string): number | null =>
  row[column] === null ? null : number(row, column)

/** A time column holds whole milliseconds: later rather than sooner. */
export const whole = (time: number | null): number | null => (time === null ? null : Math.ceil(time))
