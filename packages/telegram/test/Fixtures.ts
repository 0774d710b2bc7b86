/** The payloads and what each is to become. */
import { readdirSync, readFileSync } from "node:fs"

interface Payload {
  readonly update: { readonly update_id: number; readonly [kind: string]: unknown }
  readonly expect: { readonly event: string; readonly note?: string; readonly [field: string]: unknown }
}

const folder = new URL("./fixtures/", import.meta.url)

const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), "utf8"))

export const payloads: ReadonlyArray<{ readonly id: string; readonly name: string } & Payload> = readdirSync(folder)
  .filter((name) => /^telegram-\d/u.test(name))
  .sort()
  .map((name) => ({ id: name.slice(0, 11), name, ...read(name) }))

export interface ErrorCase {
  readonly http: number
  readonly body: { readonly description: string; readonly [field: string]: unknown }
  readonly map: string
}

export const errors: ReadonlyArray<ErrorCase> = read("telegram-errors.json")

/** The event's fields a payload expects; undefined where it is to be ignored. */
export const expected = (payload: Payload): object | undefined => {
  const { event, note: _, ...fields } = payload.expect
  return event === "ignored" ? undefined : { _tag: event, ...fields }
}
