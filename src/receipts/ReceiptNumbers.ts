/**
 * Numbers of receipts: `RCP-202611-0042`, counted for each merchant, environment and month (silences: O21). A number
 * that was taken for a receipt that another request numbers first is left out.
 */
import type { Account } from "@coffer/model/Account"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"

export class ReceiptNumbers extends Context.Service<
  ReceiptNumbers,
  { readonly next: (account: Account, now: DateTime.Utc) => Effect.Effect<string> }
>()("@coffer/receipts/ReceiptNumbers") {}

export const layer = Layer.effect(
  ReceiptNumbers,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const take = SqlSchema.findOne({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, month: Schema.String }),
      Result: Schema.Struct({ last: Schema.Int }),
      execute: ({ merchantId, mode, month }) => sql`insert into receipt_numbers (merchant_id, mode, month, last)
        values (${merchantId}, ${mode}, ${month}, 1)
        on conflict (merchant_id, mode, month) do update set last = receipt_numbers.last + 1 returning last`
    })
    return ReceiptNumbers.of({
      next: ({ merchantId, mode }, now) => {
        const month = DateTime.formatIso(now).slice(0, 7).replace("-", "")
        return take({ merchantId, mode, month }).pipe(
          Effect.map(({ last }) => `RCP-${month}-${String(last).padStart(4, "0")}`),
          Effect.catchTags({ NoSuchElementError: Effect.die }),
          sqlDefects
        )
      }
    })
  })
)
