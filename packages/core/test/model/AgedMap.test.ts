import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect/testing"
import { AgedMap } from "../../src/model/AgedMap.ts"

const walk = (map: AgedMap<number>): ReadonlyArray<readonly [string, number]> => {
  const found: Array<readonly [string, number]> = []
  for (let entry = map.oldest; entry !== undefined; entry = entry.newer) found.push([entry.key, entry.value])
  return found
}

it("is a Map whose set makes an entry the newest", () => {
  const key = FastCheck.integer({ min: 0, max: 5 }).map(String)
  const act = FastCheck.oneof(
    FastCheck.record({ do: FastCheck.constant("set"), key }),
    FastCheck.record({ do: FastCheck.constant("delete"), key })
  )
  FastCheck.assert(
    FastCheck.property(FastCheck.array(act, { maxLength: 60 }), (acts) => {
      const map = new AgedMap<number>()
      const model = new Map<string, number>()
      acts.forEach((one, nth) => {
        model.delete(one.key)
        if (one.do === "set") {
          map.set(one.key, nth)
          model.set(one.key, nth)
        } else map.delete(one.key)
        expect(walk(map)).toEqual([...model])
        expect(map.size).toBe(model.size)
        expect(map.get(one.key)).toBe(model.get(one.key))
      })
      expect([...map.keys()].sort()).toEqual([...model.keys()].sort())
    })
  )
})
