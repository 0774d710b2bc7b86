/** What a flow starts with, checked against the `input` it declares: at a trigger, at a goto, and when it is registered. */
import { Predicate, Result, Schema } from "effect"
import { FlowInputError } from "../chat/FlowInputError.ts"
import type { FlowOptions, State } from "./Step.ts"
import { stateCodec } from "./StateCodec.ts"

/**
 * The first state of a flow: values of the schema's type are taken as they are, their JSON form is decoded, keys the schema
 * does not name stay. A flow that declares no input takes anything.
 */
export const readInput = (flow: string, { input }: FlowOptions, data: State): Result.Result<State, FlowInputError> => {
  if (input === undefined) return Result.succeed(data)
  const asIs: boolean = Schema.is(input)(data)
  if (asIs) return Result.succeed(data)
  return Result.mapBoth(stateCodec(input).decode(data), {
    onSuccess: (decoded) => (Predicate.isObject(decoded) ? { ...data, ...decoded } : data),
    onFailure: ({ message }) => new FlowInputError({ flow, detail: message })
  })
}

/** Whether a message alone can start it: a text brings no data. */
export const startsEmpty = (flow: string, options: FlowOptions): boolean =>
  Result.isSuccess(readInput(flow, options, {}))
