import type { SQLOutputValue } from "node:sqlite"
import { BadColumn } from "./Failure.ts"

/** A row as node:sqlite gives it. */
export type Row = Record<string, SQLOutputValue>

const bad = (column: string, value: SQLOutputValue | undefined, wanted: string): never => {
  throw new BadColumn(`column ${column} holds ${value === null ? "null" : typeof value} where ${wanted} belongs`)
}

export const text = (row: Row, column: string): string => {
  const value = row[column]
  return typeof value === "string" ? value : bad(column, value, "text")
}
export const number = (row: Row, column: string): number => {
  const value = row[column]
  return typeof value === "number" ? value : bad(column, value, "a number")
}
export const textOrNull = (row: Row, column: string): string | null => (row[column] === null ? null : text(row, column))
export const numberOrNull = (row: Row, column: string): number | null =>
  row[column] === null ? null : number(row, column)
