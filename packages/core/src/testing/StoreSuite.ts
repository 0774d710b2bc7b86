/**
 * The conformance suite of stores: what `Store` promises (ST1 to ST8 and the rules beside them), run by every store of
 * botmesh and by yours.
 *
 * ```ts
 * import { StoreSuite } from "@botmesh/core/testing"
 * StoreSuite.suite("my store", MyStore.layer({ url }))
 * ```
 *
 * The layer is built once. The suite writes under bots of its own, which must hold nothing yet, and it lives on the test
 * clock: a store reads the time through `Clock`.
 */
import { it, layer as shared } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Store } from "../spi/Store.ts"
import { tombstones, writes } from "./store/CheckpointTests.ts"
import { expiry, fences } from "./store/FenceTests.ts"
import { messages } from "./store/MessageTests.ts"
import { model } from "./store/ModelTest.ts"
import { fields, lists, races } from "./store/RowTests.ts"
import { type Deviation, makeTest } from "./Conformance.ts"

export { format1Checkpoint, format1Row } from "./store/Fixtures.ts"
export type { Deviation } from "./Conformance.ts"

export interface StoreSuiteOptions {
  /** What the store does otherwise, and why; printed. A test named here must fail. */
  readonly deviations?: ReadonlyArray<Deviation>
  /** Sequences the model test tries. Default 200. */
  readonly sequences?: number
}

/**
 * Registers the suite with vitest: call it at the top of a test file.
 *
 * @param name shown before each title
 * @param layer the store under test; a failure to build it fails every test
 *
 * Source: H
 */
export const suite = <E>(name: string, layer: Layer.Layer<Store, E>, options: StoreSuiteOptions = {}): void => {
  const deviations = options.deviations ?? []
  shared(layer, { timeout: "60 seconds" })(`Store ${name}`, (it) => {
    const { test, unknown } = makeTest(it, deviations)
    writes(test)
    tombstones(test)
    fences(test)
    expiry(test)
    races(test)
    messages(test)
    lists(test)
    fields(test)
    model(test, options.sequences ?? 200)
    const missing = unknown()
    if (missing.length > 0) throw new Error(`StoreSuite ${name}: no test has the title ${missing.join(", ")}`)
  })
  if (deviations.length > 0) {
    const lines = deviations.flatMap(({ reason, tests }) => tests.map((title) => `  ${title}: ${reason}`))
    it.effect(`Store ${name} deviates in ${lines.length} tests`, () => Effect.log(`\n${lines.join("\n")}`))
  }
}
