/** What SQLite and the file system say when they fail, as a `StoreError` that says what to do. */
import { StoreError } from "@botmesh/core/spi"
import { Predicate } from "effect"
import { dirname } from "node:path"
import { BadColumn } from "../rows/Column.ts"

interface Failure {
  readonly reason: StoreError["reason"]
  readonly detail: string
}

const numberOf = (cause: unknown, property: string): number | undefined => {
  const value = Predicate.hasProperty(cause, property) ? cause[property] : undefined
  return typeof value === "number" ? value : undefined
}
const codeOf = (cause: unknown): string | undefined =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined
const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** The primary result code of SQLite behind an error of node:sqlite. */
export const resultCode = (cause: unknown): number | undefined => {
  const code = numberOf(cause, "errcode")
  return code === undefined ? undefined : code & 0xff
}

/** Another connection holds the lock: nothing was written, a later try may win. */
export const isBusy = (cause: unknown): boolean => {
  const code = resultCode(cause)
  return code === 5 || code === 6
}

const unwritable = (file: string): Failure => ({
  reason: "unavailable",
  detail: `${file} cannot be written: give this user write permission on the file and on its directory`
})
const noSpace = (file: string): Failure => ({
  reason: "unavailable",
  detail: `there is no space left for ${file}: free some on its disk; what was stored before is intact`
})

const ofSqlite = (code: number, file: string, cause: unknown): Failure => {
  switch (code) {
    case 5:
    case 6:
      return {
        reason: "busy",
        detail: `another process kept ${file} locked: end its transaction, or raise busyTimeout`
      }
    case 3:
    case 8:
      return unwritable(file)
    case 10:
      return { reason: "unavailable", detail: `the disk under ${file} fails (${messageOf(cause)}): check it` }
    case 11:
      return {
        reason: "corrupt",
        detail: `${file} is damaged and was left as it is: restore a copy, or save what is left with sqlite3's .recover`
      }
    case 13:
      return noSpace(file)
    case 14:
      return {
        reason: "unavailable",
        detail: `${file} cannot be opened: its directory must exist and be writable, SQLite keeps two files beside it`
      }
    case 26:
      return {
        reason: "corrupt",
        detail: `${file} is not a SQLite database and was left as it is: name another file, or move it away`
      }
    default:
      return { reason: "invalid", detail: messageOf(cause) }
  }
}

const ofSystem = (code: string | undefined, file: string, cause: unknown): Failure => {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { reason: "unavailable", detail: `the directory ${dirname(file)} does not exist: create it` }
    case "EISDIR":
      return { reason: "invalid", detail: `${file} is a directory: name a file in it` }
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return unwritable(file)
    case "ENOSPC":
    case "EDQUOT":
      return noSpace(file)
    case "ERR_INVALID_STATE":
      return { reason: "unavailable", detail: `${file} is closed` }
    case "ERR_OUT_OF_RANGE":
      return { reason: "corrupt", detail: `${file} holds a number that is too large: ${messageOf(cause)}` }
    default:
      return { reason: "unavailable", detail: messageOf(cause) }
  }
}

/** Names the failure of `operation` on `file`. A defect of ours is none: it goes on as it is. */
export const storeError = (file: string, operation: string, cause: unknown): StoreError => {
  const code = resultCode(cause)
  const failure: Failure =
    cause instanceof BadColumn
      ? { reason: "corrupt", detail: cause.message }
      : code === undefined
        ? ofSystem(codeOf(cause), file, cause)
        : ofSqlite(code, file, cause)
  return new StoreError({ store: "sqlite", operation, ...failure })
}
