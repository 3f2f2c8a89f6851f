/** Stripe's balance transactions, and the same payments in our books (migrations 0031 and 0035). */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Context, type DateTime, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { type Books, makeBooks } from "../acquirers/Books.ts"
import { stripeChannel } from "./payment.ts"

const DueRow = Schema.Struct({
  id: Schema.String,
  merchant_id: MerchantId,
  mode: Mode,
  movements_since: TimeColumn,
  /** Until when an interrupted round has read. */
  movements_place: Schema.NullOr(TimeColumn)
})
export type DueRow = typeof DueRow.Type

const Progress = Schema.Struct({ movements_since: TimeColumn, movements_due_at: TimeColumn })
export type Progress = typeof Progress.Type

export class ReconciliationStore extends Context.Service<
  ReconciliationStore,
  Books &
    DueRows<DueRow> & {
      /** The progress of an account, and when it is due; none until it was first polled. */
      readonly progress: (account: Account) => Effect.Effect<Option.Option<Progress>>
      /** Makes it due, unless it is leased: then it is due when the lease ends. */
      readonly hasten: (account: Account, now: DateTime.Utc) => Effect.Effect<void>
      /** The current round has read until then; renews its lease. */
      readonly keepPlace: (id: string, place: DateTime.Utc, now: DateTime.Utc) => Effect.Effect<void>
      /** The round has ended. */
      readonly readUntil: (id: string, since: DateTime.Utc, next: DateTime.Utc) => Effect.Effect<void>
    }
>()("@coffer/stripe/ReconciliationStore") {}

/** The lease of an account while a runner reads its movements. */
const lease = "1 hour"

/** Whose books these are. */
export const stripesBooks = {
  channel: stripeChannel,
  movements: "stripe_movements",
  isCompared: "always"
} as const

export const layer = Layer.effect(
  ReconciliationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ids = yield* NewIds
    const due = leasedRows(
      sql,
      {
        table: "stripe_polls",
        key: "id",
        dueAt: "movements_due_at",
        only: sql`true`,
        lease: sql`${lease}::text::interval`
      },
      DueRow
    )
    const findProgress = SqlSchema.findOneOption({
      Request: Schema.Struct({ id: Schema.String }),
      Result: Progress,
      execute: ({ id }) => sql`select movements_since, movements_due_at from stripe_polls where id = ${id}`
    })
    return ReconciliationStore.of({
      ...due,
      ...makeBooks(sql, ids, stripesBooks),
      progress: ({ merchantId, mode }) => sqlDefects(findProgress({ id: `${merchantId}/${mode}` })),
      hasten: (account, now) =>
        sqlDefects(
          Effect.asVoid(sql`update stripe_polls set movements_due_at = ${at(sql, now)}
            where ${own(sql, account)} and movements_due_at > ${at(sql, now)} + ${lease}::text::interval`)
        ),
      keepPlace: (id, place, now) =>
        sqlDefects(
          Effect.asVoid(sql`update stripe_polls set movements_place = ${at(sql, place)},
            movements_due_at = ${at(sql, now)} + ${lease}::text::interval where id = ${id}`)
        ),
      readUntil: (id, since, next) =>
        sqlDefects(
          Effect.asVoid(sql`update stripe_polls set movements_since = ${at(sql, since)},
            movements_due_at = ${at(sql, next)}, movements_place = null where id = ${id}`)
        )
    })
  })
)

const at = (sql: SqlClient.SqlClient, time: DateTime.Utc) => sql`${isoText(time)}::text::timestamptz`
const own = (sql: SqlClient.SqlClient, { merchantId, mode }: Account) =>
  sql`merchant_id = ${merchantId} and mode = ${mode}`

/** Among accounts that take payments. A new one counts from where its first comparison begins. */
export const ageOfBooks = (sql: SqlClient.SqlClient, mode: Mode, now: DateTime.Utc) =>
  sqlDefects(
    Effect.map(
      Effect.flatMap(
        sql`select coalesce(extract(epoch from ${at(sql, now)} - min(movements_since)), 0)::float8 as age
          from stripe_polls join merchant_modes m using (merchant_id, mode)
          where mode = ${mode} and (m.channel_accounts -> ${stripeChannel}::text ->> 'isActive')::boolean`,
        decodeAge
      ),
      ([{ age }]) => age
    )
  )
const decodeAge = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ age: Schema.Number })]))
