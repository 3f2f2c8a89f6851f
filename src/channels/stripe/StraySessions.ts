/**
 * Checkout Sessions of an account that name an order of ours in their metadata, and that these books do not know
 * (`stray_sessions`, migration 0061). They were made after the backup that was restored, or by another installation
 * with the same account. An operator decides about their money (silences: O54).
 */
import type { Account } from "@coffer/model/Account"
import { prefixes, type TradeNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { Context, type DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Stripe } from "stripe"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { isoText } from "../../platform/runtime/codecs.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { sessionStatusOf, timeOf } from "./sessionStatus.ts"

export class StraySessions extends Context.Service<
  StraySessions,
  {
    /** Keeps it while somebody may pay or has paid in it; it ends when nobody can any more. */
    readonly note: (account: Account, tradeNo: TradeNo, session: Stripe.Checkout.Session) => Effect.Effect<void>
    /** All of this payment went back to its buyer. */
    readonly returned: (account: Account, paymentId: string) => Effect.Effect<void>
  }
>()("@coffer/stripe/StraySessions") {}

/** Of one account that are held up. A holder of the account may make any number of sessions. */
export const straysMax = 200

export const layer = Layer.effect(
  StraySessions,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ids = yield* NewIds
    const end = (
      { merchantId, mode }: Account,
      column: "session_id" | "payment_id",
      number: string,
      now: DateTime.Utc
    ) =>
      sql`update stray_sessions set ended_at = ${isoText(now)}::text::timestamptz where merchant_id = ${merchantId}
        and mode = ${mode} and ${sql(column)} = ${number} and ended_at is null`

    return StraySessions.of({
      note: Effect.fnUntraced(function* (account, tradeNo, session) {
        const now = yield* currentTime
        const { _tag } = sessionStatusOf(session)
        if (_tag === "Over") return yield* Effect.asVoid(end(account, "session_id", session.id, now))
        const status = _tag === "Open" ? "open" : _tag === "Paid" ? "paid" : "processing"
        const money = moneyOf(session)
        const intent = session.payment_intent
        const paymentId = typeof intent === "object" ? (intent?.id ?? null) : intent
        yield* sql`insert into stray_sessions (id, merchant_id, mode, session_id, payment_id, trade_no, amount,
            currency, status, created_at, updated_at)
          select ${yield* ids.next(prefixes.straySession)}::text, ${account.merchantId}::text, ${account.mode}::text,
            ${session.id}::text, ${paymentId}::text, ${tradeNo}::text, ${money.amount}::bigint,
            ${money.currency}::text, ${status}::text,
            ${isoText(timeOf(session.created))}::text::timestamptz, ${isoText(now)}::text::timestamptz
          where (select count(*) from (select 1 from stray_sessions where merchant_id = ${account.merchantId}
            and mode = ${account.mode} and ended_at is null limit ${straysMax}) as held) < ${straysMax}::int4
          on conflict (merchant_id, mode, session_id) do update
            set status = excluded.status, payment_id = excluded.payment_id, updated_at = excluded.updated_at
            where stray_sessions.ended_at is null`
      }, sqlDefects),
      returned: (account, paymentId) =>
        sqlDefects(Effect.flatMap(currentTime, (now) => Effect.asVoid(end(account, "payment_id", paymentId, now))))
    })
  })
)

/** Null for a currency that we do not have. */
const moneyOf = ({ amount_total: amount, currency }: Stripe.Checkout.Session) => {
  const upper = currency?.toUpperCase()
  return isCurrency(upper) && isMinor(amount) ? { amount, currency: upper } : { amount: null, currency: null }
}
const isCurrency = Schema.is(Currency)
const isMinor = Schema.is(Minor)
