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
  /** An earlier index that this one replaces. It is dropped once this one exists. */
  readonly replaces?: string
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
  },
  // Numbers that are unique in one account. The number comes first, so that an operator finds one without knowing the
  // account (src/reads/lookup/Search.ts).
  {
    name: "orders_own_number",
    on: "orders (out_trade_no, merchant_id, mode)",
    unique: true,
    replaces: "orders_out_trade_no"
  },
  // Orders that are authorised first and captured later (docs/decisions/0274): no other order is in either.
  { name: "orders_hold_due", on: "orders (hold_due_at) where hold_due_at is not null" },
  { name: "orders_with_hold", on: "orders (merchant_id, mode, trade_no) where hold is not null" },
  // Holds among the objects that need attention: the channel has refused to capture them, or a worker had to ask again.
  {
    name: "orders_hold_stuck",
    on: `orders (mode, trade_no)
      where hold->'refusal' is not null or (hold->'request' is not null and hold_attempts > 0)`
  },
  {
    name: "refunds_own_number",
    on: "refunds (out_refund_no, merchant_id, mode) where status <> 'void'",
    unique: true,
    replaces: "refunds_out_refund_no"
  },
  {
    name: "disputes_own_number",
    on: "disputes (processor_dispute_id, merchant_id, mode)",
    unique: true,
    replaces: "disputes_processor"
  },
  {
    name: "payouts_own_number",
    on: "payouts (reference, merchant_id, mode) where reference is not null",
    unique: true,
    replaces: "payouts_reference"
  },
  // A call by its number alone. Numbers begin with the time and calls are written in its order, so the smallest and the
  // largest number of some pages are enough: no call has an entry of its own.
  { name: "api_logs_number", on: "api_logs using brin (request_id) with (pages_per_range = 16, autosummarize = on)" },
  // Changes from the console among a program's calls, which have no entry here (src/shared/logs/LogStore.ts).
  {
    name: "api_logs_of_console",
    on: "api_logs (merchant_id, mode, source, request_id) where source = 'console'"
  },
  // The two entries of an act (src/access/operators/AuditLogStore.ts).
  { name: "audit_log_request", on: "audit_log (request_id)" },
  // A merchant's own erasures (src/reads/erasures/ErasureStore.ts).
  { name: "erasures_listed", on: "erasures (merchant_id, mode, erasure_no) where merchant_id is not null" },
  // The secrets of a main key (src/access/merchants/keySecrets.ts).
  { name: "api_key_secrets_of_main", on: "api_key_secrets (merchant_id, mode) where merchant_id is not null" },
  // What was done with a payment at Adyen (src/channels/adyen/NoticeStore.ts).
  {
    name: "adyen_notices_of_payment",
    on: "adyen_notices (original_reference, merchant_id, mode) where original_reference is not null"
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
    for (const { name, on, replaces, unique = false } of yield* unfinishedOf(connection, indexes)) {
      if (!(yield* isEmpty(connection, on))) continue
      const statement = `create ${unique ? "unique " : ""}index if not exists ${name} on ${on}`
      yield* connection.executeUnprepared(statement, [], undefined)
      if (replaces !== undefined) {
        yield* connection.executeUnprepared(`drop index if exists ${replaces}`, [], undefined)
      }
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
    if ((yield* unfinishedOf(connection, indexes)).length === 0) return true
    const [[isAlone] = []] = yield* connection.executeValues(`select pg_try_advisory_lock(${lock})`, [])
    if (isAlone !== true) return false
    yield* Effect.addFinalizer(() => Effect.ignore(connection.executeRaw(`select pg_advisory_unlock(${lock})`, [])))
    for (const index of yield* unfinishedOf(connection, indexes)) {
      const { isMissing, name, on, replaces } = index
      if (isMissing) {
        yield* Effect.logInfo("an index is made; rows are written meanwhile", { index: name, on })
        yield* makeConcurrently(connection, index)
        yield* Effect.logInfo("the index is made", { index: name })
      }
      if (replaces !== undefined) {
        yield* connection.executeUnprepared(`drop index concurrently if exists ${replaces}`, [], undefined)
      }
    }
    return true
  },
  Effect.scoped,
  patiently(patience, patience)
)

const lock = "hashtext('coffer later indexes')"

const tableOf = (on: string) => on.split(" ")[0]!

type Connection = Effect.Success<SqlClient.SqlClient["reserve"]>

/**
 * Postgres can't do that for a partitioned table. Its own index is only a frame at first, and is valid once an index of
 * each partition is attached to it. A partition of later has one from the start.
 */
const makeConcurrently = Effect.fnUntraced(function* (
  connection: Connection,
  { name, on, unique = false }: LaterIndex
) {
  const run = (statement: string) => connection.executeUnprepared(statement, [], undefined)
  const create = `create ${unique ? "unique " : ""}index`
  const makeOne = Effect.fnUntraced(function* (index: string, target: string) {
    // A killed start leaves an invalid index.
    yield* run(`drop index concurrently if exists ${index}`)
    yield* run(`${create} concurrently ${index} on ${target}`)
  })
  const table = tableOf(on)
  const [[isPartitioned] = []] = yield* connection.executeValues(
    `select relkind = 'p' from pg_class where oid = '${table}'::regclass`,
    []
  )
  if (isPartitioned !== true) return yield* makeOne(name, on)
  yield* run(`${create} if not exists ${name} on only ${on}`)
  const without = yield* connection.executeValues(
    `select p.inhrelid::regclass::text from pg_inherits p where p.inhparent = '${table}'::regclass
        and not exists (select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
          where i.inhparent = '${name}'::regclass and x.indrelid = p.inhrelid)
      order by 1`,
    []
  )
  for (const [partition] of without as ReadonlyArray<readonly [string]>) {
    const index = `${partition}_${name}`
    yield* makeOne(index, partition + on.slice(table.length))
    yield* run(`alter index ${name} attach partition ${index}`)
  }
})

/** A table without partitions is in no tree. */
const isEmpty = (connection: Connection, on: string) =>
  Effect.map(
    connection.executeValues(
      `select coalesce((select sum(pg_relation_size(relid)) from pg_partition_tree(t)), pg_relation_size(t)) = 0
        from (select '${tableOf(on)}'::regclass as t) of_index`,
      []
    ),
    ([row]) => row?.[0] === true
  )

/** Those that are missing, and those that are there beside the one of before. */
const unfinishedOf = (connection: Connection, indexes: ReadonlyArray<LaterIndex>) =>
  Effect.map(
    connection.executeValues(
      `select c.relname, i.indisvalid from pg_index i join pg_class c on c.oid = i.indexrelid
        join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = current_schema() and c.relname = any($1)`,
      [indexes.flatMap(({ name, replaces }) => (replaces === undefined ? [name] : [name, replaces]))]
    ),
    (rows) => {
      const isValid = new Map(rows as ReadonlyArray<readonly [string, boolean]>)
      return indexes
        .map((index) => ({ ...index, isMissing: isValid.get(index.name) !== true }))
        .filter(({ isMissing, replaces }) => isMissing || (replaces !== undefined && isValid.has(replaces)))
    }
  )
