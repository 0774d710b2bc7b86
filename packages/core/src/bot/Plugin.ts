/**
 * A named bundle of handlers, built in a scope of its own: unplugging closes the scope, which takes back all it brought,
 * the handlers and whatever it acquired (B8).
 */
import type { Effect } from "effect"
import type { AnyHandler, ErrorOf, ServicesOf } from "./Handler.ts"

export interface Plugin<out E, out R> {
  readonly name: string
  /** May be plugged more than once under the same name, if every one of them says so. */
  readonly multiple: boolean
  readonly build: Effect.Effect<ReadonlyArray<AnyHandler>, E, R>
  readonly _E: () => E
  readonly _R: () => R
}

/** @param build runs once when the plugin is plugged; its scope lives until it is unplugged */
export const make = <const H extends ReadonlyArray<AnyHandler>, E, R>(
  name: string,
  build: Effect.Effect<H, E, R>,
  options: { readonly multiple?: boolean } = {}
): Plugin<E | ErrorOf<H>, R | ServicesOf<H>> => ({
  name,
  multiple: options.multiple ?? false,
  build,
  _E: phantom,
  _R: phantom
})

const phantom = (): never => {
  throw new Error("a phantom type has no value")
}
