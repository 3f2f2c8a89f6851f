/** What the process says about itself in metrics: the event loop's delay, the heap, and which program this is. */
import { readFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { Effect, Layer, Metric, Schedule, Schema } from "effect"
import { onRealTime } from "./realTime.ts"

const Package = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

/** Of the package that this program came in. */
export const version: string = Schema.decodeSync(Package)(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8")
).version

const build = Metric.gauge("coffer_build_info", { description: "1; its labels say which program this is" })
const delay = Metric.gauge("coffer_event_loop_delay_ms", {
  description: "How late the event loop was in the last five seconds, milliseconds"
})
const heapUsed = Metric.gauge("coffer_heap_used_bytes", { description: "Heap in use" })
const heapLimit = Metric.gauge("coffer_heap_limit_bytes", { description: "What the heap may grow to" })

const interval = "5 seconds"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const loop = yield* Effect.acquireRelease(
      Effect.sync(() => monitorEventLoopDelay({ resolution: 10 })),
      (monitor) => Effect.sync(() => monitor.disable())
    )
    loop.enable()
    const sample = Effect.suspend(() => {
      const heap = getHeapStatistics()
      const millis = (nanos: number) => (loop.count === 0 ? 0 : nanos / 1e6)
      const [median, high, max] = [millis(loop.percentile(50)), millis(loop.percentile(99)), millis(loop.max)]
      loop.reset()
      return Effect.all(
        [
          Metric.update(Metric.withAttributes(delay, { quantile: "0.5" }), median),
          Metric.update(Metric.withAttributes(delay, { quantile: "0.99" }), high),
          Metric.update(Metric.withAttributes(delay, { quantile: "1" }), max),
          Metric.update(heapUsed, heap.used_heap_size),
          Metric.update(heapLimit, heap.heap_size_limit)
        ],
        { discard: true }
      )
    })
    yield* Metric.update(Metric.withAttributes(build, { version, node: process.versions.node }), 1)
    yield* sample
    yield* Effect.forkScoped(Effect.delay(sample, interval).pipe(Effect.repeat(Schedule.forever), onRealTime))
  })
)
