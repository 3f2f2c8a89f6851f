/** The results of a load. */
import { type Buckets, quantile } from "./histogram.ts"

export interface Summary {
  /** Answers since measuring began, including those after its end: the work that the CPU time covers. */
  readonly requests: number
  /** Answers within the time that was measured. */
  readonly perSecond: number
  readonly millis: number
  /** Closed loop: of the answers. Open loop: of the requests that fell due, each from the moment when it did. */
  readonly latencies: Buckets
  /** Processor time of the driver itself. */
  readonly driverMicros: number
  /** Requests that got a 503; they are in no other figure. */
  readonly unavailable: number
}

export const p50 = ({ latencies }: Pick<Summary, "latencies">): number => quantile(latencies, 0.5)
export const p99 = ({ latencies }: Pick<Summary, "latencies">): number => quantile(latencies, 0.99)
export const p999 = ({ latencies }: Pick<Summary, "latencies">): number => quantile(latencies, 0.999)

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
