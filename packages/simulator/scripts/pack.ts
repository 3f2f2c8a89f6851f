/**
 * Makes `dist/` for a package that is packed: the sources without their types, since Node runs no TypeScript inside
 * `node_modules`. npm runs it before it packs.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import path from "node:path"

const home = path.resolve(import.meta.dirname, "..")
const [source, target] = [path.join(home, "src"), path.join(home, "dist")]

rmSync(target, { recursive: true, force: true })
for (const name of readdirSync(source, { recursive: true, encoding: "utf8" })) {
  const [from, to] = [path.join(source, name), path.join(target, name)]
  if (statSync(from).isDirectory()) continue
  mkdirSync(path.dirname(to), { recursive: true })
  if (!name.endsWith(".ts")) cpSync(from, to)
  else {
    const stripped = stripTypeScriptTypes(readFileSync(from, "utf8"))
    writeFileSync(to.replace(/\.ts$/, ".js"), stripped.replace(/("\.{1,2}\/[^"]*)\.ts"/g, '$1.js"'))
  }
}
