import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { AgedMap } from "../../src/model/AgedMap.ts"

const walk = (map: AgedMap<number>): ReadonlyArray<readonly [string, number]> => {
  const found: Array<readonly [string, number]> = []
  for (let entry = map.oldest; entry !== undefined; entry = entry.newer) found.push([entry.key, entry.value])
  return found
}

const Act = Schema.Struct({
  act: Schema.Literals(["set", "delete"]),
  key: Schema.Literals(["a", "b", "c", "d", "e"])
})

it.prop("is a Map whose set makes an entry the newest", [Schema.Array(Act)], ([acts]) => {
  const map = new AgedMap<number>()
  const model = new Map<string, number>()
  acts.forEach(({ act, key }, nth) => {
    model.delete(key)
    if (act === "set") {
      map.set(key, nth)
      model.set(key, nth)
    } else map.delete(key)
    expect(walk(map)).toEqual([...model])
    expect(map.size).toBe(model.size)
    expect(map.get(key)).toBe(model.get(key))
    expect([...map.keys()].sort()).toEqual([...model.keys()].sort())
  })
})
