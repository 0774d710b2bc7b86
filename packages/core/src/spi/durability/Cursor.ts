/** Where a list by number goes on: the number and the key of the last row given. */
export interface Position {
  readonly number: number
  readonly key: string
}

export const writeCursor = ({ key, number }: Position): string => `${number} ${key}`

/** Before everything where there is no cursor, after everything where it is none of ours: such a list is at its end. */
export const readCursor = (cursor: string | undefined): Position => {
  if (cursor === undefined) return { number: -1, key: "" }
  const blank = cursor.indexOf(" ")
  const number = blank === -1 ? Number.NaN : Number(cursor.slice(0, blank))
  return Number.isSafeInteger(number)
    ? { number, key: cursor.slice(blank + 1) }
    : { number: Number.MAX_SAFE_INTEGER, key: "" }
}
