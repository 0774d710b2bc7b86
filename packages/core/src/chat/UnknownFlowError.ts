import { Schema } from "effect"

/** No flow or conversation of that name is registered; the message names those that are. Source: B18. */
export class UnknownFlowError extends Schema.TaggedError<UnknownFlowError>()("UnknownFlowError", {
  flow: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `Unknown flow "${this.flow}": known are ${this.known.length === 0 ? "none" : this.known.join(", ")}`
  }
}
