/** The sandbox's bank closes a checkout, and gives a payment back to the buyer. */
import { Minor } from "@coffer/model/Money"
import type { PaymentId } from "@coffer/model/Ids"
import { DateTime, Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { CancelReport, ChannelUnreachable, Checkout, ReturnAnswer } from "../../shared/channel/payments.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { span } from "../../platform/runtime/span.ts"
import type { Holds } from "../../shared/channel/Channel.ts"
import { sandboxChannel } from "./name.ts"
import { paymentOf, sandboxPayments } from "./sandboxPayments.ts"
import { type Reach, sandboxReach, unreachableOnSqlError } from "./sandboxReach.ts"

export const makeSandboxReturns = Effect.fnUntraced(function* ({ release }: Pick<Holds, "release">) {
  const sql = yield* SqlClient.SqlClient
  const wakeups = yield* Wakeups
  const reach = yield* sandboxReach
  return { cancel: makeCancel(sql, wakeups, reach), giveBack: makeGiveBack(sql, reach, release) }
})

const makeCancel = (sql: SqlClient.SqlClient, wakeups: Wakeups["Service"], reach: Reach) =>
  span("SandboxBank.cancel")(
    function* (checkout: Checkout): Effect.fn.Return<CancelReport, Unhandled> {
      // No live acquirer is connected: no buyer can have paid, so every checkout can be closed.
      if (checkout.mode === "live") return { _tag: "Cancelled" }
      if ((yield* reach(checkout.merchantId, checkout.tradeNo)).redirecting) return { _tag: "BuyerBusy" }
      const found = yield* decodePayments(
        yield* sql`select p.* from sandbox_payments p join orders o using (trade_no)
          where p.trade_no = ${checkout.tradeNo} and p.state in ('succeeded', 'authorized')
          order by p.amount = o.amount desc, p.payment_id limit 2`
      )
      const [payment, other] = found.map(sandboxPayments.read)
      // The answer names one payment, which the order waits for if there is one. The others are reported like any
      // payment, perhaps twice.
      if (payment !== undefined && other !== undefined) {
        const now = DateTime.toDateUtc(yield* currentTime)
        yield* sql`update sandbox_payments set report_due_at = ${now}
          where trade_no = ${checkout.tradeNo} and state in ('succeeded', 'authorized')
            and payment_id <> ${payment.paymentId}`
        wakeups.raise("sandbox_reports")
      }
      return payment === undefined ? { _tag: "Cancelled" } : { _tag: "AlreadyPaid", payment: paymentOf(payment) }
    },
    // A failure of Postgres is ours and not the bank's: the caller gets 503, not 502.
    sqlDefects
  )

type Unhandled = ChannelUnreachable | SqlError.SqlError | Schema.SchemaError

const decodePayments = Schema.decodeUnknownEffect(Schema.Array(sandboxPayments.row))

const makeGiveBack = (sql: SqlClient.SqlClient, reach: Reach, release: Holds["release"]) =>
  span("SandboxBank.giveBack")(function* (
    checkout: Checkout,
    payment: { readonly paymentId: PaymentId; readonly amount: Minor; readonly isHold?: true }
  ) {
    yield* reach(checkout.merchantId)
    let { amount } = payment
    if (payment.isHold) {
      const hold = { ...checkout, channel: sandboxChannel, paymentId: payment.paymentId, key: payment.paymentId }
      const released = yield* release(hold)
      if (released._tag !== "Captured") return { _tag: "Taken" } satisfies ReturnAnswer
      amount = released.payment.amount
    }
    const now = yield* currentTime
    yield* sql`insert into sandbox_refunds (refund_key, payment_id, amount, created_at)
        values (${`return/${payment.paymentId}`}, ${payment.paymentId}, ${amount}, ${DateTime.toDateUtc(now)})
        on conflict do nothing`
    return { _tag: "Taken" } satisfies ReturnAnswer
  }, Effect.catchTags(unreachableOnSqlError))
