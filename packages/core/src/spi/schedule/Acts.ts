/** What each act makes of a job: pure, so that every schedule store decides the same way (SC1 to SC6). */
import type { JobRun, MissedRuns, StoredJob, TakenJob, TakeOptions } from "../ScheduleStore.ts"

/** The job as it becomes, or undefined when nothing changes; and the answer. */
export interface Change<A> {
  readonly job: StoredJob | undefined
  readonly answer: A
}

const unchanged = <A>(answer: A): Change<A> => ({ job: undefined, answer })

const withNext = (job: StoredJob, next: number | undefined): StoredJob => {
  const { next: _, ...rest } = job
  return next === undefined ? rest : { ...rest, next }
}

export const define = (
  job: StoredJob | undefined,
  given: {
    readonly id: string
    readonly spec: StoredJob["spec"]
    readonly policy: MissedRuns
    readonly next: number | undefined
  }
): Change<StoredJob> => {
  const { id, next, policy, spec } = given
  if (job === undefined) {
    const fresh = withNext({ id, spec, policy, paused: false, fence: 0 }, next)
    return { job: fresh, answer: fresh }
  }
  if (JSON.stringify(job.spec) === JSON.stringify(spec) && job.policy === policy) return unchanged(job)
  const changed = withNext({ ...job, spec, policy }, next)
  return { job: changed, answer: changed }
}

export const take = (
  job: StoredJob,
  { at, fence, next, until }: TakeOptions,
  token: string,
  now: number
): Change<TakenJob> => {
  if (job.fence > fence) return unchanged({ _tag: "superseded", fence: job.fence })
  const { run } = job
  if (run !== undefined) {
    if (run.token === token) return unchanged({ _tag: "taken", job: { ...job, run } })
    if (run.until > now) return unchanged({ _tag: "running", until: run.until })
    if (run.at !== at) return unchanged({ _tag: "moved", job })
    return begin({ ...job, fence }, { ...run, token, until, attempt: run.attempt + 1 })
  }
  if (job.asked === at) {
    const { asked: _, ...rest } = job
    return begin({ ...rest, fence }, { at, token, until, attempt: 1, forced: true })
  }
  if (job.paused || job.next !== at) return unchanged({ _tag: "moved", job })
  return begin({ ...withNext(job, next), fence }, { at, token, until, attempt: 1, forced: false })
}

const begin = (job: StoredJob, run: JobRun): Change<TakenJob> => {
  const taken = { ...job, run }
  return { job: taken, answer: { _tag: "taken", job: taken } }
}

export const skip = (
  job: StoredJob,
  { at, fence, next }: { readonly at: number; readonly next: number | undefined; readonly fence: number }
): Change<boolean> =>
  job.fence > fence || job.paused || job.run !== undefined || job.next !== at
    ? unchanged(false)
    : { job: { ...withNext(job, next), fence }, answer: true }

export const renew = (job: StoredJob, token: string, until: number): Change<boolean> =>
  job.run?.token === token ? { job: { ...job, run: { ...job.run, until } }, answer: true } : unchanged(false)

export const finish = (job: StoredJob, token: string, ok: boolean, now: number): Change<boolean> => {
  const { run, ...rest } = job
  if (run?.token !== token) return unchanged(job.last?.token === token)
  return { job: { ...rest, last: { at: run.at, finishedAt: now, token, ok } }, answer: true }
}

export const pause = (job: StoredJob): Change<boolean> =>
  job.paused ? unchanged(true) : { job: { ...job, paused: true }, answer: true }

export const resume = (job: StoredJob, next: number | undefined): Change<boolean> =>
  job.paused ? { job: { ...withNext(job, next), paused: false }, answer: true } : unchanged(true)

export const runNow = (job: StoredJob, now: number): Change<boolean> =>
  job.asked === undefined ? { job: { ...job, asked: now }, answer: true } : unchanged(true)

/** When there is something to do: a run that counts as lost, one that was asked for, the next occurrence. */
export const dueOf = ({ asked, next, paused, run }: StoredJob): number | null => {
  if (run !== undefined) return run.until
  if (asked !== undefined) return asked
  return paused ? null : (next ?? null)
}
