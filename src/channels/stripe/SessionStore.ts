/**
 * The status of a Checkout Session, and its payment in our terms. Below are the rows of sessions: those that we have
 * made (`stripe_sessions`, migration 0196), and strays, which name an order of ours but are unknown to these books
 * (`stray_sessions`, migrations 0061 and 0105).
 */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { TradeNo, MerchantId, Mode, prefixes } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { type DateTime, Option, Schema, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Stripe } from "stripe"
import type { ChannelPayment } from "../../shared/channel/payments.ts"
import { isStorable } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { isCurrency, isMinor, paymentOf, SessionMethod, stripeChannel, timeOf } from "./payment.ts"

/** `isBusy`: the buyer is at the bank's 3DS page or in a wallet, and may come back and pay. */
export type SessionStatus =
  | {
      readonly _tag: "Open"
      readonly url: string
      readonly isBusy: boolean
      /** The methods that its page offers: Stripe leaves out what does not fit. */
      readonly methods: ReadonlyArray<string>
    }
  | { readonly _tag: "Processing" }
  /** Or its amount is held, as the payment says. */
  | { readonly _tag: "Paid"; readonly payment: ChannelPayment }
  /** A buyer can no longer pay in it. */
  | { readonly _tag: "Over" }

/** The fields to expand, so that a session shows its status. */
export const expand = ["payment_intent.latest_charge.balance_transaction"]

/** The key of metadata that names our order, on sessions and payment intents. */
export const tradeNoKey = "coffer_trade_no"

export const sessionStatusOf = (session: Stripe.Checkout.Session): SessionStatus => {
  const intent = typeof session.payment_intent === "object" ? session.payment_intent : null
  if (session.payment_status === "paid" || intent?.status === "succeeded") {
    const payment = intent === null ? undefined : paymentOf(intent, session)
    // Paid, but we cannot read the payment. Must not count as unpaid.
    return payment === undefined ? { _tag: "Processing" } : { _tag: "Paid", payment }
  }
  const held = intent?.status === "requires_capture" ? paymentOf(intent, session) : undefined
  if (held !== undefined) return { _tag: "Paid", payment: held }
  if (intent?.status === "processing") return { _tag: "Processing" }
  switch (session.status) {
    case "open":
      return {
        _tag: "Open",
        url: session.url ?? "",
        isBusy: intent?.status === "requires_action",
        methods: session.payment_method_types
      }
    case "complete":
      // The buyer has done everything, and the payment failed afterwards.
      return intent?.status === "requires_payment_method" || intent?.status === "canceled"
        ? { _tag: "Over" }
        : { _tag: "Processing" }
    case "expired":
      return { _tag: "Over" }
    default:
      // A status of a later version of Stripe's API. Must not count as unpaid.
      return { _tag: "Processing" }
  }
}

const isTradeNo = (text: string): text is TradeNo => /^TRD_(SB_)?[0-9A-HJKMNP-TV-Z]{26}$/.test(text)

/** The order that metadata of ours names. */
export const tradeNoIn = (metadata: Stripe.Metadata | null | undefined): Option.Option<TradeNo> => {
  const text = metadata?.[tradeNoKey] ?? ""
  return isTradeNo(text) ? Option.some(text) : Option.none()
}

export const SessionRow = Schema.Struct({
  key: Schema.String,
  trade_no: TradeNo,
  number: Schema.Int,
  merchant_id: MerchantId,
  mode: Mode,
  method: SessionMethod,
  /** Null: the order's (migration 0196). */
  locale: Schema.NullOr(Schema.Literals(["zh-HK", "zh-TW"])),
  state: Schema.Literals(["asked", "open", "processing", "ended"]),
  session_id: Schema.NullOr(Schema.String),
  expires_at: TimeColumn,
  created_at: TimeColumn
})
export type SessionRow = typeof SessionRow.Type

export type NewSession = Pick<
  SessionRow,
  "trade_no" | "merchant_id" | "mode" | "method" | "locale" | "expires_at" | "created_at"
>

/**
 * A row is there before Stripe is asked for its session, and its key is the idempotency key of that call. An order has
 * one row that is not ended, at most.
 */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** The order's open session, if any. */
    readonly active: (tradeNo: TradeNo) => Effect.Effect<Option.Option<SessionRow>>
    /** A new row; none if another request has made one meanwhile. */
    readonly insert: (row: NewSession) => Effect.Effect<Option.Option<SessionRow>>
    /** Stripe has made the session. None if it was given up meanwhile. */
    readonly opened: (key: string, sessionId: string) => Effect.Effect<Option.Option<SessionRow>>
    readonly processing: (key: string) => Effect.Effect<void>
    readonly ended: (key: string) => Effect.Effect<void>
    /** Ends the row unless Stripe is known to have made its session. False if that became known meanwhile. */
    readonly giveUp: (key: string) => Effect.Effect<boolean>
    /** The order's row of the session with this number at Stripe. */
    readonly find: (tradeNo: TradeNo, sessionId: string) => Effect.Effect<Option.Option<SessionRow>>
  }
>()("@coffer/stripe/SessionStore") {}

const decodeSessions = Schema.decodeUnknownEffect(Schema.Array(SessionRow))

export const layer = Layer.effect(
  SessionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const first = <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>) =>
      Effect.map(Effect.flatMap(rows, decodeSessions), ([row]) => Option.fromUndefinedOr(row))
    const write = <A>(effect: Effect.Effect<A>) => faults.around("Store.write", effect, () => "stripe_sessions")

    return SessionStore.of({
      active: (tradeNo) =>
        sqlDefects(first(sql`select * from stripe_sessions where trade_no = ${tradeNo} and state <> 'ended'`)),
      insert: ({ created_at, expires_at, locale, merchant_id, method, mode, trade_no }) =>
        write(
          sqlDefects(
            first(sql`insert into stripe_sessions (key, trade_no, number, merchant_id, mode, method, locale,
                expires_at, created_at)
              select 'coffer/session/' || ${trade_no}::text || '/' || n, ${trade_no}::text, n, ${merchant_id}::text,
                ${mode}::text, ${method}::text, ${locale}::text, ${isoText(expires_at)}::text::timestamptz,
                ${isoText(created_at)}::text::timestamptz
              from (select coalesce(max(number), 0) + 1 as n from stripe_sessions where trade_no = ${trade_no}) as next
              on conflict do nothing returning *`)
          )
        ),
      opened: (key, sessionId) =>
        write(
          sqlDefects(
            first(sql`update stripe_sessions set state = 'open', session_id = ${sessionId}
              where key = ${key} and (state = 'asked' or (state = 'open' and session_id = ${sessionId})) returning *`)
          )
        ),
      processing: (key) =>
        write(sqlDefects(sql`update stripe_sessions set state = 'processing' where key = ${key} and state = 'open'`)),
      ended: (key) => write(sqlDefects(sql`update stripe_sessions set state = 'ended' where key = ${key}`)),
      giveUp: (key) =>
        write(
          Effect.map(
            sqlDefects(sql`update stripe_sessions set state = 'ended'
              where key = ${key} and state in ('asked', 'ended') returning key`),
            ({ length }) => length > 0
          )
        ),
      find: (tradeNo, sessionId) =>
        sqlDefects(first(sql`select * from stripe_sessions where trade_no = ${tradeNo} and session_id = ${sessionId}`))
    })
  })
)

/**
 * Strays were made after the backup that was restored, or by another installation with the same account. An operator
 * decides about their money (silences: O54).
 */
export class StraySessions extends Context.Service<
  StraySessions,
  {
    /** Stores a stray while it can be paid or is paid; ends it when it can no longer be paid. */
    readonly note: (account: Account, tradeNo: TradeNo, session: Stripe.Checkout.Session) => Effect.Effect<void>
    /** The whole payment went back to the buyer. */
    readonly returned: (account: Account, paymentId: string) => Effect.Effect<void>
    /** An operator has resolved it. The first note is kept. */
    readonly close: (
      id: string,
      note: string
    ) => Effect.Effect<ClosedStraySession, StraySessionNotFound | StraySessionOver>
    /** Closes at most `limit` strays of sandboxes without a report since then, and answers how many. */
    readonly closeOfSandboxes: (before: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/stripe/StraySessions") {}

/** A stray that an operator has closed, or the service in a sandbox. */
const Closed = Schema.Struct({
  id: Schema.String,
  channel: Schema.String,
  merchant_id: Schema.String,
  mode: Mode,
  trade_no: Schema.String,
  session_id: Schema.String,
  payment_id: Schema.NullOr(Schema.String),
  amount: Schema.NullOr(Schema.Int),
  currency: Schema.NullOr(Currency),
  closed_note: Schema.String,
  ended_at: TimeColumn
})
export type ClosedStraySession = typeof Closed.Type

export class StraySessionNotFound extends Schema.TaggedError<StraySessionNotFound>()("StraySessionNotFound", {
  id: Schema.String
}) {}

/** It can no longer be paid, or its whole payment went back: there is nothing to close. */
export class StraySessionOver extends Schema.TaggedError<StraySessionOver>()("StraySessionOver", {}) {}

/** The maximum of open strays of one account. A holder of the account may make any number of sessions. */
export const straysMax = 200

export const layerStraySessions = Layer.effect(
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
        const found = sessionStatusOf(session)
        const { _tag } = found
        if (_tag === "Over") return yield* Effect.asVoid(end(account, "session_id", session.id, now))
        const isPaid = found._tag === "Paid" && typeof found.payment.hold !== "object"
        const status = _tag === "Open" ? "open" : isPaid ? "paid" : "processing"
        const money = moneyOf(session)
        const intent = session.payment_intent
        const paymentId = typeof intent === "object" ? (intent?.id ?? null) : intent
        yield* sql`insert into stray_sessions (id, channel, merchant_id, mode, session_id, payment_id, trade_no, amount,
            currency, status, created_at, updated_at)
          select ${yield* ids.next(prefixes.straySession)}::text, ${stripeChannel}::text, ${account.merchantId}::text,
            ${account.mode}::text,
            ${session.id}::text, ${paymentId}::text, ${tradeNo}::text, ${money.amount}::bigint,
            ${money.currency}::text, ${status}::text,
            ${isoText(timeOf(session.created))}::text::timestamptz, ${isoText(now)}::text::timestamptz
          where (select count(*) from (select 1 from stray_sessions where merchant_id = ${account.merchantId}
            and mode = ${account.mode} and ended_at is null limit ${straysMax}) as held) < ${straysMax}::int4
          on conflict (merchant_id, mode, session_id) do update
            set status = excluded.status, payment_id = excluded.payment_id, updated_at = excluded.updated_at,
              ended_at = null, closed_note = null
            where stray_sessions.ended_at is null or (stray_sessions.closed_note is not null
              and stray_sessions.status = 'open' and excluded.status <> 'open')`
      }, sqlDefects),
      returned: (account, paymentId) =>
        sqlDefects(Effect.flatMap(currentTime, (now) => Effect.asVoid(end(account, "payment_id", paymentId, now)))),
      close: Effect.fnUntraced(function* (id, note) {
        if (!isStorable(id)) return yield* new StraySessionNotFound({ id })
        const now = yield* currentTime
        yield* sql`update stray_sessions set ended_at = ${isoText(now)}::text::timestamptz, closed_note = ${note}
          where id = ${id} and ended_at is null`
        // Another operator may have been first, or the answer to this request was lost.
        const [row] = yield* sql`select * from stray_sessions where id = ${id}`
        if (row === undefined) return yield* new StraySessionNotFound({ id })
        return row["closed_note"] === null ? yield* new StraySessionOver() : yield* decodeClosed(row)
      }, sqlDefects),
      closeOfSandboxes: Effect.fnUntraced(function* (before, limit) {
        const now = yield* currentTime
        const closed = yield* sql`update stray_sessions set ended_at = ${isoText(now)}::text::timestamptz,
            closed_note = ${ownNote}
          where id in (select id from stray_sessions where ended_at is null and mode = 'sandbox'
            and updated_at < ${isoText(before)}::text::timestamptz order by id limit ${limit}) and ended_at is null
          returning 1`
        return closed.length
      }, sqlDefects)
    })
  })
)

const decodeClosed = Schema.decodeUnknownEffect(Closed)
const ownNote = "a sandbox's own session, closed by the service"

/** Null for a currency that we do not have. */
const moneyOf = ({ amount_total: amount, currency }: Stripe.Checkout.Session) => {
  const upper = currency?.toUpperCase()
  return isCurrency(upper) && isMinor(amount) ? { amount, currency: upper } : { amount: null, currency: null }
}
