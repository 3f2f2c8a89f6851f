/** The results of a run. */
export interface Summary {
  readonly requests: number
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly millis: number
  /** Processor time of the driver itself. */
  readonly driverMicros: number
  /** Requests that were told to come back later; they are in no other figure. */
  readonly unavailable: number
}

export const summarize = (
  latencies: ReadonlyArray<number>,
  millis: number,
  driverMicros: number,
  unavailable = 0
): Summary => {
  const sorted = latencies.toSorted((a, b) => a - b)
  return {
    requests: sorted.length,
    perSecond: (sorted.length * 1_000) / millis,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    max: sorted.at(-1) ?? Number.NaN,
    millis,
    driverMicros,
    unavailable
  }
}

/** The smallest value that at least this part of them does not exceed (nearest rank). */
export const percentile = (sorted: ReadonlyArray<number>, part: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
