/**
 * The fees that the channel itself has kept of payments: of Stripe, from its balance transactions, which are read each
 * night (migration 0031). For operators: a merchant's fee is that of its schedule (silences: S11).
 */
import type { Account } from "@coffer/model/Account"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"

/** Minor units, of the payment, its refunds and its disputes. `currency`: the channel's, in capitals. */
const ChannelFee = Schema.Struct({
  merchant_id: Schema.String,
  mode: Schema.String,
  payment_id: Schema.String,
  fee: Schema.Int,
  currency: Schema.String
})
export type ChannelFee = typeof ChannelFee.Type

const decode = Schema.decodeUnknownEffect(Schema.Array(ChannelFee))

export interface OwnedPayment extends Pick<Account, "merchantId" | "mode"> {
  readonly paymentId: string
}

/** None for a payment of which nothing was read yet. */
export type FeeOf = (payment: OwnedPayment) => ChannelFee | undefined

export const channelFees = (sql: SqlClient.SqlClient, payments: ReadonlyArray<OwnedPayment>): Effect.Effect<FeeOf> => {
  if (payments.length === 0) return Effect.succeed(() => undefined)
  const asked = sql`unnest(${payments.map(({ merchantId }) => merchantId)}::text[],
    ${payments.map(({ mode }) => mode)}::text[], ${payments.map(({ paymentId }) => paymentId)}::text[])
    as asked (merchant_id, mode, payment_id)`
  const rows = sql`select merchant_id, mode, payment_id, sum(fee)::bigint as fee, upper(max(currency)) as currency
    from stripe_movements join ${asked} using (merchant_id, mode, payment_id) group by merchant_id, mode, payment_id`
  return Effect.map(sqlDefects(Effect.flatMap(rows, decode)), (fees) => {
    const known = new Map(fees.map((each) => [`${each.merchant_id}/${each.mode}/${each.payment_id}`, each]))
    return ({ merchantId, mode, paymentId }) => known.get(`${merchantId}/${mode}/${paymentId}`)
  })
}
