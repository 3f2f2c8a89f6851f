/**
 * Indexes of tables that may be large by now. They are made after the migrations, one by one and `concurrently`: rows
 * are written meanwhile. A migration makes an index in its transaction, which blocks all writes of the table until it
 * ends, so it does that for new tables only. `coffer migrate` waits for them. A start does not: some lists of operators
 * and some filters of orders are slow without them, and everything else works. It makes the indexes of empty tables,
 * and one runner makes the others while it serves, which may take hours. The log says which is being made.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { merchantIn, objectIn } from "./auditTargets.ts"
import { amountKey, paidLate, valueKey } from "./orderKeys.ts"
import { patiently } from "../runtime/patience.ts"
import { onRealTime } from "../runtime/realTime.ts"

export interface LaterIndex {
  readonly name: string
  /** The text after `on`: `orders (merchant_id, id) where due_at is not null`. */
  readonly on: string
  readonly unique?: boolean
}

/** Only appended to. One that is no longer needed is dropped by a migration and leaves this list. */
export const laterIndexes: ReadonlyArray<LaterIndex> = [
  // Objects that need attention (src/reads/needsAttention): those that have not ended, in the order of their ids.
  { name: "refunds_open", on: "refunds (refund_no) where status in ('reserved', 'pending')" },
  {
    name: "disputes_waiting",
    on: `disputes (dispute_no) where status in ('needs_response', 'under_review')
      or (status = 'lost' and stage in ('appeal_offered', 'appeal_filed'))`
  },
  { name: "payouts_open", on: "payouts (payout_no) where status in ('requested', 'approved')" },
  { name: "deliveries_refused", on: "deliveries (id) where status = 'pending' and attempts > 0" },
  {
    name: "orders_unapplied",
    on: `orders (mode, trade_no) where unapplied_due_at is not null or unapplied_payments @> '[{"state": "parked"}]'`
  },
  { name: "mails_refused", on: "mails (id) where due_at is not null and error is not null" },
  // Entries of the audit log by the number of their target (src/access/operators/AuditLogStore.ts).
  { name: "audit_log_merchant", on: `audit_log ((${merchantIn}), id) where ${merchantIn} is not null` },
  { name: "audit_log_object", on: `audit_log ((${objectIn}), id) where ${objectIn} is not null` },
  // An order by the channel's number of its payment (src/reads/lookup/Search.ts). The sandbox's bank has an index of
  // its own.
  {
    name: "orders_channel_payment",
    on: `orders (payment_id) where channel <> 'sandbox' and payment_id is not null`
  },
  // Filters of the list of orders (src/money/orders/OrderLists.ts).
  { name: "orders_of_status", on: `orders ((${valueKey("status")}), trade_no)` },
  { name: "orders_of_amount", on: `orders ((${amountKey}))` },
  {
    name: "orders_of_method",
    on: `orders ((${valueKey("payment_method")}), trade_no) where payment_method is not null`
  },
  {
    name: "orders_of_address",
    on: `orders ((${valueKey("lower(receipt_email)")}), trade_no) where receipt_email is not null`
  },
  // A buyer's orders and mails, of all merchants (src/reads/erasures). An order without an address is in no index of
  // these.
  { name: "orders_buyer", on: "orders (lower(receipt_email), trade_no) where receipt_email is not null" },
  { name: "mails_recipient", on: "mails (lower(recipient))" },
  // Mails to drop (KEEP_MAILS).
  { name: "mails_age", on: "mails (created_at) where due_at is null" },
  // Orders of sandboxes to drop (KEEP_SANDBOX_ORDERS), and the foreign keys that Postgres checks before one goes.
  {
    name: "orders_unpaid_sandbox",
    on: "orders (trade_no) where mode = 'sandbox' and paid_at is null and status in ('failed', 'expired')"
  },
  { name: "refunds_trade_no", on: "refunds (trade_no)" },
  { name: "disputes_trade_no", on: "disputes (trade_no)" },
  // Deliveries that wait for a paused endpoint (src/webhooks/deliveries/DeliveryStore.ts).
  { name: "deliveries_held", on: "deliveries (endpoint_id) where status = 'pending' and next_attempt_at is null" },
  // Orders that were paid later than a day after their creation (src/money/orders/OrderLists.ts).
  { name: "orders_paid_late", on: `orders (merchant_id, mode, trade_no) where ${paidLate}` },
  // Events of Stripe to drop (src/channels/stripe/StripeEventStore.ts).
  { name: "stripe_events_age", on: "stripe_events (received_at) where due_at is null" },
  // Merchants by their connected account at Stripe (src/channels/stripe/StripeEventStore.ts).
  {
    name: "merchant_modes_connected",
    on: `merchant_modes ((channel_accounts->'stripe'->'own'->>'account'), mode)
      where channel_accounts->'stripe'->'own'->>'account' is not null`
  }
]

/** Postgres waits for every transaction that is older than the index. */
const patience = "6 hours"

/**
 * Makes the indexes of empty tables, where no write is blocked. An index that cannot be made at once is left for
 * `makeBesideService`.
 */
export const makeOfEmptyTables = (indexes: ReadonlyArray<LaterIndex>) =>
  Effect.gen(function* () {
    const connection = yield* (yield* SqlClient.SqlClient).reserve
    for (const { name, on, unique = false } of yield* missingOf(connection, indexes)) {
      const statement = `create ${unique ? "unique " : ""}index if not exists ${name} on ${on}`
      if (yield* isEmpty(connection, on)) yield* connection.executeUnprepared(statement, [], undefined)
    }
  }).pipe(Effect.scoped, Effect.ignore)

/** Until none is missing. Another runner may be making them, and may end before they are complete. */
export const makeBesideService = (indexes: ReadonlyArray<LaterIndex>) =>
  makeIndexes(indexes).pipe(
    Effect.catchCause((cause) => Effect.as(Effect.logWarning("an index could not be made yet", cause), false)),
    Effect.tap((areThere) => (areThere ? Effect.void : Effect.sleep(lookAgainEvery))),
    Effect.repeat({ until: (areThere) => areThere }),
    onRealTime
  )

const lookAgainEvery = "1 minute"

/** As the owner, outside of a transaction, on one connection: there may be no second. True: all are there. */
export const makeIndexes = Effect.fnUntraced(
  function* (indexes: ReadonlyArray<LaterIndex>) {
    if (indexes.length === 0) return true
    const connection = yield* (yield* SqlClient.SqlClient).reserve
    if ((yield* missingOf(connection, indexes)).length === 0) return true
    const [[isAlone] = []] = yield* connection.executeValues(`select pg_try_advisory_lock(${lock})`, [])
    if (isAlone !== true) return false
    yield* Effect.addFinalizer(() => Effect.ignore(connection.executeRaw(`select pg_advisory_unlock(${lock})`, [])))
    for (const { name, on, unique = false } of yield* missingOf(connection, indexes)) {
      yield* Effect.logInfo("an index is made; rows are written meanwhile", { index: name, on })
      // A killed start leaves an invalid index.
      yield* connection.executeUnprepared(`drop index concurrently if exists ${name}`, [], undefined)
      const statement = `create ${unique ? "unique " : ""}index concurrently ${name} on ${on}`
      yield* connection.executeUnprepared(statement, [], undefined)
      yield* Effect.logInfo("the index is made", { index: name })
    }
    return true
  },
  Effect.scoped,
  patiently(patience, patience)
)

const lock = "hashtext('coffer later indexes')"

const tableOf = (on: string) => `'${on.split(" ")[0]}'::regclass`

type Connection = Effect.Success<SqlClient.SqlClient["reserve"]>

const isEmpty = (connection: Connection, on: string) =>
  Effect.map(connection.executeValues(`select pg_relation_size(${tableOf(on)}) = 0`, []), ([row]) => row?.[0] === true)

const missingOf = (connection: Connection, indexes: ReadonlyArray<LaterIndex>) =>
  Effect.map(
    connection.executeValues(
      `select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
        join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = current_schema() and i.indisvalid and c.relname = any($1)`,
      [indexes.map(({ name }) => name)]
    ),
    (rows) => indexes.filter(({ name }) => !rows.some(([made]) => made === name))
  )
