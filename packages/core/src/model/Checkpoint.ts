/**
 * The stored position of a conversation (turns.md R1).
 *
 * A checkpoint holds the step, the state at step entry and the op log of that step; a resumed step replays its ops and
 * goes on at the first missing one. `revision` grows by one with each accepted write; a clear leaves a tombstone.
 */
import { Schema } from "effect"

/** What an answer keeps of a file: `native` must be JSON, it is what the provider downloads it by. */
export const SavedMedia = Schema.Struct({
  kind: Schema.Literals(["image", "video", "gif", "audio", "document", "sticker"]),
  mimetype: Schema.optionalKey(Schema.String),
  filename: Schema.optionalKey(Schema.String),
  bytes: Schema.optionalKey(Schema.Number),
  seconds: Schema.optionalKey(Schema.Number),
  voice: Schema.optionalKey(Schema.Boolean),
  animated: Schema.optionalKey(Schema.Boolean),
  viewOnce: Schema.optionalKey(Schema.Boolean),
  native: Schema.Unknown
})

/** An inbound message as the before hooks left it: what an answer op keeps (R22). */
export const SavedMessage = Schema.Struct({
  id: Schema.String,
  from: Schema.String,
  sender: Schema.String,
  isGroup: Schema.Boolean,
  type: Schema.String,
  body: Schema.String,
  lang: Schema.optionalKey(Schema.String),
  payload: Schema.optionalKey(Schema.String),
  media: Schema.optionalKey(SavedMedia),
  topic: Schema.optionalKey(Schema.String)
})
export type SavedMessage = typeof SavedMessage.Type

/**
 * One recorded act inside a step. `done` is false for an op that was opened (a question asked, a run started) and has no
 * result yet; `cut` marks an op that the program itself gave up (a timeout, a race): it never completes in a replay (R22).
 */
export const Op = Schema.Struct({
  kind: Schema.Literals(["ask", "say", "run", "sleep", "now", "random", "idle"]),
  name: Schema.String,
  done: Schema.Boolean,
  cut: Schema.optionalKey(Schema.Boolean),
  /** How it failed: the program survived it, or tries again by another op. `died`: it was a defect. */
  failed: Schema.optionalKey(Schema.Struct({ error: Schema.Unknown, died: Schema.optionalKey(Schema.Boolean) })),
  /** An ask: how often the question was put; a run: how often it was started. */
  attempts: Schema.optionalKey(Schema.Int),
  /** An ask: the message that answered. */
  answer: Schema.optionalKey(SavedMessage),
  /** A run, now, random: the JSON result. A sleep: its deadline in ms since the epoch. */
  result: Schema.optionalKey(Schema.Unknown)
})
export type Op = typeof Op.Type

/** What a parked conversation waits for; the deadline is absolute and survives a restart (C23). */
export const Wait = Schema.Union([
  Schema.Struct({
    kind: Schema.tag("ask"),
    op: Schema.String,
    /** When the question times out, ms since the epoch. */
    deadline: Schema.optionalKey(Schema.Number),
    /** When the idle watcher fires next, ms since the epoch. */
    idleAt: Schema.optionalKey(Schema.Number)
  }),
  Schema.Struct({ kind: Schema.tag("sleep"), op: Schema.String, deadline: Schema.Number }),
  /** A cut step: it resumes at `at` by itself (R16). */
  Schema.Struct({ kind: Schema.tag("resume"), op: Schema.String, at: Schema.Number, cuts: Schema.Int }),
  /** Parked while a human holds the chat; the remaining time of its deadline is kept, not the deadline. */
  Schema.Struct({
    kind: Schema.tag("handoff"),
    op: Schema.String,
    remaining: Schema.optionalKey(Schema.Number),
    /** What was left until the idle watcher, ms. */
    idle: Schema.optionalKey(Schema.Number),
    then: Schema.Literals(["ask", "sleep", "resume"])
  })
])
export type Wait = typeof Wait.Type

/** When a wait wants to act by itself, ms since the epoch; `undefined` when only a message can end it. */
export const wakeTime = (wait: Wait | undefined): number | undefined => {
  switch (wait?.kind) {
    case "ask":
      return wait.deadline === undefined
        ? wait.idleAt
        : wait.idleAt === undefined
          ? wait.deadline
          : Math.min(wait.deadline, wait.idleAt)
    case "sleep":
      return wait.deadline
    case "resume":
      return wait.at
    default:
      return undefined
  }
}

export const Checkpoint = Schema.Struct({
  format: Schema.tag(1),
  /** Names one run of the flow; derived from the message or trigger that started it. */
  id: Schema.String,
  /** Counts step entries: outbox keys are (id, visit, op), never the revision. */
  visit: Schema.Int,
  flow: Schema.String,
  /** The flow's fingerprint. */
  version: Schema.String,
  stepId: Schema.String,
  /** The state at step entry, encoded to JSON. */
  state: Schema.Record(Schema.String, Schema.Unknown),
  ops: Schema.Array(Op),
  wait: Schema.optionalKey(Wait),
  /** Messages kept for the next question (R16). */
  pending: Schema.Array(SavedMessage),
  /** The message that started the run. */
  origin: SavedMessage,
  /** The questions passed so far, newest last: where "back" goes (B25). */
  trail: Schema.Array(Schema.String),
  /** How often the open op was cut in a row (R16). */
  cuts: Schema.Int,
  applied: Schema.Array(Schema.String),
  revision: Schema.Int,
  fence: Schema.Number,
  /** An ephemeral checkpoint is gone after this, ms since the epoch (I16). */
  expires: Schema.optionalKey(Schema.Number),
  /** It only marks that a conversation was here which cannot move: its state is not plain JSON, or its log was let go (C18). */
  stuck: Schema.optionalKey(Schema.Literals(["state", "log"])),
  /** The state it began with, where it was given one: what a restart begins with again (C18). */
  initial: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})
export type Checkpoint = typeof Checkpoint.Type

/** What a cleared checkpoint leaves: a late write of that run is refused, an applied message is only acked (R1, R7). */
export interface Tombstone {
  readonly id: string
  readonly revision: number
  readonly fence: number
  readonly applied: ReadonlyArray<string>
}
