/** The baseline's SQL. Each has a name, so that Postgres prepares it once for each connection. */
import { orders } from "../../../../src/money/orders/OrderStore.ts"
import * as Idempotency from "../rivals/idempotency.ts"
import { card } from "../rivals/orderRows.ts"

const orderColumns = orders.columns.map(({ name }) => name)
/** In the order in which {@link payAtOnceText} selects them. */
const ledgerColumns = (
  "id wallet_id sequence merchant_id mode currency type amount balance_before balance_after frozen_after " +
  "reference_id description created_at previous_hash hash"
).split(" ")

/** `$1, $2, ...`, counted on from `from`. */
const places = (count: number, from = 1) => Array.from({ length: count }, (_, index) => `$${index + from}`).join(", ")

export const valuesOf = (row: Readonly<Record<string, unknown>>, columns: ReadonlyArray<string>) =>
  columns.map((column) => row[column])

export { ledgerColumns, orderColumns }

const keyColumns = Idempotency.columns.split(", ").length
const insertKey = (from: number) =>
  `insert into idempotency_keys (${Idempotency.columns}) values (${places(keyColumns, from)})
    on conflict do nothing returning id`
const insertOrder = `insert into orders (${orderColumns.join(", ")}) values (${places(orderColumns.length)})
    on conflict do nothing returning trade_no`

export const statements = {
  insertOrder: { name: "insert_order", text: insertOrder },
  insertKey: { name: "insert_key", text: insertKey(1) },
  /** Both rows in one statement; the order is inserted only if the key is new. */
  insertKeyAndOrder: {
    name: "insert_key_and_order",
    text: `with claimed as (${insertKey(orderColumns.length + 1)})
      insert into orders (${orderColumns.join(", ")}) select ${orders.columns
        .map(({ type }, index) => `$${index + 1}::${type}`)
        .join(", ")} from claimed returning trade_no`
  },
  findKey: {
    name: "find_key",
    text: "select fingerprint, state, status, data from idempotency_keys where id = $1"
  },
  findByOutTradeNo: {
    name: "find_by_out_trade_no",
    text: "select * from orders where merchant_id = $1 and mode = $2 and out_trade_no = $3"
  },
  findOrder: {
    name: "find_order",
    text: "select * from orders where trade_no = $1 and merchant_id = $2 and mode = $3"
  },
  lockOrder: {
    name: "lock_order",
    text: "select * from orders where trade_no = $1 and merchant_id = $2 and mode = $3 for update"
  },
  lockWallet: { name: "lock_wallet", text: "select * from wallets where wallet_id = $1 for update" },
  openWallet: {
    name: "open_wallet",
    text: `insert into wallets (wallet_id, sequence, merchant_id, mode, currency, available, frozen, reserved,
        total_revenue, total_fee, total_payout, total_refund, head_id, head_hash, version, updated_at)
      values ($1, 0, $2, $3, $4, 0, 0, 0, 0, 0, 0, 0, '', '', '', $5) on conflict do nothing`
  },
  insertLedger: {
    name: "insert_ledger",
    text: `insert into ledger (${ledgerColumns.join(", ")})
      values (${places(ledgerColumns.length)}), (${places(ledgerColumns.length, ledgerColumns.length + 1)})`
  },
  updateWallet: {
    name: "update_wallet",
    text: `update wallets set sequence = $2, available = $3, total_revenue = $4, total_fee = $5, head_id = $6,
      head_hash = $7, version = $7, updated_at = $8 where wallet_id = $1`
  },
  payOrder: {
    name: "pay_order",
    text: `update orders set version = version + 1, status = 'paid', fee = $2, channel = 'sandbox', payment_id = $3,
      payment_method = $4, card = '${card}', paid_at = $5 where trade_no = $1`
  },
  insertEvent: {
    name: "insert_event",
    text: `insert into events (id, merchant_id, mode, type, object_id, trade_no, packed, created_at)
      values ($1, $2, $3, 'payment.succeeded', $4, $4, $5, $6)`
  },
  insertDelivery: {
    name: "insert_delivery",
    text: `insert into deliveries (id, event_id, merchant_id, mode, url, destination, status, attempts,
        next_attempt_at, created_at) values ($1, $2, $3, $4, $5, $6, 'pending', 0, $7, $7)`
  },
  insertPayment: {
    name: "insert_payment",
    text: `insert into sandbox_payments
        (payment_id, trade_no, merchant_id, method, card, amount, currency, state, created_at)
      values ($1, $2, $3, $4, '${card}', $5, $6, 'succeeded', $7)`
  },
  /** A whole payment: the hash chain is continued in SQL, under the wallet's lock. */
  payAtOnce: { name: "pay_at_once", text: payAtOnceText() },
  firstPage: {
    name: "first_page",
    text: "select * from orders where merchant_id = $1 and mode = $2 order by trade_no desc limit $3"
  },
  pageAfter: {
    name: "page_after",
    text: `select * from orders where merchant_id = $1 and mode = $2 and trade_no < $4 order by trade_no desc limit $3`
  },
  taggedPage: {
    name: "tagged_page",
    text: `select o.* from order_tags t join orders o using (trade_no)
      where t.tag = order_tag($1, $2, $4, $5) and o.merchant_id = $1 and o.mode = $2
        and o.metadata ->> $4 = $5 order by t.trade_no desc limit $3`
  },
  balance: { name: "balance", text: "select * from wallets where wallet_id = $1" }
}

/**
 * $1 trade_no, $2 version, $3 fee, $4 payment_id, $5 method, $6 at, $7 wallet_id, $8 merchant_id, $9 mode,
 * $10 currency, $11 amount, $12 id of the event, $13 its body packed, $14 ledger id, $15 id of the delivery or null,
 * $16 url, $17 its host, $18 the time as it is hashed.
 */
function payAtOnceText(): string {
  const after = (id: string, by: number) =>
    `left(${id}, -6) || lpad(upper(to_hex(('x' || right(${id}, 6))::bit(24)::int + ${by})), 6, '0')`
  const chain = (...parts: ReadonlyArray<string>) =>
    `encode(sha256(convert_to(concat_ws(E'\\n', ${parts.join(", ")}), 'UTF8')), 'hex')`
  return `with paid as (
      update orders set version = version + 1, status = 'paid', fee = $3, channel = 'sandbox', payment_id = $4,
        payment_method = $5, card = '${card}', paid_at = $6
        where trade_no = $1 and version = $2 and exists (select from wallets where wallet_id = $7)
      returning trade_no),
    payment as (
      insert into sandbox_payments
        (payment_id, trade_no, merchant_id, method, card, amount, currency, state, created_at)
      select $4, $1, $8, $5, '${card}', $11::bigint, $10, 'succeeded', $6 from paid),
    event as (
      insert into events (id, merchant_id, mode, type, object_id, trade_no, packed, created_at)
      select $12::text, $8, $9, 'payment.succeeded', $1, $1, $13::bytea, $6 from paid),
    delivery as (
      insert into deliveries (id, event_id, merchant_id, mode, url, destination, status, attempts, next_attempt_at,
        created_at)
      select $15::text, $12, $8, $9, $16::text, $17::text, 'pending', 0, $6, $6 from paid where $15 is not null),
    wallet as (
      select w.* from wallets w where w.wallet_id = $7 and exists (select from paid) for update),
    first as (
      select wallet.*, $14::text as fresh,
        case when $14 > head_id then $14 else ${after("head_id", 1)} end as id from wallet),
    credited as (
      select first.*, ${after("id", 1)} as next_id, ${chain(
        "$7",
        "head_hash",
        "id",
        "sequence + 1",
        "'payment_credit'",
        "$11::bigint",
        "available",
        "available + $11::bigint",
        "frozen",
        "$1",
        "'Payment of order ' || $1",
        "$18::text"
      )} as credit_hash from first),
    debited as (
      select credited.*, ${chain(
        "$7",
        "credit_hash",
        "next_id",
        "sequence + 2",
        "'fee_debit'",
        "0 - $3::bigint",
        "available + $11::bigint",
        "available + $11::bigint - $3::bigint",
        "frozen",
        "$1",
        "'Acquiring fee of order ' || $1",
        "$18::text"
      )} as debit_hash from credited),
    rows as (
      insert into ledger (${ledgerColumns.join(", ")})
      select id, $7, sequence + 1, $8, $9, $10, 'payment_credit', $11::bigint, available, available + $11::bigint,
        frozen, $1, 'Payment of order ' || $1, $6, decode(head_hash, 'hex'), decode(credit_hash, 'hex') from debited
      union all
      select next_id, $7, sequence + 2, $8, $9, $10, 'fee_debit', 0 - $3::bigint, available + $11::bigint,
        available + $11::bigint - $3::bigint, frozen, $1, 'Acquiring fee of order ' || $1, $6,
        decode(credit_hash, 'hex'), decode(debit_hash, 'hex') from debited)
    update wallets w set sequence = d.sequence + 2, available = d.available + $11::bigint - $3::bigint,
      total_revenue = d.total_revenue + $11::bigint, total_fee = d.total_fee + $3::bigint, head_id = d.next_id,
      head_hash = d.debit_hash, version = d.debit_hash, updated_at = $6
    from debited d where w.wallet_id = d.wallet_id returning w.wallet_id`
}
