#!/usr/bin/env node
/** The program of the packed package: `dist`, with the code that an earlier start has compiled. */
import { readFileSync } from "node:fs"

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
const [oldest, running] = [engines.node.slice(2), process.versions.node]
if (oldest.localeCompare(running, "en", { numeric: true }) > 0) {
  console.error(`coffer needs Node ${oldest} or newer; this is ${running}.`)
  process.exit(2)
}
// In the package's own folder, and not in one for temporary files, where others could put code for us to run.
process.getBuiltinModule("node:module").enableCompileCache(new URL("../dist/.cache", import.meta.url).pathname)
await import("../dist/main.js")
