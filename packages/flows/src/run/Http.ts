/**
 * What `http` steps may reach: hosts a bot allows, secrets it names. Documents hold neither.
 *
 * Source: E3
 */
import { Config, Context, Effect, Layer, type Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { pinnedClient } from "../net/PinnedClient.ts"
import { allowsHosts, type Resolve, systemResolve } from "../net/Vet.ts"

/** What `http` steps are run with. */
export interface HttpAccess {
  readonly allows: (host: string) => boolean
  readonly secret: (name: string) => Redacted.Redacted<string> | undefined
  readonly resolve: Resolve
  /** A client that connects to vetted addresses only. */
  readonly client: (addresses: ReadonlyArray<string>) => HttpClient.HttpClient
}

/** The access of a bot's documents; none unless a layer gives it. */
export const FlowHttp: Context.Reference<HttpAccess | undefined> = Context.Reference("@botmesh/flows/Http", {
  defaultValue: (): HttpAccess | undefined => undefined
})

export interface HttpOptions {
  /** `api.example.com`, or `*.example.com` for all below it. */
  readonly hosts: ReadonlyArray<string>
  /** By the name that documents use. */
  readonly secrets?: Readonly<Record<string, Redacted.Redacted<string> | Config.Config<Redacted.Redacted<string>>>>
  /** Finds the addresses of a host; the system's resolver when absent. */
  readonly resolve?: Resolve
  /** Makes the client of one request; one over node:https that connects to these addresses only when absent. */
  readonly client?: HttpAccess["client"]
}

const read = Effect.fnUntraced(function* (secrets: NonNullable<HttpOptions["secrets"]>) {
  const found = new Map<string, Redacted.Redacted<string>>()
  for (const [name, secret] of Object.entries(secrets)) {
    found.set(name, Config.isConfig(secret) ? yield* secret : secret)
  }
  return found
})

export { pinnedClient } from "../net/PinnedClient.ts"
export { type Failed, perform, type Request } from "./Request.ts"

/**
 * Allows `http` steps, for every bot below it. Fails with `ConfigError` when a secret cannot be read.
 *
 * Source: E3
 */
export const layer = (options: HttpOptions): Layer.Layer<never, Config.ConfigError> =>
  Layer.effect(
    FlowHttp,
    Effect.map(read(options.secrets ?? {}), (secrets) => ({
      allows: allowsHosts(options.hosts),
      secret: (name) => secrets.get(name),
      resolve: options.resolve ?? systemResolve,
      client: options.client ?? pinnedClient
    }))
  )
