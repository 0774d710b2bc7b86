import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { faults } from "./faults/list.ts"
import { patched, search, sourceOf } from "./faults/plant.ts"

/** Three seeds a fault in which its own checker found it. */
const found: Readonly<Record<string, ReadonlyArray<number>>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "faults/found.json"), "utf8")
)

it("every planted fault has its site in the engine, and three seeds that find it", () => {
  for (const fault of faults) expect(patched(fault, sourceOf(fault)), fault.name).not.toBe(sourceOf(fault))
  expect(Object.keys(found).sort()).toEqual(faults.map(({ name }) => name).sort())
})

for (const fault of faults) {
  it(`${fault.invariant} finds the planted fault: ${fault.name}`, async () => {
    const seeds = found[fault.name] ?? []
    expect(await search(fault, { seeds, finds: 3, patience: 60_000 })).toMatchObject({ found: seeds })
  }, 90_000)
}
