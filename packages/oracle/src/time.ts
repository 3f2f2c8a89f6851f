/** What happens by itself while time passes: the earliest first. */
import { decide, lostAt } from "./disputes.ts"
import { awayUntil, expireByItself } from "./orders.ts"
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

/** The bank is asked again and again, since it may take its time. */
const askedAgain = 2 * minutes

const dueOf = (account: Account): ReadonlyArray<Due> => [
  ...account.orders
    .filter(({ state }) => state === "pending")
    .map((order) => {
      // The bank is asked at the end, and while a buyer is on the way again and again at growing intervals.
      const heldUntil = awayUntil(order)
      const isHeld = heldUntil > order.expiresAt
      return {
        at: Math.max(order.expiresAt, heldUntil),
        late: isHeld ? 31 * minutes : 1 * seconds,
        happen: (when: Time) => expireByItself(account, order, when)
      }
    }),
  ...account.refunds
    .filter(({ state }) => state === "pending")
    .map((refund) => ({
      at: refund.createdAt + settlesAfter,
      late: askedAgain,
      happen: (when: Time) => void settle(account, when, refund, "succeeded")
    })),
  ...account.disputes.flatMap((dispute) => {
    const at = lostAt(dispute)
    const late = dispute.acceptedAt === undefined ? askedAgain : 1 * seconds
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

/** When something is due next after `now`; Infinity: nothing is. */
export const nextDueAt = (account: Account, now: number): number =>
  Math.min(Infinity, ...dueOf(account).flatMap(({ at }) => (at > now ? [at] : [])))

/** Until when to wait so that nothing is due that may or may not have been done. */
export const clearAt = (account: Account, now: number): number =>
  Math.max(now, ...dueOf(account).flatMap(({ at, late }) => (at <= now && at + late > now ? [at + late] : [])))
