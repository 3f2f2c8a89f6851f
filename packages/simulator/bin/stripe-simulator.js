#!/usr/bin/env node
/** A package that was packed has its types taken out, in `dist`; a checkout has its sources. */
import { existsSync } from "node:fs"

const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`stripe-simulator needs Node 22.19 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}
const packed = new URL("../dist/main.js", import.meta.url)
await import(existsSync(packed) ? packed.href : new URL("../src/main.ts", import.meta.url).href)
