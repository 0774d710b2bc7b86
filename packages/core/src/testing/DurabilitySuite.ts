/**
 * The conformance suite of durability backends: what `Inbox` and `Outbox` promise (IN1 to IN7, OUT1 to OUT7 and the rules
 * beside them), run by every backend of botmesh and by yours.
 *
 * ```ts
 * import { DurabilitySuite } from "@botmesh/core/testing"
 * DurabilitySuite.suite("mine", MyDurability.layer({ url }))
 * ```
 *
 * The layer is built once. The suite writes under bots of its own, which must hold nothing yet, and it lives on the test
 * clock: a backend is told the time.
 */
import { it, layer as shared } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Durability } from "../spi/Durability.ts"
import { type Deviation, makeTest } from "./Conformance.ts"
import { letters, operations } from "./durability/DeadTests.ts"
import { claiming, recording, signing } from "./durability/InboxTests.ts"
import { model } from "./durability/ModelTest.ts"
import { attempting, overview, planning } from "./durability/OutboxTests.ts"

export type { Deviation } from "./Conformance.ts"

export interface DurabilitySuiteOptions {
  /** What the backend does otherwise, and why; printed. A test named here must fail. */
  readonly deviations?: ReadonlyArray<Deviation>
  /** Sequences the model test tries. Default 200. */
  readonly sequences?: number
}

/**
 * Registers the suite with vitest: call it at the top of a test file.
 *
 * @param name shown before each title
 * @param layer the backend under test; a failure to build it fails every test
 *
 * Source: D3
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<Durability, E>,
  options: DurabilitySuiteOptions = {}
): void => {
  const deviations = options.deviations ?? []
  shared(layer, { timeout: "60 seconds" })(`Durability ${name}`, (it) => {
    const { test, unknown } = makeTest(it, deviations)
    recording(test)
    claiming(test)
    signing(test)
    letters(test)
    operations(test)
    planning(test)
    attempting(test)
    overview(test)
    model(test, options.sequences ?? 200)
    const missing = unknown()
    if (missing.length > 0) throw new Error(`DurabilitySuite ${name}: no test has the title ${missing.join(", ")}`)
  })
  if (deviations.length > 0) {
    const lines = deviations.flatMap(({ reason, tests }) => tests.map((title) => `  ${title}: ${reason}`))
    it.effect(`Durability ${name} deviates in ${lines.length} tests`, () => Effect.log(`\n${lines.join("\n")}`))
  }
}
