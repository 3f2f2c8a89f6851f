/**
 * Whether the sandbox's bank can be reached: each merchant can switch its bank off (docs/architecture.md, section 7).
 * The same query answers whether the buyer of an order is on a redirect, and whether the bank has taken enough for it.
 */
import { isoText } from "@coffer/model/isoText"
import { unappliedPaymentsMax } from "@coffer/model/Limits"
import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { batchedInOrder } from "../../platform/postgres/batched.ts"

/** A buyer who has not come back from 3DS or a wallet's app after this will not come back. */
const redirectLapses = Duration.minutes(30)

/** For workers, which retry: while the bank's own tables cannot be used, the bank cannot be reached. */
export const unreachableOnSqlError = { SqlError: () => Effect.fail(new ChannelUnreachable()) } as const

/** The order's own payment and its unapplied ones (silences: O41). */
const paymentsMax = 1 + unappliedPaymentsMax

export interface Reached {
  readonly redirecting: boolean
  /** The bank has reached its limit of payments for this order. */
  readonly full: boolean
}

/** Fails while this merchant's bank cannot be reached; otherwise answers its state for this order. */
export type Reach = (
  merchantId: string,
  tradeNo?: string
) => Effect.Effect<Reached, ChannelUnreachable | SqlError.SqlError>

interface Checkout {
  readonly merchantId: string
  readonly tradeNo: string
  /** A redirect that began before this has expired. */
  readonly since: string
}

export const sandboxReach = Effect.map(SqlClient.SqlClient, (sql): Reach => {
  // One query for all callers of one turn of the event loop.
  const checkoutOf = batchedInOrder(sql, {
    row: Schema.Struct({ reachable: Schema.Boolean, redirecting: Schema.Boolean, full: Schema.Boolean }),
    select: (orders: ReadonlyArray<Checkout>) => sql`select coalesce(reachable, true) as reachable,
        exists (select 1 from sandbox_payments p where p.trade_no = asked.trade_no and state = 'redirect'
          and created_at > since) as redirecting,
        exists (select 1 from sandbox_payments p where p.trade_no = asked.trade_no
          and state in ('succeeded', 'authorized') offset ${paymentsMax - 1}) as full
      from unnest(${orders.map(({ merchantId }) => merchantId)}::text[],
        ${orders.map(({ tradeNo }) => tradeNo)}::text[],
        ${orders.map(({ since }) => since)}::text[]::timestamptz[])
        with ordinality as asked (merchant_id, trade_no, since, position)
      left join sandbox_switches using (merchant_id) order by position`
  })
  return Effect.fnUntraced(function* (merchantId, tradeNo = "") {
    const since = isoText(DateTime.subtractDuration(yield* currentTime, redirectLapses))
    const { reachable, ...reached } = yield* checkoutOf({ merchantId, tradeNo, since })
    return reachable ? reached : yield* new ChannelUnreachable()
  })
})
