/** The scheduler contract: work at a time, every so often, or by cron. Without an id a job lives in this process (D4). */
import { Context, type Cron, type DateTime, type Duration, type Effect, Schema, type Scope } from "effect"

export class SchedulerError extends Schema.TaggedError<SchedulerError>()("SchedulerError", {
  job: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `Job "${this.job}": ${this.detail}`
  }
}

/** A job that can be taken back. `cancel` is safe to repeat and does not cut a run in progress. */
export interface Job {
  readonly name: string
  readonly cancel: Effect.Effect<void>
}

export interface SchedulerShape {
  /** Runs `task` once, `delay` from now. The job ends with the scope. */
  readonly schedule: (
    name: string,
    delay: Duration.Duration,
    task: Effect.Effect<unknown, unknown>
  ) => Effect.Effect<Job, SchedulerError, Scope.Scope>
  /** Runs `task` at the time given; at once when it has passed. */
  readonly at: (
    name: string,
    time: DateTime.DateTime,
    task: Effect.Effect<unknown, unknown>
  ) => Effect.Effect<Job, SchedulerError, Scope.Scope>
  /** Runs `task` each `period`, first one period from now; never two runs at once. */
  readonly every: (
    name: string,
    period: Duration.Duration,
    task: Effect.Effect<unknown, unknown>
  ) => Effect.Effect<Job, SchedulerError, Scope.Scope>
  readonly cron: (
    name: string,
    expression: Cron.Cron,
    task: Effect.Effect<unknown, unknown>
  ) => Effect.Effect<Job, SchedulerError, Scope.Scope>
}

/** Runs work later. Source: D4. */
export class Scheduler extends Context.Service<Scheduler, SchedulerShape>()("@botmesh/core/Scheduler") {}
