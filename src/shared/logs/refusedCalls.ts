/**
 * Calls above the quota, or refused before it, for example of a suspended merchant. A holder of a key can send any
 * number of them, so for each key and status a minute has two rows: the first call, and a row with the count of the
 * others. A call above the quota keeps no body (silences: A11).
 */
import { Struct } from "effect"
import type { QueuedCall } from "./logRow.ts"

/** The status of a call above the quota. */
export const overQuota = 429

const minuteMillis = 60_000
/** Minutes that are open at once. The oldest beyond them is closed before it is over. */
const openMax = 2_000

interface Open {
  readonly first: QueuedCall
  readonly since: number
  /** Calls after the first. */
  count: number
}

/** `write` inserts a call itself, `count` the row for several calls, by the first of them. */
export const makeRefusedCalls = (write: (call: QueuedCall) => void, count: (first: QueuedCall) => void) => {
  const open = new Map<string, Open>()

  const close = (key: string, { count: refused, first }: Open) => {
    open.delete(key)
    if (refused > 0) count({ ...first, refused })
  }

  return {
    /** Whether it gets a row of its own. */
    note: (call: QueuedCall, now: number): boolean => {
      const key = `${call.merchantId}/${call.mode}/${call.keyId ?? call.source ?? "api"}/${call.status}`
      const known = open.get(key)
      if (known !== undefined && now < known.since + minuteMillis) {
        known.count++
        return false
      }
      if (known !== undefined) close(key, known)
      const [oldest] = open.size >= openMax ? open : []
      if (oldest !== undefined) close(...oldest)
      write(call)
      open.set(key, { first: { ...Struct.omit(call, ["call"]), requestBody: undefined }, since: now, count: 0 })
      return true
    },
    /** Writes the rows of minutes that are over; without a time, all. */
    closeBefore: (now = Infinity) => {
      for (const [key, each] of open) if (each.since + minuteMillis <= now) close(key, each)
    }
  }
}
