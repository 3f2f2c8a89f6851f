/** Rows of leaked keys, each with its mail. A report is one transaction. */
import { isoText } from "@coffer/model/isoText"
import { Mode } from "@coffer/model/Ids"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeKeySecrets } from "../merchants/keySecrets.ts"
import { changedChannel } from "../merchants/MerchantStore.ts"
import { backOff, type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"

export interface Leak {
  readonly keyHash: string
  readonly merchantId: string
  readonly mode: Mode
  /** Null for a main key. */
  readonly key: { readonly keyId: string; readonly isOldSecret: boolean } | null
}

/** A mail that is due. */
const LeakMail = Schema.Struct({
  key_hash: Schema.String,
  id: Schema.String,
  merchant_id: Schema.String,
  mode: Mode,
  key_id: Schema.NullOr(Schema.String),
  reported_at: TimeColumn,
  attempts: Schema.Int
})
export type LeakMail = typeof LeakMail.Type

/** `kept`: the merchant has no address. `unknown`: the mail server may have accepted it. */
export type MailEnd = "sent" | "failed" | "unknown" | "kept"

export class LeakStore extends Context.Service<
  LeakStore,
  DueRows<LeakMail> & {
    /**
     * Ends the leaked secrets of a key with scopes, and makes the mail due. False if the merchant was notified today.
     */
    readonly record: (leak: Leak, now: DateTime.Utc) => Effect.Effect<boolean>
    readonly end: (mail: LeakMail, status: MailEnd, error: string | null) => Effect.Effect<void>
  }
>()("@coffer/keys/LeakStore") {}

/** The interval of mails about one main key, however often it is reported. */
const mailAgainAfter = { days: 1 }

export const layer = Layer.effect(
  LeakStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const lease = backOff(sql, "attempts", { soon: 60, late: 3_600 })
    const due = leasedRows(
      sql,
      { table: "key_leaks", key: "key_hash", dueAt: "due_at", attempts: "attempts", lease },
      LeakMail
    )

    const secrets = makeKeySecrets(sql)
    const record = Effect.fnUntraced(function* ({ key, keyHash, merchantId, mode }: Leak, now: DateTime.Utc) {
      const at = sql`${isoText(now)}::text::timestamptz`
      const before = isoText(DateTime.subtract(now, mailAgainAfter))
      // The Message-ID has the secret's hash and the day, so that mail programs show the mail once.
      const id = `leak_${keyHash.slice(0, 26)}_${isoText(now).slice(0, 10)}`
      const written =
        yield* sql`insert into key_leaks as l (key_hash, id, merchant_id, mode, key_id, reported_at, status, due_at)
        values (${keyHash}, ${id}, ${merchantId}, ${mode}, ${key?.keyId ?? null}, ${at}, 'due', ${at})
        on conflict (key_hash) do update set id = excluded.id, reported_at = excluded.reported_at, status = 'due',
          attempts = 0, due_at = excluded.due_at, error = null
        where l.reported_at <= ${before}::text::timestamptz returning 1`
      if (key !== null) {
        yield* key.isOldSecret
          ? secrets.endOne(keyHash)
          : sql`update api_keys set revoked_at = coalesce(revoked_at, ${at}) where key_id = ${key.keyId}`
        yield* sql`select pg_notify(${changedChannel}, ${merchantId})`
      }
      return written.length > 0
    })

    return LeakStore.of({
      ...due,
      record: (leak, now) =>
        faults.around("Store.write", sqlDefects(sql.withTransaction(record(leak, now))), () => "key_leaks"),
      end: ({ id, key_hash }, status, error) =>
        sqlDefects(
          Effect.asVoid(sql`update key_leaks set status = ${status}, error = ${error}, due_at = null
            where key_hash = ${key_hash} and id = ${id}`)
        )
    })
  })
)
