/** The replicas as processes: started, killed, frozen, stopped; and known to be up by the word of the transport. */
import { type ChildProcess, spawn } from "node:child_process"
import { Effect } from "effect"
import { ServiceError } from "@botmesh/test-services"

export interface Member {
  readonly name: string
  readonly child: ChildProcess
  readonly pid: number
  /** The transport has heard of it and it is not gone. */
  up: boolean
  /** Its end is our doing. */
  expected: boolean
  readonly ended: Promise<number | null>
  readonly errors: () => string
}

export interface FleetOptions {
  readonly script: string
  /** The one argument of a replica. */
  readonly argument: (name: string) => string
  /** A replica ended by itself. */
  readonly onCrash: (member: Member, code: number | null) => void
}

const flags = ["--conditions=botmesh-source", "--disable-warning=ExperimentalWarning"]

export class Fleet {
  private readonly members = new Map<string, Member>()
  private readonly watchers = new Set<() => void>()
  private readonly options: FleetOptions
  private over = false

  constructor(options: FleetOptions) {
    this.options = options
  }

  start(name: string): Member {
    const child = spawn(process.execPath, [...flags, this.options.script, this.options.argument(name)], {
      stdio: ["ignore", "ignore", "pipe"],
      // Ctrl-C is for the one who started all: it ends its children in its own order.
      detached: true
    })
    let errors = ""
    child.stderr.on("data", (chunk) => {
      errors = `${errors}${String(chunk)}`.slice(-4_000)
    })
    const ended = new Promise<number | null>((resolve) => {
      child.once("close", (code) => {
        member.up = false
        if (!member.expected && !this.over) this.options.onCrash(member, code)
        resolve(code)
        this.changed()
      })
    })
    const member: Member = { name, child, pid: child.pid ?? 0, up: false, expected: false, ended, errors: () => errors }
    this.members.set(name, member)
    return member
  }

  /** What the transport says of a process. */
  heard(pid: number, up: boolean): void {
    for (const member of this.members.values()) if (member.pid === pid) member.up = up && member.child.exitCode === null
    this.changed()
  }

  up(): ReadonlyArray<Member> {
    return [...this.members.values()].filter((member) => member.up)
  }
  all(): ReadonlyArray<Member> {
    return [...this.members.values()]
  }

  /** SIGKILL, and returns when it is gone. */
  kill(member: Member): Effect.Effect<void> {
    return Effect.promise(async () => {
      member.expected = true
      member.up = false
      member.child.kill("SIGKILL")
      await member.ended
    })
  }

  /** SIGTERM; fails when it has not ended in order by then. */
  stop(member: Member, limit: number): Effect.Effect<void, ServiceError> {
    return Effect.suspend(() => {
      member.expected = true
      member.child.kill("SIGTERM")
      return Effect.timeoutOrElse(
        Effect.flatMap(
          Effect.promise(() => member.ended),
          (code) =>
            // 130: interrupted, as asked.
            code === 0 || code === 130
              ? Effect.void
              : Effect.fail(new ServiceError({ message: `${member.name} ended with ${code}\n${member.errors()}` }))
        ),
        {
          duration: limit,
          orElse: () => Effect.fail(new ServiceError({ message: `${member.name} did not stop in ${limit} ms` }))
        }
      )
    })
  }

  /** Waits until so many are up. */
  until(count: number, limit: number): Effect.Effect<void, ServiceError> {
    const isSo = Effect.callback<void>((resume) => {
      const look = (): void => {
        if (this.up().length < count) return
        this.watchers.delete(look)
        resume(Effect.void)
      }
      this.watchers.add(look)
      look()
      return Effect.sync(() => this.watchers.delete(look))
    })
    return Effect.timeoutOrElse(isSo, {
      duration: limit,
      orElse: () =>
        Effect.fail(
          new ServiceError({
            message: `not ${count} replicas in ${limit} ms\n${this.all()
              .map((one) => one.errors())
              .join("\n")}`
          })
        )
    })
  }

  /** From now on a replica that ends is none of our business: its transport goes. */
  rest(): void {
    this.over = true
  }
  /** Kills all that are left. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    this.rest()
    return Effect.forEach(this.all(), (member) => this.kill(member), { discard: true, concurrency: "unbounded" })
  })

  private changed(): void {
    for (const look of [...this.watchers]) look()
  }
}
