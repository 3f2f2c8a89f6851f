/**
 * Loaded into the process of a side before its program. It reports to the bench what the process has done so far:
 * counts, which other work on the machine does not change.
 */
import path from "node:path"
import { performance } from "node:perf_hooks"
import { pathToFileURL } from "node:url"
import { getHeapStatistics } from "node:v8"

export interface Counters {
  /** Allocated on the heap of JavaScript. */
  readonly bytes: number
  /** Fibers that were started. */
  readonly fibers: number
  /** Steps that the interpreter of fibers has taken. */
  readonly steps: number
  /** Turns of the event loop. */
  readonly turns: number
  /** Timers that were set by `setTimeout`, and calls of `setImmediate`. */
  readonly timers: number
  readonly immediates: number
}

interface Fiber {
  readonly id: number
  currentOpCount: number
  runLoop: (this: Fiber, effect: unknown) => unknown
}

interface EffectModule {
  readonly void: unknown
  readonly runFork: (effect: unknown) => Fiber
}

// Before Effect is loaded, which keeps references to both functions.
let [timers, immediates] = [0, 0]
const global = globalThis as unknown as Record<string, (...args: ReadonlyArray<unknown>) => unknown>
const counted = (name: string, note: () => void) => {
  const own = global[name]!
  // Node attaches properties to the function, such as its promise variant.
  global[name] = Object.assign((...args: ReadonlyArray<unknown>) => {
    note()
    return own(...args)
  }, own)
}
counted("setTimeout", () => timers++)
counted("setImmediate", () => immediates++)

// The module that the program itself imports, which may be from another checkout.
const module = path.resolve("node_modules/effect/dist/Effect.js")
const Effect = (await import(pathToFileURL(module).href)) as EffectModule

let steps = 0
const first = Effect.runFork(Effect.void)
const fibers = Object.getPrototypeOf(first) as Fiber
const { runLoop } = fibers
fibers.runLoop = function (effect) {
  const outcome = runLoop.call(this, effect)
  steps += this.currentOpCount
  return outcome
}

const count = (): Counters => ({
  // Node's types do not have it yet.
  bytes: (getHeapStatistics() as { total_allocated_bytes?: number }).total_allocated_bytes ?? Number.NaN,
  fibers: Effect.runFork(Effect.void).id - first.id,
  steps,
  turns: performance.nodeTiming.uvMetricsInfo.loopCount,
  timers,
  immediates
})

process.on("message", () => process.send?.(count()))
// The program ends as it would without its parent.
process.channel?.unref()
