/**
 * The sandbox's acquirer, with its own tables in Postgres. A charge does not write the payment itself: its rows are
 * committed together with the change of the order, so that the two never differ (docs/decisions/0006). A payment that
 * the service may not know is reported until it is acknowledged.
 */
import { idBody, PaymentId, prefixes, TradeNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { isCardCharged, PaidCard, type PaymentMethod } from "@coffer/model/PaymentMethod"
import { isManual } from "@coffer/rules/order/Hold"
import { type Order, OrderConflict } from "@coffer/rules/order/Order"
import { paymentDeclinesMax, paymentDeclinesWindow } from "@coffer/model/Limits"
import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { Attempt, ChargeOptions } from "../../shared/channel/Channel.ts"
import type { ChannelPayment, ChannelReport, ChannelUnreachable, Checkout } from "../../shared/channel/payments.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { jsonText, TimeColumn } from "../../platform/runtime/codecs.ts"
import { type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { sha256 } from "../../platform/runtime/Secrets.ts"
import { span } from "../../platform/runtime/span.ts"
import { instruct, Instructions } from "../../money/wallets/Instructions.ts"
import { type Entry, noEntry } from "../../money/wallets/Wallets.ts"
import {
  attemptOf,
  bankPayment,
  bookedRows,
  paymentOf,
  type SandboxPayment,
  sandboxPayments
} from "./sandboxPayments.ts"
import { type Reach, sandboxReach } from "./sandboxReach.ts"

export interface Charge extends Checkout {
  readonly amount: Minor
  readonly currency: Currency
  readonly method: PaymentMethod
  readonly attempt: Attempt
  /** The bank's code of a refusal; default: its general one. */
  readonly reason?: string | undefined
  /** The attempt's number. A repeated charge with this number, method and outcome is the same attempt. */
  readonly attemptNo?: string | undefined
  /** The card that the buyer typed. */
  readonly card?: PaidCard | null | undefined
  /** The bank only holds what a successful attempt pays. */
  readonly isHeld?: boolean | undefined
}

/** The outcome of an attempt. It takes effect when the `entry` is committed, together with the change of the order. */
export interface Charged {
  /** The bank's report to the service; undefined when it reports nothing yet. */
  readonly report: ChannelReport | undefined
  readonly entry: Entry
}

export class SandboxBank extends Context.Service<
  SandboxBank,
  {
    /**
     * The buyer pays. The caller has to commit the entry. The bank takes at most `paymentsMax` payments of one order:
     * its own, and as many unapplied ones as an order can hold (`sandboxReach.ts`).
     */
    readonly charge: (charge: Charge) => Effect.Effect<Charged, ChannelUnreachable | OrderConflict>
    /** The end of the lockout after too many declined attempts (silences: O13). */
    readonly pausedUntil: (tradeNo: TradeNo) => Effect.Effect<Option.Option<DateTime.Utc>>
    /** Whether the bank has taken this amount for the order. */
    readonly hasPaid: (order: Pick<Charge, "tradeNo" | "amount" | "currency">) => Effect.Effect<boolean>
    /** The service has processed the report of this payment. */
    readonly acknowledge: (paymentId: PaymentId) => Effect.Effect<void>
    /** Records that the reports of these payments were tried. */
    readonly tried: (paymentIds: ReadonlyArray<string>) => Effect.Effect<void>
    /** Payments whose report is due. */
    readonly reports: DueRows<{ readonly tradeNo: TradeNo; readonly payment: ChannelPayment }>
    readonly setReachable: (merchantId: string, reachable: boolean) => Effect.Effect<void>
  }
>()("@coffer/sandbox/SandboxBank") {}

/** How long the bank works on a payment that it reports later. */
const reportLaterAfter = Duration.seconds(5)

/** How long the bank waits before it reports a payment again. */
const reportAgainAfter = Duration.seconds(10)

const states = {
  succeed: "succeeded",
  succeed_later: "succeeded",
  succeed_unreported: "succeeded",
  decline: "declined",
  cancel: "cancelled",
  fail: "failed",
  redirect: "redirect"
} as const satisfies Record<Attempt, string>

export const layer = Layer.effect(
  SandboxBank,
  Effect.flatMap(sandboxReach, (reach) => makeBank(reach))
)

/** Sends the bank's report and rows to the order, as an acquirer's webhook would. */
export const makePay = Effect.gen(function* () {
  const bank = yield* SandboxBank
  const orders = yield* Orders
  const wakeups = yield* Wakeups
  return span("SandboxBank.pay")(function* (
    order: Order,
    method: PaymentMethod,
    attempt: Attempt,
    { amount = order.amount, attemptNo, card, reason }: ChargeOptions = {}
  ) {
    const { currency, merchantId, mode, tradeNo } = order
    const isHeld = isManual(order) && isCardCharged(method)
    const charge = { merchantId, mode, tradeNo, amount, currency, method, attempt, attemptNo, card, reason, isHeld }
    const { entry, report } = yield* bank.charge(charge)
    if (report !== undefined) return yield* orders.report(order, report, entry)
    const noted = yield* orders.note(order, entry.changes)
    if (attempt === "succeed_later") wakeups.raise("sandbox_reports")
    return noted
  })
})

const makeBank = Effect.fnUntraced(function* (reach: Reach) {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* NewIds
  const faults = yield* Faults

  const lease = sql`make_interval(secs => ${Duration.toSeconds(reportAgainAfter)})`
  const reports = leasedRows(
    sql,
    {
      table: "sandbox_payments",
      key: "payment_id",
      dueAt: "report_due_at",
      lease,
      again: lease,
      ofSandbox: (merchantId) => sql`merchant_id = ${merchantId}`
    },
    sandboxPayments.row,
    (row) => {
      const payment = sandboxPayments.read(row)
      return { tradeNo: payment.tradeNo, payment: paymentOf(payment) }
    }
  )

  yield* (yield* Instructions).define(bankPayment, (booked) =>
    Effect.succeed({ ...noEntry, changes: bookedRows(booked) })
  )

  const declinedAt = SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Schema.Struct({ created_at: TimeColumn }),
    execute: (tradeNo) => sql`select created_at from sandbox_payments where trade_no = ${tradeNo} and state = 'declined'
      order by created_at desc offset ${paymentDeclinesMax - 1} limit 1`
  })
  const pausedUntil = Effect.fnUntraced(function* (tradeNo: TradeNo) {
    const now = yield* currentTime
    const tenth = yield* declinedAt(tradeNo)
    const until = Option.map(tenth, ({ created_at }) => DateTime.addDuration(created_at, paymentDeclinesWindow))
    return Option.filter(until, DateTime.isGreaterThan(now))
  })

  return SandboxBank.of({
    charge: makeCharge(sql, ids, reach),
    pausedUntil: (tradeNo) => sqlDefects(pausedUntil(tradeNo)),
    hasPaid: ({ amount, currency, tradeNo }) =>
      sql`select 1 from sandbox_payments where trade_no = ${tradeNo} and state in ('succeeded', 'authorized')
        and amount = ${amount} and currency = ${currency} limit 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        sqlDefects
      ),
    acknowledge: reports.done,
    tried: reports.ended,
    reports,
    setReachable: (merchantId, reachable) =>
      faults.around(
        "Store.write",
        sql`insert into sandbox_switches (merchant_id, reachable) values (${merchantId}, ${reachable})
          on conflict (merchant_id) do update set reachable = excluded.reachable`.pipe(
          Effect.asVoid,
          Effect.catchTags({ SqlError: Effect.die })
        ),
        () => "sandbox_switches"
      )
  })
})

const makeCharge = (sql: SqlClient.SqlClient, ids: NewIds["Service"], reach: Reach) =>
  span("SandboxBank.charge")(function* (charge: Charge) {
    const { amount, attempt, currency, merchantId, method, tradeNo } = charge
    const { full, redirecting } = yield* reach(merchantId, tradeNo)
    if (full && states[attempt] === "succeeded") {
      return yield* new OrderConflict({ tradeNo, reason: "too_many_payments" })
    }
    const now = yield* currentTime
    const paymentId = PaymentId.make(numberOf(charge) ?? (yield* ids.next(prefixes.payment)))
    // The buyer has come back from the redirect, or starts over: the old attempt has ended in both cases.
    const [left] = redirecting
      ? yield* decodeLeft(
          yield* sql`update sandbox_payments set state = 'abandoned'
            where trade_no = ${tradeNo} and state = 'redirect' and payment_id <> ${paymentId} returning method, card`
        )
      : []
    const card = cardOf(charge, left)
    const state = charge.isHeld === true && states[attempt] === "succeeded" ? "authorized" : states[attempt]
    const payment = { paymentId, tradeNo, method, card, amount, currency, state, createdAt: now }
    const reportDueAt = attempt === "succeed_later" ? DateTime.addDuration(now, reportLaterAfter) : null
    const booked = { payment, merchantId, reportDueAt }
    const entry = { ...noEntry, changes: bookedRows(booked), instructions: [instruct(bankPayment, booked)] }
    return { report: reportOf(charge, payment), entry }
  }, sqlDefects)

const Left = Schema.Struct({ method: Schema.String, card: Schema.NullOr(PaidCard) })
const decodeLeft = Schema.decodeUnknownEffect(Schema.Array(Left))

/** A buyer who comes back from 3DS does not type the card again. */
const cardOf = ({ card, method }: Charge, left: typeof Left.Type | undefined): PaidCard | null => {
  if (!isCardCharged(method)) return null
  return card ?? (left?.method === method ? left.card : null) ?? usualCard
}

/** The card of the test helpers, and the one behind a wallet of the browser. */
const usualCard: PaidCard = { brand: "visa", last4: "4242" }

/** Derived from the number of the attempt, if it has one: a repeated attempt finds the row of the first. */
const numberOf = ({ attempt, attemptNo, method, tradeNo }: Charge): string | undefined => {
  if (attemptNo === undefined) return undefined
  const digits = Array.from(sha256(jsonText([tradeNo, attemptNo, method, attempt])), (digit) =>
    Number.parseInt(digit, 16)
  )
  return prefixes.payment + attemptNo.slice(0, 10) + idBody(0, digits).slice(10)
}

const reportOf = ({ attempt, reason }: Charge, payment: SandboxPayment): ChannelReport | undefined => {
  switch (attempt) {
    case "succeed":
      return { _tag: "Succeeded", payment: paymentOf(payment) }
    case "decline":
      return { _tag: "Attempted", attempt: attemptOf(payment, "declined", reason ?? "generic_decline") }
    case "cancel":
      return { _tag: "Attempted", attempt: attemptOf(payment, "cancelled", "cancelled_by_buyer") }
    case "fail":
      return { _tag: "Failed", attempt: attemptOf(payment, "failed", reason ?? "processing_error") }
    case "redirect":
    case "succeed_later":
    case "succeed_unreported":
      return undefined
  }
}
