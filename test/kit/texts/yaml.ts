/** Reads YAML as the programs do that our files are for: no key twice, and several documents in one file. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

const { loadAll } = createRequire(import.meta.url)("js-yaml") as {
  readonly loadAll: (text: string, iterator: null, options: { filename: string }) => ReadonlyArray<unknown>
}

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
export type Yaml = any

export const readYaml = (filename: string): ReadonlyArray<Yaml> =>
  loadAll(readFileSync(filename, "utf8"), null, { filename })
