/**
 * An address, vetted for one request: its host is allowed, and every address it resolves to is a public one. The request
 * goes to the very addresses that were vetted, so a second look-up that answers something else changes nothing.
 *
 * Source: design 9
 */
import { lookup } from "node:dns/promises"
import { Effect, Schema } from "effect"
import { addressProblem, hostOf, isPublicAddress } from "./Address.ts"

/** An address that may not be connected to. */
export class RefusedAddress extends Schema.TaggedError<RefusedAddress>()("RefusedAddress", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** The addresses of a name, as text. */
export type Resolve = (host: string) => Effect.Effect<ReadonlyArray<string>, unknown>

/** The resolver of the system. */
export const systemResolve: Resolve = (host) =>
  Effect.map(
    Effect.tryPromise(() => lookup(host, { all: true })),
    (found) => found.map(({ address }) => address)
  )

export interface Vetted {
  readonly url: URL
  readonly addresses: ReadonlyArray<string>
}

const resolveWithin = "5 seconds"

const refuse = (detail: string): Effect.Effect<never, RefusedAddress> => Effect.fail(new RefusedAddress({ detail }))

/**
 * Vets an address. Fails with `RefusedAddress`, also when its host cannot be resolved in 5 s. Safe to repeat.
 *
 * @param allows whether requests may go to a host
 */
export const vet = (
  address: string,
  allows: (host: string) => boolean,
  resolve: Resolve
): Effect.Effect<Vetted, RefusedAddress> =>
  Effect.suspend(() => {
    const problem = addressProblem(address)
    if (problem !== undefined) return refuse(problem)
    const url = new URL(address)
    const host = hostOf(url)
    if (!allows(host)) return refuse(`requests to ${host} are not allowed`)
    if (isPublicAddress(host)) return Effect.succeed({ url, addresses: [host] })
    return Effect.matchEffect(Effect.timeout(resolve(host), resolveWithin), {
      onFailure: () => refuse(`${host} cannot be resolved`),
      onSuccess: (addresses) =>
        addresses.length > 0 && addresses.every(isPublicAddress)
          ? Effect.succeed({ url, addresses })
          : refuse(`${host} is not a public host`)
    })
  })

/** Whether a host is one of a list: `api.example.com`, or `*.example.com` for all below it. Pure. */
export const allowsHosts = (hosts: ReadonlyArray<string>): ((host: string) => boolean) => {
  const names = hosts.map((host) => host.toLowerCase())
  return (host) => {
    const name = host.endsWith(".") ? host.slice(0, -1) : host
    return names.some((known) => (known.startsWith("*.") ? name.endsWith(known.slice(1)) : name === known))
  }
}
