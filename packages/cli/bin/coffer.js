#!/usr/bin/env node
/** The program of the packed package: `dist`, with the code that an earlier start has compiled. */

const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`coffer needs Node 22.19 or newer; this is ${process.versions.node}.`)
  process.exit(2)
}
// In the package's own folder, and not in one for temporary files, where others could put code for us to run.
process.getBuiltinModule("node:module").enableCompileCache(new URL("../dist/.cache", import.meta.url).pathname)
await import("../dist/main.js")
