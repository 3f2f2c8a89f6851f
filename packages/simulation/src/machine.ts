/**
 * What the machine offers, kept before the preload puts a world's in its place, and the world that runs now. While none
 * runs, everything is the machine's.
 */
import net from "node:net"
import type { World } from "./World.ts"

export const real = {
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  Date: globalThis.Date,
  performanceNow: performance.now.bind(performance),
  hrtime: process.hrtime,
  connect: net.connect
}

export const machine: { world: World | undefined } = { world: undefined }
