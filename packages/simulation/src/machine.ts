/**
 * The machine's original functions, saved before the preload replaces them with a world's, and the current world.
 * Without one, the originals are used.
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
