/**
 * Calls that no quota let through: refused by the quota itself or before it, as with a key of a suspended merchant.
 * Whoever has a key can send any number of them, so of one merchant, environment and status a minute has one row. It is
 * the first call and says how many there were. Of calls above the quota no body is kept (silences: A11).
 */
import type { LoggedCall } from "./logRow.ts"

/** The status of a call above the quota. */
export const overQuota = 429

const minuteMillis = 60_000
/** Rows that are open at once. Of more, the oldest is written before its minute is over. */
const openMax = 2_000

interface Open {
  readonly first: LoggedCall
  readonly since: number
  count: number
}

export const makeRefusedCalls = (write: (call: LoggedCall) => void) => {
  const open = new Map<string, Open>()

  const close = (key: string, { count, first }: Open) => {
    open.delete(key)
    write({ ...first, refused: count })
  }

  return {
    note: (call: LoggedCall, now: number) => {
      const key = `${call.merchantId}/${call.mode}/${call.status}`
      const known = open.get(key)
      if (known !== undefined && now < known.since + minuteMillis) return void known.count++
      if (known !== undefined) close(key, known)
      const [oldest] = open.size >= openMax ? open : []
      if (oldest !== undefined) close(...oldest)
      open.set(key, { first: call, since: now, count: 1 })
    },
    /** Writes the rows of minutes that are over; without a time, all. */
    closeBefore: (now = Infinity) => {
      for (const [key, each] of open) if (each.since + minuteMillis <= now) close(key, each)
    }
  }
}
