/**
 * Which network failures mean that the request never left: then a repeat is safe. Everything else may have been applied.
 */

/** Errors of resolving, connecting and shaking hands: no byte of the request was written. */
const beforeTheRequest: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "ENETDOWN",
  "EHOSTDOWN",
  "EACCES",
  "EPERM",
  "EMFILE",
  "UND_ERR_CONNECT_TIMEOUT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "ERR_SSL_WRONG_VERSION_NUMBER"
])

const depth = 6

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** Clients wrap the system's error, some several times: the innermost code is the one that tells. */
const causes = (cause: unknown, left = depth): ReadonlyArray<unknown> => {
  if (left === 0 || cause === undefined || cause === null) return []
  const several = field(cause, "errors")
  const inner = Array.isArray(several) ? several : [field(cause, "cause")]
  return [cause, ...inner.flatMap((each) => causes(each, left - 1))]
}

const codeOf = (cause: unknown): string | undefined => {
  const code = field(cause, "code")
  return typeof code === "string" ? code : undefined
}

/** A short name for the log: a system or library code, never a message (messages can quote the URL). */
export const networkCode = (cause: unknown): string =>
  causes(cause)
    .map(codeOf)
    .findLast((code) => code !== undefined) ?? "failed"

export const neverConnected = (cause: unknown): boolean =>
  causes(cause).some((each) => {
    const code = codeOf(each)
    return (
      code !== undefined &&
      (beforeTheRequest.has(code) || (code === "ETIMEDOUT" && field(each, "syscall") === "connect"))
    )
  })
