/**
 * The conformance suite of schedule stores: what `ScheduleStore` promises (SC1 to SC6), run by every one of botmesh and by
 * yours.
 *
 * ```ts
 * import { ScheduleSuite } from "@botmesh/core/testing"
 * ScheduleSuite.suite("mine", MyScheduleStore.layer({ url }))
 * ```
 *
 * The layer is built once. The suite writes under bots of its own, which must hold nothing yet, on the test clock.
 */
import { layer as shared } from "@effect/vitest"
import type { Layer } from "effect"
import type { ScheduleStore } from "../spi/ScheduleStore.ts"
import { type Deviation, makeTest } from "./Conformance.ts"
import { jobs } from "./schedule/JobTests.ts"

export interface ScheduleSuiteOptions {
  /** What the store does otherwise, and why; told in the titles. A test named here must fail. */
  readonly deviations?: ReadonlyArray<Deviation>
}

/**
 * Registers the suite with vitest: call it at the top of a test file.
 *
 * @param name shown before each title
 * @param layer the store under test; a failure to build it fails every test
 *
 * Source: D4
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<ScheduleStore, E>,
  options: ScheduleSuiteOptions = {}
): void => {
  shared(layer, { timeout: "60 seconds" })(`Schedule store ${name}`, (it) => {
    const { test, unknown } = makeTest(it, options.deviations ?? [])
    jobs(test)
    const missing = unknown()
    if (missing.length > 0) throw new Error(`ScheduleSuite ${name}: no test has the title ${missing.join(", ")}`)
  })
}
