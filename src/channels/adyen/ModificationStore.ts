/**
 * What we have asked Adyen to do with payments: refunds, and whole payments that go back (`adyen_modifications`,
 * migration 0227). A row is there before Adyen is asked, and its key is the idempotency key of that call.
 */
import { isoText } from "@coffer/model/isoText"
import { MerchantId, Mode, PaymentId } from "@coffer/model/Ids"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import type { OneAccount } from "./account.ts"

export const ModificationRow = Schema.Struct({
  key: Schema.String,
  merchant_id: MerchantId,
  mode: Mode,
  payment_id: PaymentId,
  /** Ours, which Adyen's notices about it name. */
  reference: Schema.String,
  /** Adyen's number of it; null while Adyen is not known to have taken it. */
  psp_reference: Schema.NullOr(Schema.String),
  asked_at: TimeColumn
})
export type ModificationRow = typeof ModificationRow.Type

/** A whole payment that goes back has the reference `return/` and Adyen's number of the payment. */
export const returnPrefix = "return/"
export const isReturn = ({ reference }: Pick<ModificationRow, "reference">): boolean =>
  reference.startsWith(returnPrefix)

export class ModificationStore extends Context.Service<
  ModificationStore,
  {
    /** The row of this reference, new or known. */
    readonly begin: (
      account: OneAccount,
      paymentId: PaymentId,
      reference: string,
      now: DateTime.Utc
    ) => Effect.Effect<ModificationRow>
    readonly taken: (key: string, pspReference: string) => Effect.Effect<void>
    /** By Adyen's number of it, or by our reference. */
    readonly find: (
      account: OneAccount,
      pspReference: string,
      reference: string
    ) => Effect.Effect<Option.Option<ModificationRow>>
  }
>()("@coffer/adyen/ModificationStore") {}

const decode = Schema.decodeUnknownEffect(Schema.Array(ModificationRow))

/** At most 64 characters: `coffer/` and a reference of 30. */
export const keyOf = (reference: string): string => `coffer/${reference}`

export const layer = Layer.effect(
  ModificationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const write = <A>(effect: Effect.Effect<A>) => faults.around("Store.write", effect, () => "adyen_modifications")
    return ModificationStore.of({
      begin: ({ merchantId, mode }, paymentId, reference, now) =>
        write(
          sqlDefects(
            Effect.map(
              Effect.flatMap(
                sql`insert into adyen_modifications (key, merchant_id, mode, payment_id, reference, asked_at)
                  values (${keyOf(reference)}, ${merchantId}, ${mode}, ${paymentId}, ${reference},
                    ${isoText(now)}::text::timestamptz)
                  on conflict (key) do update set key = excluded.key returning *`,
                decode
              ),
              ([row]) => row!
            )
          )
        ),
      taken: (key, pspReference) =>
        write(sqlDefects(sql`update adyen_modifications set psp_reference = ${pspReference} where key = ${key}`)),
      find: ({ merchantId, mode }, pspReference, reference) =>
        sqlDefects(
          Effect.map(
            Effect.flatMap(
              sql`select * from adyen_modifications where merchant_id = ${merchantId} and mode = ${mode}
                and (psp_reference = ${pspReference} or key = ${keyOf(reference)})`,
              decode
            ),
            ([row]) => Option.fromUndefinedOr(row)
          )
        )
    })
  })
)
