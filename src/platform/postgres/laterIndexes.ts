/**
 * Indexes of tables that may be large by now. They are made after the migrations, one by one and `concurrently`: rows
 * are written meanwhile. A migration makes an index in its transaction, which holds up all writes of the table until it
 * ends, so it does that for new tables only. A start waits for its indexes, and says so in the log. Of several starts
 * at once one makes them, and the others do not wait.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { merchantIn, objectIn } from "./auditTargets.ts"
import { patiently } from "../runtime/patience.ts"

export interface LaterIndex {
  readonly name: string
  /** What follows `on`: `orders (merchant_id, id) where due_at is not null`. */
  readonly on: string
  readonly unique?: boolean
}

/** Only appended to. One that is no longer needed is dropped by a migration and leaves this list. */
export const laterIndexes: ReadonlyArray<LaterIndex> = [
  // What is held up (src/heldUp): what has not ended, in the order of its ids.
  { name: "refunds_open", on: "refunds (refund_no) where status in ('reserved', 'pending')" },
  { name: "disputes_open", on: "disputes (dispute_no) where status in ('needs_response', 'under_review')" },
  { name: "payouts_open", on: "payouts (payout_no) where status in ('requested', 'approved')" },
  { name: "deliveries_refused", on: "deliveries (id) where status = 'pending' and attempts > 0" },
  {
    name: "orders_unapplied",
    on: `orders (mode, trade_no) where stray_due_at is not null or stray_payments @> '[{"state": "parked"}]'`
  },
  { name: "mails_refused", on: "mails (id) where due_at is not null and error is not null" },
  // An order by the number of its payment at Stripe (src/lookup/Search.ts).
  { name: "orders_stripe_payment", on: `orders (payment_id) where payment_id like 'pi\\_%'` },
  // Entries of the audit log by the number of what they are about (src/operators/AuditLogStore.ts).
  { name: "audit_log_merchant", on: `audit_log ((${merchantIn}), id) where ${merchantIn} is not null` },
  { name: "audit_log_object", on: `audit_log ((${objectIn}), id) where ${objectIn} is not null` }
]

/** Postgres waits for every transaction that is older than the index. */
const patience = "6 hours"

/** As the owner of the tables, outside of a transaction, on one connection: there may be no second. */
export const makeIndexes = Effect.fnUntraced(
  function* (indexes: ReadonlyArray<LaterIndex>) {
    if (indexes.length === 0) return
    const connection = yield* (yield* SqlClient.SqlClient).reserve
    if ((yield* missingOf(connection, indexes)).length === 0) return
    const [[isAlone] = []] = yield* connection.executeValues(`select pg_try_advisory_lock(${lock})`, [])
    if (isAlone !== true) return
    yield* Effect.addFinalizer(() => Effect.ignore(connection.executeRaw(`select pg_advisory_unlock(${lock})`, [])))
    for (const { name, on, unique = false } of yield* missingOf(connection, indexes)) {
      const [[isEmpty] = []] = yield* connection.executeValues(`select pg_relation_size(${tableOf(on)}) = 0`, [])
      // A first start has nothing to wait for, and says nothing.
      if (isEmpty !== true) yield* Effect.logInfo("an index is made; rows are written meanwhile", { index: name, on })
      // One that a killed start has left is there, and not valid.
      yield* connection.executeUnprepared(`drop index concurrently if exists ${name}`, [], undefined)
      const statement = `create ${unique ? "unique " : ""}index concurrently ${name} on ${on}`
      yield* connection.executeUnprepared(statement, [], undefined)
    }
  },
  Effect.scoped,
  patiently(patience, patience)
)

const lock = "hashtext('coffer later indexes')"

const tableOf = (on: string) => `'${on.split(" ")[0]}'::regclass`

const missingOf = (connection: Effect.Success<SqlClient.SqlClient["reserve"]>, indexes: ReadonlyArray<LaterIndex>) =>
  Effect.map(
    connection.executeValues(
      `select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
        join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = current_schema() and i.indisvalid and c.relname = any($1)`,
      [indexes.map(({ name }) => name)]
    ),
    (rows) => indexes.filter(({ name }) => !rows.some(([made]) => made === name))
  )
