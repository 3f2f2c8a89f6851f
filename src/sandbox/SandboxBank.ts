/**
 * The sandbox's acquirer, with books of its own in Postgres. It charges buyers and answers whether a checkout can still
 * be cancelled. What an attempt puts into its books is written by whoever hears its report, together with what that
 * makes of the order: then nothing is ever between the two (docs/decisions/0012). A payment beside the one that the
 * answer to a cancel names is reported again and again until the report was taken.
 */
import { PaymentId, prefixes, TradeNo } from "@coffer/model/Ids"
import { Currency, Minor, PaymentMethod } from "@coffer/model/Money"
import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, SqlResolver, type Statement } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { insert } from "../platform/commit/Change.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { isoText, TimeColumn } from "../platform/runtime/codecs.ts"
import { leasedRows } from "../platform/postgres/leasedRows.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { Wakeups } from "../platform/commit/Wakeups.ts"
import { span } from "../platform/runtime/span.ts"
import { type Entry, noEntry } from "../wallets/Wallets.ts"
import {
  type CancelReport,
  Channel,
  type ChannelPayment,
  type ChannelReport,
  ChannelUnreachable,
  type Checkout
} from "../channel/Channel.ts"

/** How a buyer's attempt ends. `redirect`: the buyer is in 3DS or a wallet's app, and may come back. */
export type Attempt = "succeed" | "decline" | "fail" | "redirect" | "succeed_unreported"

export interface Charge extends Checkout {
  readonly amount: Minor
  readonly currency: Currency
  readonly method: PaymentMethod
  readonly attempt: Attempt
}

/** What an attempt comes to. It has happened once the entry is committed, with what the report makes of the order. */
export interface Charged {
  /** What must be told to the service; undefined while nothing is to be told. */
  readonly report: ChannelReport | undefined
  readonly entry: Entry
}

export class SandboxBank extends Context.Service<
  SandboxBank,
  {
    /** The buyer pays. Nothing is written yet. */
    readonly charge: (charge: Charge) => Effect.Effect<Charged, ChannelUnreachable>
    /** The service has taken the report of this payment. */
    readonly acknowledge: (paymentId: PaymentId) => Effect.Effect<void>
    /** Payments that are still to be reported, claimed for another try. */
    readonly claimReports: (
      now: DateTime.Utc,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly tradeNo: TradeNo; readonly payment: ChannelPayment }>>
    readonly nextReport: Effect.Effect<Option.Option<DateTime.Utc>>
    readonly setReachable: (merchantId: string, reachable: boolean) => Effect.Effect<void>
  }
>()("@coffer/sandbox/SandboxBank") {}

/** How long the bank waits before it reports a payment again. */
const reportAgainAfter = Duration.seconds(10)

/** A buyer who left for a wallet's app or 3DS and did not come back in this time is not coming. */
const redirectLapses = Duration.minutes(30)

const states = {
  succeed: "succeeded",
  succeed_unreported: "succeeded",
  decline: "declined",
  fail: "failed",
  redirect: "redirect"
} as const satisfies Record<Attempt, string>

/** Refund windows of the methods that have one (spec: Order, refundable_until). */
const refundDays: Partial<Record<PaymentMethod, number>> = { alipay: 90, wechat_pay: 180 }

const PaymentRow = Schema.Struct({
  payment_id: PaymentId,
  trade_no: TradeNo,
  method: PaymentMethod,
  amount: Minor,
  currency: Currency,
  state: Schema.String,
  created_at: TimeColumn
})

const paymentOf = (row: typeof PaymentRow.Type): ChannelPayment => {
  const days = refundDays[row.method]
  return {
    paymentId: row.payment_id,
    method: row.method,
    amount: row.amount,
    currency: row.currency,
    paidAt: row.created_at,
    refundableUntil: days === undefined ? null : DateTime.add(row.created_at, { days })
  }
}

const reportOf = (attempt: Attempt, row: typeof PaymentRow.Type): ChannelReport | undefined => {
  switch (attempt) {
    case "succeed":
      return { _tag: "Succeeded", payment: paymentOf(row) }
    case "decline":
      return { _tag: "Declined" }
    case "fail":
      return { _tag: "Failed" }
    case "redirect":
    case "succeed_unreported":
      return undefined
  }
}

const decodePayments = Schema.decodeUnknownEffect(Schema.Array(PaymentRow))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* NewIds
  const wakeups = yield* Wakeups

  /** One query for all who ask in one turn of the event loop. */
  const situations = SqlResolver.ordered({
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
  /** A bank whose own books fail is a bank that cannot be reached. */
  const unreachable = () => Effect.fail(new ChannelUnreachable())
  const books = { SqlError: unreachable, SchemaError: Effect.die, ResultLengthMismatch: Effect.die } as const
  const reach = Effect.fnUntraced(function* (checkout: Checkout) {
    const since = DateTime.subtractDuration(yield* currentTime, redirectLapses)
    const { merchantId, tradeNo } = checkout
    const request = { merchantId, tradeNo, since: isoText(since) }
    const { reachable, redirecting } = yield* SqlResolver.request(request, situations)
    return reachable ? redirecting : yield* new ChannelUnreachable()
  }, Effect.catchTags(books))

  const charge = span("SandboxBank.charge")(
    function* ({ amount, attempt, currency, merchantId, method, mode, tradeNo }: Charge) {
      const redirecting = yield* reach({ merchantId, mode, tradeNo })
      const now = yield* currentTime
      const paymentId = PaymentId.make(yield* ids.next(prefixes.payment))
      // Coming back from a redirect, or starting anew: either way the one before is over.
      if (redirecting)
        yield* sql`update sandbox_payments set state = 'abandoned'
        where trade_no = ${tradeNo} and state = 'redirect'`
      const row = { payment_id: paymentId, trade_no: tradeNo, method, amount, currency, state: states[attempt] }
      const changes = [
        insert("sandbox_payments", { ...row, merchant_id: merchantId, report_due_at: null, created_at: isoText(now) })
      ]
      return { report: reportOf(attempt, { ...row, created_at: now }), entry: { ...noEntry, changes } }
    },
    Effect.catchTags({ SqlError: unreachable })
  )

  const cancel = span("SandboxBank.cancel")(
    function* (checkout: Checkout): Effect.fn.Return<CancelReport, ChannelUnreachable | BooksFailure> {
      // No live acquirer is connected: no buyer can have paid, so every checkout can be closed.
      if (checkout.mode === "live") return { _tag: "Cancelled" }
      if (yield* reach(checkout)) return { _tag: "BuyerBusy" }
      const [payment, ...others] = yield* decodePayments(
        yield* sql`select * from sandbox_payments where trade_no = ${checkout.tradeNo} and state = 'succeeded'
          order by payment_id`
      )
      // One is the answer; what else the buyer has paid is reported like any payment, perhaps once more.
      if (others.length > 0) {
        const now = DateTime.toDateUtc(yield* currentTime)
        yield* sql`update sandbox_payments set report_due_at = ${now}
          where payment_id in ${sql.in(others.map(({ payment_id }) => payment_id))}`
        wakeups.raise("sandbox_reports")
      }
      return payment === undefined ? { _tag: "Cancelled" } : { _tag: "AlreadyPaid", payment: paymentOf(payment) }
    },
    Effect.catchTags({ SqlError: unreachable, SchemaError: Effect.die })
  )

  const giveBack = span("SandboxBank.giveBack")(
    function* (checkout: Checkout, payment: { readonly paymentId: PaymentId; readonly amount: Minor }) {
      yield* reach(checkout)
      const now = yield* currentTime
      yield* sql`insert into sandbox_refunds (refund_key, payment_id, amount, created_at)
        values (${`return/${payment.paymentId}`}, ${payment.paymentId}, ${payment.amount}, ${DateTime.toDateUtc(now)})
        on conflict do nothing`
    },
    Effect.catchTags({ SqlError: unreachable })
  )

  const reports = leasedRows(sql, { table: "sandbox_payments", key: "payment_id", dueAt: "report_due_at" }, PaymentRow)
  const reportAgain = (now: Statement.Fragment) =>
    sql`report_due_at = ${now} + make_interval(secs => ${Duration.toSeconds(reportAgainAfter)})`

  const bank = SandboxBank.of({
    charge,
    acknowledge: reports.done,
    claimReports: (now, limit) =>
      sqlDefects(
        Effect.map(reports.claim(reportAgain, now, limit), (rows) =>
          rows.map((row) => ({ tradeNo: row.trade_no, payment: paymentOf(row) }))
        )
      ),
    nextReport: sqlDefects(reports.next),
    setReachable: (merchantId, reachable) =>
      sql`insert into sandbox_switches (merchant_id, reachable) values (${merchantId}, ${reachable})
        on conflict (merchant_id) do update set reachable = excluded.reachable`.pipe(
        Effect.asVoid,
        Effect.catchTags({ SqlError: Effect.die })
      )
  })
  return Layer.merge(Layer.succeed(SandboxBank, bank), Layer.succeed(Channel, { cancel, giveBack }))
})

type BooksFailure = SqlError.SqlError | Schema.SchemaError

/** The bank's own counter, and the channel that the service sees. */
export const layer = Layer.unwrap(make)
