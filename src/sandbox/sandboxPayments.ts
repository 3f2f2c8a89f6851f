/** The payments of the sandbox's bank (`sandbox_payments`), and what they say about a checkout. */
import { PaymentId, TradeNo } from "@coffer/model/Ids"
import { Currency, Minor, PaymentMethod } from "@coffer/model/Money"
import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlResolver } from "effect/sql"
import { type ChannelPayment, ChannelUnreachable, type Checkout } from "../channel/Channel.ts"
import { table } from "../platform/commit/Table.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { isoText } from "../platform/runtime/codecs.ts"
import { unreachableOnSqlError } from "./sandboxReach.ts"

const SandboxPayment = Schema.Struct({
  paymentId: PaymentId,
  tradeNo: TradeNo,
  method: PaymentMethod,
  amount: Minor,
  currency: Currency,
  state: Schema.String,
  createdAt: Schema.DateTimeUtc
})
export type SandboxPayment = typeof SandboxPayment.Type

export const sandboxPayments = table("sandbox_payments", {
  of: SandboxPayment,
  beside: { merchantId: Schema.String },
  key: "paymentId"
})

/** Refund windows of the methods that have one (spec: Order, refundable_until). */
const refundDays: Partial<Record<PaymentMethod, number>> = { alipay: 90, wechat_pay: 180 }

export const paymentOf = ({ amount, createdAt, currency, method, paymentId }: SandboxPayment): ChannelPayment => {
  const days = refundDays[method]
  const refundableUntil = days === undefined ? null : DateTime.add(createdAt, { days })
  return { paymentId, method, amount, currency, paidAt: createdAt, refundableUntil }
}

/** A buyer who has not come back from 3DS or a wallet's app after this will not come back. */
const redirectLapses = Duration.minutes(30)

/** Whether the buyer is on a redirect. Fails while this merchant's bank cannot be reached. */
export type IsRedirecting = (checkout: Checkout) => Effect.Effect<boolean, ChannelUnreachable>

export const makeIsRedirecting = Effect.map(SqlClient.SqlClient, (sql): IsRedirecting => {
  // One query for everybody who asks in the same turn of the event loop.
  const checkouts = SqlResolver.ordered({
    Request: Schema.Struct({ merchantId: Schema.String, tradeNo: Schema.String, since: Schema.String }),
    Result: Schema.Struct({ reachable: Schema.Boolean, redirecting: Schema.Boolean }),
    execute: (asked) => sql`select coalesce(reachable, true) as reachable,
        exists (select 1 from sandbox_payments p where p.trade_no = asked.trade_no and state = 'redirect'
          and created_at > since) as redirecting
      from unnest(${asked.map(({ merchantId }) => merchantId)}::text[], ${asked.map(({ tradeNo }) => tradeNo)}::text[],
        ${asked.map(({ since }) => since)}::text[]::timestamptz[])
        with ordinality as asked (merchant_id, trade_no, since, position)
      left join sandbox_switches using (merchant_id) order by position`
  })
  return Effect.fnUntraced(
    function* ({ merchantId, tradeNo }) {
      const since = isoText(DateTime.subtractDuration(yield* currentTime, redirectLapses))
      const { reachable, redirecting } = yield* SqlResolver.request({ merchantId, tradeNo, since }, checkouts)
      return reachable ? redirecting : yield* new ChannelUnreachable()
    },
    Effect.catchTags({ ...unreachableOnSqlError, SchemaError: Effect.die, ResultLengthMismatch: Effect.die })
  )
})
