/** Counts the answers of a load between two moments. */
import { makeHistogram } from "./histogram.ts"
import type { Summary } from "./summary.ts"

export const makeTally = (isOpen: boolean) => {
  const latencies = makeHistogram()
  /** Measures answers in a closed loop, and due requests in an open one, from `began` to `ended`. */
  let [began, ended] = [Infinity, Infinity]
  /** When the last summary was made. */
  let since = 0
  let [requests, inTime, unavailable] = [0, 0, 0]
  let cpu = process.cpuUsage()

  const measure = (from: number, now: number) => {
    if (isOpen ? from >= began && from < ended : now < ended) latencies.add(now - from)
  }

  return {
    isMeasuring: () => began !== Infinity,
    isOver: () => ended !== Infinity,
    start: (now: number) => {
      began = since = now
      cpu = process.cpuUsage()
    },
    /** False for an answer that no load expects. 503 is expected of all, and counted apart. */
    count: (status: number, expected: number, from: number, now: number): boolean => {
      if (status !== expected && status !== 503) return false
      if (now < began) return true
      if (status === 503) unavailable++
      else {
        requests++
        if (now < ended) inTime++
        measure(from, now)
      }
      return true
    },
    end: (now: number) => (ended = Math.min(ended, now)),
    /** Requests without an answer, by their due time: their latency is higher than this. */
    give: (outstanding: Iterable<number>, now: number) => {
      if (isOpen) for (const from of outstanding) measure(from, now)
    },
    /** Everything since the start, or since the last summary. */
    summary: (now: number): Summary => {
      const { system, user } = process.cpuUsage(cpu)
      const millis = Math.min(now, ended) - since
      const summary = {
        requests,
        perSecond: (inTime * 1_000) / millis,
        millis,
        latencies: latencies.take(),
        driverMicros: user + system,
        unavailable
      }
      cpu = process.cpuUsage()
      since = now
      ;[requests, inTime, unavailable] = [0, 0, 0]
      return summary
    }
  }
}
