/**
 * A process that posts transfers in one of the three ways, in a closed loop of callers. It takes the role of the
 * service: its CPU time counts. It has no API, checks nothing and logs nothing.
 */
import pg from "pg"
import type { Summary } from "../driver/summary.ts"
import { makeTally } from "../driver/tally.ts"
import { postBy, type Way } from "./ways.ts"

export interface Posting {
  readonly way: Way
  readonly accounts: number
  /** All transfers go to the first account. */
  readonly isHot: boolean
  readonly callers: number
  readonly warmupMillis: number
  readonly millis: number
}

export type Heard = "warm" | Summary

/** As many connections as the baseline has. */
const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"]!, max: 24, min: 24, idleTimeoutMillis: 0 })

const perform = async ({ accounts, callers, isHot, millis, warmupMillis, way }: Posting): Promise<Summary> => {
  const post = postBy(way, pool)
  const tally = makeTally(false)
  const pick = () => 1 + Math.floor(Math.random() * accounts)
  const call = async () => {
    while (!tally.isOver()) {
      const to = isHot ? 1 : pick()
      const from = 1 + ((to + Math.floor(Math.random() * (accounts - 1))) % accounts)
      const began = performance.now()
      await post({ from, to, amount: 1 + Math.floor(Math.random() * 100) })
      tally.count(200, 200, began, performance.now())
    }
  }
  setTimeout(() => {
    tally.start(performance.now())
    process.send!("warm" satisfies Heard)
    setTimeout(() => tally.end(performance.now()), millis)
  }, warmupMillis)
  await Promise.all(Array.from({ length: callers }, call))
  return tally.summary(performance.now())
}

process.on("message", (posting: Posting) => {
  perform(posting).then(
    (summary) => process.send!(summary),
    (cause: unknown) => {
      console.error(cause)
      process.exit(1)
    }
  )
})
process.on("disconnect", () => process.exit(0))
