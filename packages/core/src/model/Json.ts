/** A value that survives `JSON.stringify` and `JSON.parse` unchanged; `void` is what an effect without a result gives. */
export type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | void
  | { readonly [key: string]: Json }
  | ReadonlyArray<Json>
