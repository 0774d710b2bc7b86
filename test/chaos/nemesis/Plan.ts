/** Which faults a run has, how often, and on which Redis. */
import { kill, freeze, stop } from "./Replicas.ts"
import { cut, failover, restart } from "./Servers.ts"
import type { Ground, Verb } from "./World.ts"

export interface Plan {
  readonly ground: Ground["kind"]
  readonly verbs: ReadonlyArray<Verb>
  /** ms from the beginning of a fault to that of the next, if it is healed by then. */
  readonly every: number
  readonly about: string
}

export const plans = {
  mix: {
    ground: "standalone",
    verbs: [kill, freeze, stop, cut, restart],
    every: 2_000,
    about: "all that follow but failovers"
  },
  kill: { ground: "standalone", verbs: [kill], every: 2_000, about: "kill -9 of a replica every 2 s" },
  freeze: { ground: "standalone", verbs: [freeze], every: 1_500, about: "SIGSTOP of a replica for 0.5 to 5 leases" },
  stop: { ground: "standalone", verbs: [stop], every: 1_000, about: "rolling restarts, in order" },
  cut: { ground: "standalone", verbs: [cut], every: 1_000, about: "a replica's connections to Redis cut or held" },
  restart: {
    ground: "standalone",
    verbs: [restart],
    every: 3_000,
    about: "Redis killed and started again (appendfsync always)"
  },
  none: { ground: "standalone", verbs: [], every: 1_000, about: "nothing at all: what the load itself does" },
  sentinel: {
    ground: "sentinel",
    verbs: [failover],
    every: 6_000,
    about: "failovers of three servers behind Sentinel"
  },
  cluster: { ground: "cluster", verbs: [failover], every: 6_000, about: "failovers of a Cluster of six nodes" }
} as const satisfies Readonly<Record<string, Plan>>

export type PlanName = keyof typeof plans
export const isPlan = (name: string): name is PlanName => Object.hasOwn(plans, name)
