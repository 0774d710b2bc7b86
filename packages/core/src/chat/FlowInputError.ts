import { Schema } from "effect"

/** The data a trigger or a goto brings is not what the flow's `input` says; nothing was started. Source: B3, B18. */
export class FlowInputError extends Schema.TaggedError<FlowInputError>()("FlowInputError", {
  flow: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `Flow "${this.flow}" cannot start with what it was given: ${this.detail}`
  }
}
