import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The workspace root, whose tools the gates under test run. */
export const root = dirname(dirname(import.meta.dirname))

/**
 * Writes a small tree of files for a planted fault and removes it when disposed. By default it stands inside the
 * workspace's node_modules, so that its files find effect and the type declarations.
 */
export const plant = (
  files: Readonly<Record<string, string>>,
  under: string = join(root, "node_modules/.cache/botmesh-gates")
): { readonly path: string } & Disposable => {
  mkdirSync(under, { recursive: true })
  const path = mkdtempSync(join(under, "planted-"))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

export const source = (path: string, text: string) => ({ path, text })
