/**
 * The exports of the package's manifest: the sources inside this repository, and what was built from them where the
 * package is installed. npm has no field for the second.
 */
import { readFileSync, writeFileSync } from "node:fs"
import path from "node:path"

export const home = path.resolve(import.meta.dirname, "..")

const sources = { "./*": "./src/*.ts" }
const built = { "./*": { types: "./dist/*.d.ts", default: "./dist/*.js" } }

export const namePublished = (isPublished: boolean) => {
  const file = path.join(home, "package.json")
  const manifest = JSON.parse(readFileSync(file, "utf8"))
  manifest.exports = isPublished ? built : sources
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
}
