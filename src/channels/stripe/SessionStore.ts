/**
 * Rows of Checkout Sessions (`stripe_sessions`, migration 0030). A row is there before Stripe is asked for its session,
 * and its key is the idempotency key of that call. An order has one row that is not ended, at most.
 */
import { MerchantId, Mode, TradeNo } from "@coffer/model/Ids"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Faults } from "../../platform/runtime/Faults.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { isoText, TimeColumn } from "../../platform/runtime/codecs.ts"

/** Stripe's names of what a session takes: Apple Pay and Google Pay are cards there. */
export const SessionMethod = Schema.Literals(["card", "alipay", "wechat_pay"])
export type SessionMethod = typeof SessionMethod.Type

export const SessionRow = Schema.Struct({
  key: Schema.String,
  trade_no: TradeNo,
  number: Schema.Int,
  merchant_id: MerchantId,
  mode: Mode,
  method: SessionMethod,
  state: Schema.Literals(["asked", "open", "processing", "ended"]),
  session_id: Schema.NullOr(Schema.String),
  expires_at: TimeColumn,
  created_at: TimeColumn
})
export type SessionRow = typeof SessionRow.Type

export type NewSession = Pick<SessionRow, "trade_no" | "merchant_id" | "mode" | "method" | "expires_at" | "created_at">

export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** The order's session that is not ended, if there is one. */
    readonly active: (tradeNo: TradeNo) => Effect.Effect<Option.Option<SessionRow>>
    /** A new row; none when somebody else has made one meanwhile. */
    readonly insert: (row: NewSession) => Effect.Effect<Option.Option<SessionRow>>
    /** Stripe has made it. None when it was given up meanwhile. */
    readonly opened: (key: string, sessionId: string) => Effect.Effect<Option.Option<SessionRow>>
    readonly processing: (key: string) => Effect.Effect<void>
    readonly ended: (key: string) => Effect.Effect<void>
    /** Ends it unless Stripe is known to have made it. False when that became known meanwhile. */
    readonly giveUp: (key: string) => Effect.Effect<boolean>
    /** The order's row of the session with this number at Stripe. */
    readonly find: (tradeNo: TradeNo, sessionId: string) => Effect.Effect<Option.Option<SessionRow>>
  }
>()("@coffer/stripe/SessionStore") {}

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(SessionRow))

export const layer = Layer.effect(
  SessionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const first = <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>) =>
      Effect.map(Effect.flatMap(rows, decodeRows), ([row]) => Option.fromUndefinedOr(row))
    const write = <A>(effect: Effect.Effect<A>) => faults.around("Store.write", effect, () => "stripe_sessions")

    return SessionStore.of({
      active: (tradeNo) =>
        sqlDefects(first(sql`select * from stripe_sessions where trade_no = ${tradeNo} and state <> 'ended'`)),
      insert: ({ created_at, expires_at, merchant_id, method, mode, trade_no }) =>
        write(
          sqlDefects(
            first(sql`insert into stripe_sessions (key, trade_no, number, merchant_id, mode, method, expires_at,
                created_at)
              select 'coffer/session/' || ${trade_no}::text || '/' || n, ${trade_no}::text, n, ${merchant_id}::text,
                ${mode}::text, ${method}::text, ${isoText(expires_at)}::text::timestamptz,
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
