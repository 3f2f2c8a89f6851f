/** What happens by itself while time passes: the earliest first. */
import { decide, lostAt } from "./disputes.ts"
import { expireByItself } from "./orders.ts"
import { settle } from "./refunds.ts"
import type { Account } from "./state.ts"
import { minutes, seconds, Time } from "./values.ts"

interface Due {
  readonly at: number
  /** How much later it may be done. */
  readonly late: number
  readonly happen: (when: Time) => void
}

/** An asynchronous refund settles by itself after this. */
const settlesAfter = 1 * minutes

const dueOf = (account: Account): ReadonlyArray<Due> => [
  ...account.orders
    .filter(({ state }) => state === "pending")
    .map((order) => ({
      at: order.expiresAt,
      late: 1 * seconds,
      happen: (when: Time) => void expireByItself(account, order.expiresAt, order, when)
    })),
  ...account.refunds
    .filter(({ state }) => state === "pending")
    .map((refund) => ({
      at: refund.createdAt + settlesAfter,
      late: 1 * seconds,
      happen: (when: Time) => void settle(account, when, refund, "succeeded")
    })),
  ...account.disputes.flatMap((dispute) => {
    const at = lostAt(dispute)
    // The bank is asked again and again, since it may take its time.
    const late = dispute.acceptedAt === undefined ? 2 * minutes : 1 * seconds
    return at === undefined ? [] : [{ at, late, happen: (when: Time) => decide(account, when, dispute, "lost") }]
  })
]

/** Lets all happen that is due until `now`. */
export const passTo = (account: Account, now: number) => {
  while (true) {
    const [next] = dueOf(account)
      .filter(({ at }) => at <= now)
      .toSorted((a, b) => a.at - b.at)
    if (next === undefined) return
    next.happen(new Time(next.at, next.at + next.late))
  }
}

/** Until when to wait so that nothing is due that may or may not have been done. */
export const clearAt = (account: Account, now: number): number =>
  Math.max(now, ...dueOf(account).flatMap(({ at, late }) => (at <= now && at + late > now ? [at + late] : [])))
