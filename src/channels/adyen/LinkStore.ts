/**
 * Rows of payment links (`adyen_links`, migration 0227). A row is there before Adyen is asked for its link, and its key
 * is the idempotency key of that call. An order has one row that is not ended, at most.
 */
import { isoText } from "@coffer/model/isoText"
import { MerchantId, Mode, TradeNo } from "@coffer/model/Ids"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"

export const LinkRow = Schema.Struct({
  key: Schema.String,
  trade_no: TradeNo,
  merchant_id: MerchantId,
  mode: Mode,
  method: PaymentMethod,
  /** `processing`: the buyer has done all, and the notice of the payment is not here yet. */
  state: Schema.Literals(["asked", "open", "processing", "ended"]),
  link_id: Schema.NullOr(Schema.String),
  expires_at: TimeColumn,
  created_at: TimeColumn
})
export type LinkRow = typeof LinkRow.Type

export type NewLink = Pick<LinkRow, "trade_no" | "merchant_id" | "mode" | "method" | "expires_at" | "created_at">

export class LinkStore extends Context.Service<
  LinkStore,
  {
    /** The order's open link, if any. */
    readonly active: (tradeNo: TradeNo) => Effect.Effect<Option.Option<LinkRow>>
    /** A new row; none if another request has made one meanwhile. */
    readonly insert: (row: NewLink) => Effect.Effect<Option.Option<LinkRow>>
    /** Adyen has made the link. None if it was given up meanwhile. */
    readonly opened: (key: string, linkId: string) => Effect.Effect<Option.Option<LinkRow>>
    readonly processing: (key: string) => Effect.Effect<void>
    readonly ended: (key: string) => Effect.Effect<void>
    /** Ends the row unless Adyen is known to have made its link. False if that became known meanwhile. */
    readonly giveUp: (key: string) => Effect.Effect<boolean>
    /** How many links of an account are not over. */
    readonly countOpen: (account: Pick<LinkRow, "mode"> & { readonly merchantId: string }) => Effect.Effect<number>
  }
>()("@coffer/adyen/LinkStore") {}

const decode = Schema.decodeUnknownEffect(Schema.Array(LinkRow))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

/** Counts stop here. */
const countMax = 10_000

export const layer = Layer.effect(
  LinkStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const first = <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>) =>
      sqlDefects(Effect.map(Effect.flatMap(rows, decode), ([row]) => Option.fromUndefinedOr(row)))
    const write = <A>(effect: Effect.Effect<A>) => faults.around("Store.write", effect, () => "adyen_links")

    return LinkStore.of({
      active: (tradeNo) => first(sql`select * from adyen_links where trade_no = ${tradeNo} and state <> 'ended'`),
      insert: ({ created_at, expires_at, merchant_id, method, mode, trade_no }) =>
        write(
          first(sql`insert into adyen_links (key, trade_no, number, merchant_id, mode, method, expires_at, created_at)
            select 'coffer/link/' || ${trade_no}::text || '/' || n, ${trade_no}::text, n, ${merchant_id}::text,
              ${mode}::text, ${method}::text, ${isoText(expires_at)}::text::timestamptz,
              ${isoText(created_at)}::text::timestamptz
            from (select coalesce(max(number), 0) + 1 as n from adyen_links where trade_no = ${trade_no}) as next
            on conflict do nothing returning *`)
        ),
      opened: (key, linkId) =>
        write(
          first(sql`update adyen_links set state = 'open', link_id = ${linkId}
            where key = ${key} and (state = 'asked' or (state = 'open' and link_id = ${linkId})) returning *`)
        ),
      processing: (key) =>
        write(sqlDefects(sql`update adyen_links set state = 'processing' where key = ${key} and state = 'open'`)),
      ended: (key) => write(sqlDefects(sql`update adyen_links set state = 'ended' where key = ${key}`)),
      giveUp: (key) =>
        write(
          Effect.map(
            sqlDefects(sql`update adyen_links set state = 'ended'
              where key = ${key} and state in ('asked', 'ended') returning key`),
            ({ length }) => length > 0
          )
        ),
      countOpen: ({ merchantId, mode }) =>
        sqlDefects(
          Effect.map(
            Effect.flatMap(
              sql`select count(*)::int4 as count from (select 1 from adyen_links where merchant_id = ${merchantId}
                and mode = ${mode} and state <> 'ended' limit ${countMax}) as counted`,
              decodeCount
            ),
            ([{ count }]) => count
          )
        )
    })
  })
)
