/**
 * Which addresses documents may name: https, port 443, public hosts however they are spelled, no userinfo, no backslash.
 * What a name resolves to is vetted when it is connected to (Vet.ts).
 *
 * Source: design 9, E3
 */
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import type { TemplateTree } from "../expr/Template.ts"

const networks = (list: ReadonlyArray<string>): ReadonlyArray<IpNetwork.IpNetwork> =>
  list.map((network) => IpNetwork.fromStringUnsafe(network))

/** IPv4 that is not the public internet. */
const closed4 = networks([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4"
])
/** IPv6 is closed but for global unicast, and of that but for what hides other addresses or is for documentation. */
const open6 = networks(["2000::/3"])
const closed6 = networks(["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"])

const within = (list: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress): boolean =>
  list.some((network) =>
    IpNetwork.isIpv4Network(network)
      ? NetAddress.isIpv4Address(address) && IpNetwork.contains(network, address)
      : IpNetwork.isIpv6Network(network) && NetAddress.isIpv6Address(address) && IpNetwork.contains(network, address)
  )

/** Whether an address, as text, is one of the public internet. A text that is no address is not. Pure. */
export const isPublicAddress = (text: string): boolean => {
  const address = NetAddress.ipFromString(text)
  if (Result.isFailure(address)) return false
  return NetAddress.isIpv4Address(address.success)
    ? !within(closed4, address.success)
    : within(open6, address.success) && !within(closed6, address.success)
}

/** Names that never stand for a public host, whatever a resolver says. */
const closedNames = ["localhost", "localdomain", "local", "internal", "lan", "home.arpa", "onion", "metadata.goog"]

const nameProblem = (host: string): string | undefined => {
  const name = host.endsWith(".") ? host.slice(0, -1) : host
  const labels = name.split(".")
  if (name.length > 253 || labels.some((label) => label === "" || label.length > 63)) return "the host is no valid name"
  if (labels.length < 2) return "the host is a name of the local network"
  if (closedNames.some((closed) => name === closed || name.endsWith(`.${closed}`))) {
    return "the host is a name of the local network"
  }
  return undefined
}

/** The host of a URL as it is resolved: literal addresses without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/gu, "")

const isLiteral = (host: string): boolean => host.includes(":") || /^\d+(?:\.\d+){3}\.?$/u.test(host)

const parse = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/**
 * Why an address may not be used, as far as it can be told without resolving its host; undefined when it may. Pure.
 */
export const addressProblem = (text: string): string | undefined => {
  if (/[\s\\\u0000-\u001f\u007f]/u.test(text)) return "an address holds no blanks, control characters or backslashes"
  if (!/^https:\/\/[^/?#]/iu.test(text)) return "expected an address that begins with https://"
  const url = parse(text)
  if (url === undefined || url.protocol !== "https:") return "the address is not valid"
  if (url.username !== "" || url.password !== "" || /^https:\/\/[^/?#]*@/iu.test(text)) {
    return "an address holds no user name or password"
  }
  if (url.port !== "") return "only port 443 may be used"
  const host = hostOf(url)
  const literal = host.endsWith(".") ? host.slice(0, -1) : host
  if (isLiteral(host)) return isPublicAddress(literal) ? undefined : "the host is not a public one"
  return nameProblem(host)
}

/**
 * Why a template may not be used as an address. Its host has to be written out: nobody who answers a question may choose
 * where a request goes. Pure.
 *
 * @param whole whether all of the address may be one place: a file somebody named
 */
export const templateAddressProblem = ({ pieces }: TemplateTree, whole = false): string | undefined => {
  const [first = "", ...rest] = pieces
  if (typeof first !== "string") {
    return whole && rest.length === 0 ? undefined : "the address has to begin with https:// and its host"
  }
  if (rest.length === 0) return addressProblem(first)
  if (!/^https:\/\/[^/?#]+[/?#]/iu.test(first)) return "the host of the address has to be written out, up to its /"
  return addressProblem(first)
}
