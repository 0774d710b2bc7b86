/** Hooks run before and after a message, a send or a call, like middleware, in registration order. Source: B7. */
import type { Bind, UserEffect } from "../model/Erased.ts"

/** One registered hook with the services it was registered with. */
export interface Hook<In, Out = unknown> {
  readonly run: (input: In) => UserEffect<Out>
  readonly bind: Bind
}

/** The hooks of a bot, by what they watch; arrays are replaced, never changed in place, so a running loop is safe. */
export class HookList<In, Out = unknown> {
  items: ReadonlyArray<Hook<In, Out>> = []

  /** @returns what takes the hook out again; safe to repeat */
  readonly add = (hook: Hook<In, Out>): (() => void) => {
    this.items = [...this.items, hook]
    return () => {
      this.items = this.items.filter((item) => item !== hook)
    }
  }
}
