/**
 * Disputes that Stripe names in another currency than their payment's (`stripe_presented_disputes`, migration 0064).
 * The operator reads them beside the payment's own amount, which is what the dispute has here (silences: S24).
 */
import type { Account } from "@coffer/model/Account"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Stripe } from "stripe"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"

export class PresentedDisputes extends Context.Service<
  PresentedDisputes,
  { readonly note: (account: Account, dispute: Stripe.Dispute) => Effect.Effect<void> }
>()("@coffer/stripe/PresentedDisputes") {}

export const layer = Layer.effect(
  PresentedDisputes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return PresentedDisputes.of({
      note: ({ merchantId, mode }, { amount, currency, id }) =>
        sqlDefects(
          Effect.asVoid(sql`insert into stripe_presented_disputes
            (merchant_id, mode, processor_dispute_id, amount, currency)
            values (${merchantId}, ${mode}, ${id}, ${String(amount)}::text::bigint, ${currency.toUpperCase()})
            on conflict (merchant_id, mode, processor_dispute_id)
              do update set amount = excluded.amount, currency = excluded.currency`)
        )
    })
  })
)
