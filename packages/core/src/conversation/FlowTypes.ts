/** Type arithmetic of the flow DSL: what a step adds to the state, and what branches leave behind. */
import type { Flow } from "./Flow.ts"

export type Simplify<A> = { [K in keyof A]: A[K] } & {}
export type Put<S, K extends string, A> = Simplify<Omit<S, K> & { readonly [P in K]: A }>
/** A function of a flow: what a branch is. */
export type Frag<S, S2, E2, R2> = (self: Flow<S, never, never>) => Flow<S2, E2, R2>

export type MergeTwo<A, B> = { readonly [K in keyof A & keyof B]: A[K] | B[K] } & {
  readonly [K in Exclude<keyof A, keyof B>]?: A[K]
} & { readonly [K in Exclude<keyof B, keyof A>]?: B[K] }

type OutState<F> = F extends (self: any) => Flow<infer S, any, any> ? S : never
type KeysOf<U> = U extends unknown ? keyof U : never
type ValueAt<U, K> = U extends { readonly [P in K & string]: infer V } ? V : never

export type FragError<B> = { [K in keyof B]: B[K] extends (self: any) => Flow<any, infer E, any> ? E : never }[keyof B]
export type FragServices<B> = {
  [K in keyof B]: B[K] extends (self: any) => Flow<any, any, infer R> ? R : never
}[keyof B]
export type MergeAll<S, B> = S & {
  readonly [K in Exclude<KeysOf<OutState<B[keyof B]>>, keyof S>]?: ValueAt<OutState<B[keyof B]>, K>
}
