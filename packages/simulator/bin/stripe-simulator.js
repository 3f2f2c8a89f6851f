#!/usr/bin/env node
/** A package that was packed has its types taken out, in `dist`; a checkout has its sources. */
import { existsSync, readFileSync } from "node:fs"

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
const [oldest, running] = [engines.node.slice(2), process.versions.node]
if (oldest.localeCompare(running, "en", { numeric: true }) > 0) {
  console.error(`stripe-simulator needs Node ${oldest} or newer; this is ${running}.`)
  process.exit(1)
}
const packed = new URL("../dist/main.js", import.meta.url)
await import(existsSync(packed) ? packed.href : new URL("../src/main.ts", import.meta.url).href)
