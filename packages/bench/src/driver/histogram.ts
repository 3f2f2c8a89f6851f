/**
 * Latencies as a histogram that can be stored, read again and added. A bucket is at most 1/128 of its values
 * wide, and a percentile is the largest value of its bucket: at most 0.8 % above the truth.
 */

/** The largest value of each non-empty bucket, in microseconds, and its count; ascending. */
export type Buckets = ReadonlyArray<readonly [upToMicros: number, count: number]>

/** Buckets within a power of two. */
const precisionBits = 7
/** 18 minutes. */
const microsMax = 2 ** 30 - 1

const upTo = (micros: number): number => {
  const shift = Math.max(0, 31 - Math.clz32(micros) - precisionBits)
  return (((micros >>> shift) + 1) << shift) - 1
}

export const makeHistogram = () => {
  const counts = new Map<number, number>()
  return {
    add: (millis: number) => {
      const bucket = upTo(Math.min(microsMax, Math.max(0, Math.round(millis * 1_000))))
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
    },
    /** Everything added since the last call. */
    take: (): Buckets => {
      const taken = [...counts].toSorted(([a], [b]) => a - b)
      counts.clear()
      return taken
    }
  }
}

export const countOf = (buckets: Buckets): number => buckets.reduce((sum, [, count]) => sum + count, 0)

/** The smallest value that at least this part of them does not exceed (nearest rank), in milliseconds. */
export const quantile = (buckets: Buckets, part: number): number => {
  let left = Math.max(1, Math.ceil(countOf(buckets) * part))
  for (const [micros, count] of buckets) {
    left -= count
    if (left <= 0) return micros / 1_000
  }
  return Number.NaN
}
