/** What Postgres and the network say when they fail, as a `StoreError` that says what to do. */
import { StoreError } from "@botmesh/core/spi"
import { Predicate } from "effect"
import { SqlError } from "effect/sql"
import { BadColumn } from "../rows/Column.ts"

type Reason = StoreError["reason"]

/** The SQLSTATE of a failure, "" when the server did not say one. */
const stateOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : ""

const said = (error: SqlError.SqlError): string => {
  const { cause, message } = error.reason
  return cause instanceof Error && cause.message !== "" ? cause.message : message
}

/** Codes that Effect's classes leave open: the server is starting, stopping, full, or was made read-only by a failover. */
const unavailable = /^(?:53|57P|58|25006|XX)/u

const reasonOf = (error: SqlError.SqlError): Reason => {
  switch (error.reason._tag) {
    case "ConnectionError":
      return "unavailable"
    case "DeadlockError":
    case "SerializationError":
    case "LockTimeoutError":
    case "StatementTimeoutError":
      return "busy"
    default:
      return unavailable.test(stateOf(error.reason.cause)) ? "unavailable" : "invalid"
  }
}

const advice: Readonly<Record<string, string>> = {
  AuthenticationError: ": check user, password and pg_hba.conf",
  AuthorizationError: ": give this user SELECT, INSERT, UPDATE and DELETE on the tables botmesh_*"
}

/** Names the failure of `operation`. A defect of ours is none: it goes on as it is. */
export const storeError =
  (operation: string) =>
  (cause: unknown): StoreError => {
    if (cause instanceof StoreError) return cause
    if (cause instanceof BadColumn)
      return new StoreError({ store: "postgres", operation, reason: "corrupt", detail: cause.message })
    if (!(cause instanceof SqlError.SqlError)) throw cause
    const detail = `${said(cause)}${advice[cause.reason._tag] ?? ""}`
    return new StoreError({ store: "postgres", operation, reason: reasonOf(cause), detail })
  }
