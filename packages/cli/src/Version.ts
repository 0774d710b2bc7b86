/** The release of this package. */
import { readFileSync } from "node:fs"
import { Schema } from "effect"

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

/** Read from the manifest, which lies one folder above the sources and above what is built of them. */
export const version = Schema.decodeUnknownSync(Manifest)(
  readFileSync(new URL("../package.json", import.meta.url), "utf8")
).version
