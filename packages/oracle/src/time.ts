/** What happens automatically while time passes, in order of time. */
import { decide, lostAt } from "./disputes.ts"
import { awayUntil, endHold, expireByItself } from "./orders.ts"
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

/** The bank is polled. */
const askedAgain = 2 * minutes

const dueOf = (account: Account): ReadonlyArray<Due> => [
  ...account.orders
    .filter(({ state }) => state === "pending")
    .map((order) => {
      // The bank is asked at the end, and while a buyer is redirected again with backoff.
      const heldUntil = awayUntil(order)
      const isHeld = heldUntil > order.expiresAt
      return {
        at: Math.max(order.expiresAt, heldUntil),
        late: isHeld ? 31 * minutes : 1 * seconds,
        happen: (when: Time) => expireByItself(account, order, when)
      }
    }),
  ...account.orders
    .filter(({ state }) => state === "authorized")
    .map((order) => ({
      at: order.held!.until,
      late: 1 * seconds,
      happen: (when: Time) => endHold(account, when, order)
    })),
  ...account.refunds
    .filter(({ state }) => state === "pending")
    .map((refund) => ({
      at: refund.createdAt + settlesAfter,
      late: askedAgain,
      happen: (when: Time) => void settle(account, when, refund, "succeeded")
    })),
  ...account.disputes.flatMap((dispute) => {
    const at = lostAt(dispute)
    const isPrompt = dispute.acceptedAt !== undefined && account.awayAt < dispute.acceptedAt
    const late = isPrompt ? 1 * seconds : askedAgain
    return at === undefined ? [] : [{ at, late, happen: (when: Time) => decide(account, when, dispute, "lost") }]
  })
]

/** Applies everything that is due until `now`. */
export const passTo = (account: Account, now: number) => {
  while (true) {
    const [next] = dueOf(account)
      .filter(({ at }) => at <= now)
      .toSorted((a, b) => a.at - b.at)
    if (next === undefined) return
    next.happen(new Time(next.at, next.at + next.late))
  }
}

/** The next due time after `now`; Infinity: none. */
export const nextDueAt = (account: Account, now: number): number =>
  Math.min(Infinity, ...dueOf(account).flatMap(({ at }) => (at > now ? [at] : [])))

/** Until when to wait so that the state is determined. */
export const clearAt = (account: Account, now: number): number =>
  Math.max(now, ...dueOf(account).flatMap(({ at, late }) => (at <= now && at + late > now ? [at + late] : [])))
