/**
 * Adyen's notices (`adyen_notices`, migration 0227). A notice is the only proof of what it says, so it stays; what
 * Adyen's reports say besides is stored here under the same id. A row is due until it is handled.
 */
import { isoText } from "@coffer/model/isoText"
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Context, type DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { backOffAfterWork, type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import type { OneAccount } from "./account.ts"
import type { Notice } from "./notices.ts"

export const NoticeRow = Schema.Struct({
  id: Schema.String,
  merchant_id: MerchantId,
  mode: Mode,
  code: Schema.String,
  psp_reference: Schema.String,
  /** Of the payment, if the notice is about something that was done with it. */
  original_reference: Schema.NullOr(Schema.String),
  /** Ours: of the order, or of a modification. */
  reference: Schema.String,
  succeeded: Schema.Boolean,
  amount: Schema.Int,
  currency: Schema.String,
  method: Schema.NullOr(Schema.String),
  /** Null once the order has the card: when the notice is handled, or when what it tells is captured or released. */
  card_last4: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  answer_by: Schema.NullOr(TimeColumn),
  link_id: Schema.NullOr(Schema.String),
  event_at: TimeColumn,
  received_at: TimeColumn,
  /** Null once it is handled. */
  due_at: Schema.NullOr(TimeColumn),
  attempts: Schema.Int
})
export type NoticeRow = typeof NoticeRow.Type

export class NoticeStore extends Context.Service<
  NoticeStore,
  DueRows<NoticeRow> & {
    /** Whether it is new. */
    readonly insert: (account: OneAccount, notice: Notice, now: DateTime.Utc) => Effect.Effect<boolean>
    /** It is handled. `keepsCard`: what it tells is held, and the order gets the card when it is captured. */
    readonly done: (id: string, keepsCard: boolean) => Effect.Effect<void>
    /** The hold has ended: the notice of its payment needs no card any more. */
    readonly forgetCard: (account: OneAccount, paymentId: string) => Effect.Effect<void>
    /** By Adyen's number of the payment, the modification or the dispute; the oldest first. */
    readonly about: (account: OneAccount, pspReference: string) => Effect.Effect<ReadonlyArray<NoticeRow>>
    /** What was done with a payment, by Adyen's number of the payment. */
    readonly ofPayment: (account: OneAccount, paymentId: string) => Effect.Effect<ReadonlyArray<NoticeRow>>
    /** By our reference. */
    readonly named: (account: OneAccount, reference: string) => Effect.Effect<ReadonlyArray<NoticeRow>>
    /** How many of an account are not handled. */
    readonly countDue: (account: OneAccount) => Effect.Effect<number>
  }
>()("@coffer/adyen/NoticeStore") {}

/** The backoff of a notice that could not be handled, in seconds, doubled each time. */
const again = { soon: 10, late: 3_600 }
/** Of one number or reference. */
const rowsMax = 1_000

const decode = Schema.decodeUnknownEffect(Schema.Array(NoticeRow))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

export const layer = Layer.effect(
  NoticeStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const rows = leasedRows(
      sql,
      { table: "adyen_notices", key: "id", dueAt: "due_at", ...backOffAfterWork(sql, "attempts", again) },
      NoticeRow
    )
    const own = ({ merchantId, mode }: OneAccount) => sql`merchant_id = ${merchantId} and mode = ${mode}`
    const timeOrNull = (time: DateTime.Utc | null) => sql`${time === null ? null : isoText(time)}::text::timestamptz`

    /** The oldest first. */
    const all = (account: OneAccount, which: Statement.Fragment) =>
      sqlDefects(
        Effect.flatMap(
          sql`select * from adyen_notices where ${which} and ${own(account)} order by event_at, id limit ${rowsMax}`,
          decode
        )
      )

    return NoticeStore.of({
      ...rows,
      insert: ({ merchantId, mode }, notice, now) => {
        const { code, pspReference, succeeded } = notice
        const id = `${merchantId}/${mode}/${code}/${pspReference}/${succeeded}`
        const at = sql`${isoText(now)}::text::timestamptz`
        const written = sql`insert into adyen_notices (id, merchant_id, mode, code, psp_reference, original_reference,
            reference, succeeded, amount, currency, method, card_last4, reason, answer_by, link_id, event_at,
            received_at, due_at)
          values (${id}, ${merchantId}, ${mode}, ${code}, ${pspReference}, ${notice.originalReference}::text,
            ${notice.reference}, ${succeeded}::boolean, ${String(notice.amount)}::text::bigint, ${notice.currency},
            ${notice.method}::text, ${notice.cardLast4}::text, ${notice.reason}::text, ${timeOrNull(notice.answerBy)},
            ${notice.linkId}::text, ${isoText(notice.eventAt)}::text::timestamptz, ${at}, ${at})
          on conflict do nothing returning 1`
        return faults.around(
          "Store.write",
          sqlDefects(Effect.map(written, ({ length }) => length > 0)),
          () => "adyen_notices"
        )
      },
      done: (id, keepsCard) =>
        sqlDefects(sql`update adyen_notices set due_at = null,
          card_last4 = case when ${keepsCard}::boolean then card_last4 end where id = ${id}`),
      forgetCard: (account, paymentId) =>
        sqlDefects(sql`update adyen_notices set card_last4 = null
          where psp_reference = ${paymentId} and ${own(account)} and due_at is null and card_last4 is not null`),
      about: (account, pspReference) => all(account, sql`psp_reference = ${pspReference}`),
      // A notice of an expired authorisation may have the payment's number as its own.
      ofPayment: (account, paymentId) =>
        all(account, sql`(original_reference = ${paymentId} or (psp_reference = ${paymentId} and code = 'EXPIRE'))`),
      named: (account, reference) => all(account, sql`reference = ${reference}`),
      countDue: (account) =>
        sqlDefects(
          Effect.map(
            Effect.flatMap(
              sql`select count(*)::int4 as count from adyen_notices where ${own(account)} and due_at is not null`,
              decodeCount
            ),
            ([{ count }]) => count
          )
        )
    })
  })
)
