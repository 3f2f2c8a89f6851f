/** Rows of receipts: the numbers in use, and the mails that a sandbox has sent today. */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { sandboxMailsPerDayMax } from "@coffer/model/Limits"
import { Context, type DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { unmovedMillis } from "../../platform/runtime/MerchantClocks.ts"

export class ReceiptStore extends Context.Service<
  ReceiptStore,
  {
    /**
     * The next number, `RCP-202611-0042`, counted for each merchant, environment and month (silences: O21). If another
     * request numbers the same receipt first, this number stays unused.
     */
    readonly nextNumber: (account: Account, now: DateTime.Utc) => Effect.Effect<string>
    /** Counts one of today's mails of a sandbox. False: there is none left (silences: O42). */
    readonly takeMail: (merchantId: string) => Effect.Effect<boolean>
  }
>()("@coffer/receipts/ReceiptStore") {}

export const layer = Layer.effect(
  ReceiptStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const takeNumber = SqlSchema.findOne({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, month: Schema.String }),
      Result: Schema.Struct({ last: Schema.Int }),
      execute: ({ merchantId, mode, month }) => sql`insert into receipt_numbers (merchant_id, mode, month, last)
        values (${merchantId}, ${mode}, ${month}, 1)
        on conflict (merchant_id, mode, month) do update set last = receipt_numbers.last + 1 returning last`
    })
    // By real time: the clocks of two runners may not agree on the day.
    const takeMail = Effect.fnUntraced(function* (merchantId: string) {
      const day = Math.floor((yield* unmovedMillis) / 86_400_000)
      const taken = yield* sqlDefects(sql`insert into sandbox_mails as s (merchant_id, day, mails)
        values (${merchantId}, ${day}, 1)
        on conflict (merchant_id) do update set day = greatest(s.day, excluded.day),
          mails = case when s.day < excluded.day then 1 else s.mails + 1 end
          where s.day < excluded.day or s.mails < ${sandboxMailsPerDayMax} returning 1`)
      return taken.length > 0
    })

    return ReceiptStore.of({
      takeMail,
      nextNumber: ({ merchantId, mode }, now) => {
        const month = isoText(now).slice(0, 7).replace("-", "")
        return takeNumber({ merchantId, mode, month }).pipe(
          Effect.map(({ last }) => `RCP-${month}-${String(last).padStart(4, "0")}`),
          Effect.catchTags({ NoSuchElementError: Effect.die }),
          sqlDefects
        )
      }
    })
  })
)
