/**
 * Many rows at once, by SQL: what a merchant has after years of business. Ids are made as the service makes them, from
 * the time of creation; what differs from row to row is an SQL expression over `n`, the row's number from 1.
 */
import { Api } from "@coffer/contract/Api"
import type { Mode } from "@coffer/model/Ids"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import type { SqlClient } from "effect/sql"
import { patiently } from "../../../src/platform/runtime/patience.ts"

export interface Many {
  readonly merchantId: string
  readonly mode?: Mode
  readonly count: number
  /** Unix milliseconds of the first. */
  readonly since: number
  /** Milliseconds from one to the next. */
  readonly step: number
}

/** The work that Postgres does by itself some time after so many inserts. As the owner. */
export const settled = (sql: SqlClient.SqlClient) =>
  patiently("5 minutes")(sql.unsafe("vacuum analyze orders, order_tags, ledger, events, refunds, disputes, deliveries"))

type Expressions<Name extends string> = { readonly [N in Name]?: string }

const digit = (place: number) =>
  `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((millis >> ${5 * place}) & 31)::int + 1, 1)`

/** Made once, in the template of all databases. */
export const idFunction = `create or replace function test_id(prefix text, millis bigint, n bigint, salt text) returns text
  language sql immutable return prefix || ${[9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map(digit).join(" || ")}
    || upper(lpad(to_hex(n), 6, '0') || substr(md5(salt || n::text), 1, 10))`

/** Made in the template too, for rows of the ledger that nothing has moved: Postgres would not take them. */
export const withoutTriggersFunction = `create or replace function test_without_triggers(statement text) returns void
  language plpgsql security definer set session_replication_role = replica as $$ begin execute statement; end $$`

const idOf = ({ merchantId, mode = "sandbox" }: Many, prefix: string) =>
  `test_id('${prefix}', millis, n, '${merchantId}${mode}')`

const seed = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  table: string,
  many: Many,
  columns: Readonly<Record<string, string>>
) {
  const insert = `insert into ${table} (${Object.keys(columns).join(", ")}) select ${Object.values(columns).join(", ")}
    from (select n, ${many.since} + (n - 1) * ${many.step} as millis from generate_series(1, ${many.count}::bigint) as n)`
  yield* table === "ledger" ? sql`select test_without_triggers(${insert})` : sql.unsafe(insert)
}, patiently("5 minutes"))

const shared = ({ merchantId, mode = "sandbox" }: Many) => ({
  merchant_id: `'${merchantId}'`,
  mode: `'${mode}'`,
  created_at: "to_timestamp(millis / 1000.0)"
})

/** Orders, pending unless told otherwise, of n minor units each. */
export const insertOrders = (
  sql: SqlClient.SqlClient,
  many: Many,
  {
    metadata = "'{}'::jsonb",
    status = "'pending'",
    subject = "null",
    receipt_email = "null",
    payment_method = `case when ${status} = 'paid' then 'card' end`,
    paid_at = `case when ${status} = 'paid' then to_timestamp(millis / 1000.0) end`
  }: Expressions<"status" | "metadata" | "subject" | "receipt_email" | "payment_method" | "paid_at"> = {}
) =>
  seed(sql, "orders", many, {
    ...shared(many),
    trade_no: idOf(many, many.mode === "live" ? "TRD_" : "TRD_SB_"),
    version: "1",
    out_trade_no: `'row-' || millis || '-' || n`,
    amount: "n",
    currency: "'USD'",
    status,
    subject,
    refunded_amount: "0",
    fee: `case when ${status} = 'paid' then 1 end`,
    channel: `case when ${status} = 'paid' then 'sandbox' end`,
    payment_id: `case when ${status} = 'paid' then 'pay_' || n end`,
    payment_method,
    receipt_email,
    paid_at,
    metadata,
    declines: "0",
    unapplied_payments: "'[]'::jsonb",
    // Far from now, so that no worker touches them.
    due_at: "timestamptz '2100-01-01'",
    expires_at: "timestamptz '2100-01-01'"
  })

export const insertLinks = (sql: SqlClient.SqlClient, many: Many) =>
  seed(sql, "payment_links", many, {
    ...shared(many),
    link_id: idOf(many, "plink_"),
    version: "1",
    amount: "n",
    currency: "'USD'",
    status: "'active'",
    used_count: "0",
    metadata: "'{}'::jsonb"
  })

/** Ledger rows. They are no true ledger: nothing adds up and nothing chains. */
export const insertLedger = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  many: Many,
  {
    currency = "'USD'",
    reference = "'ref-' || n",
    type = "'payment_credit'"
  }: Expressions<"currency" | "type" | "reference"> = {}
) {
  const { created_at: _, ...owner } = shared(many)
  for (const name of ["USD", "HKD", "CNY"]) {
    yield* sql.unsafe(`insert into wallets select ${owner.merchant_id} || '/' || ${owner.mode} || '/${name}', 0,
      ${owner.merchant_id}, ${owner.mode}, '${name}', 0, 0, 0, 0, 0, 0, '', '', timestamptz '2026-01-01' on conflict do nothing`)
  }
  yield* seed(sql, "ledger", many, {
    ...shared(many),
    id: idOf(many, "LED_"),
    wallet_id: `${owner.merchant_id} || '/' || ${owner.mode} || '/' || ${currency}`,
    sequence: "millis * 1000 + n",
    currency,
    type,
    amount: "0 - n",
    balance_before: "n",
    balance_after: "0",
    frozen_after: "0",
    reference_id: reference,
    description: "'Inserted by a test'",
    previous_hash: "''",
    hash: "''"
  })
})

/** Events of the document's own examples, under other numbers. */
export const insertEvents = (
  sql: SqlClient.SqlClient,
  many: Many,
  { object = "'object-' || n", type = "'payment.succeeded'" }: Expressions<"type" | "object"> = {}
) =>
  seed(sql, "events", many, {
    ...shared(many),
    id: idOf(many, "evt_"),
    type,
    object_id: object,
    trade_no: object,
    body: `json_build_object('object', 'event', 'id', ${idOf(many, "evt_")}, 'type', ${type}, 'mode', '${many.mode ?? "sandbox"}',
      'created_at', to_char(to_timestamp(millis / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'sequence', 1,
      'data', json_build_object('object', ${exampleFor(type)} || jsonb_build_object('trade_no', ${object})),
      'event_id', ${idOf(many, "evt_")}, 'event_type', ${type})::text`
  })

const { Dispute, Order, Refund } = OpenApi.fromApi(Api).components.schemas as Record<string, { examples?: [unknown] }>

/** As SQL: the object that an event of the type tells of. */
const exampleFor = (type: string) =>
  `case split_part(${type}, '.', 1) ${Object.entries({ payment: Order, refund: Refund, dispute: Dispute })
    .map(
      ([word, schema]) => `when '${word}' then '${JSON.stringify(schema?.examples?.[0]).replaceAll("'", "''")}'::jsonb`
    )
    .join(" ")} end`

/** One delivery of each event of {@link insertEvents}, which come first. */
export const insertPastDeliveries = (
  sql: SqlClient.SqlClient,
  many: Many,
  { endpoint = "null", status = "'succeeded'" }: Expressions<"endpoint" | "status"> = {}
) =>
  seed(sql, "deliveries", many, {
    ...shared(many),
    id: idOf(many, "dlv_"),
    event_id: idOf(many, "evt_"),
    endpoint_id: endpoint,
    url: "'https://shop.example/'",
    destination: "'shop.example'",
    status,
    attempts: "1",
    // Far from now, so that no worker touches them.
    next_attempt_at: "timestamptz '2100-01-01'"
  })

/** Deliveries that are due, each of an event of its own, to hosts that are an SQL expression over `n`. */
export const insertDeliveries = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { count, merchantId, mode = "sandbox" }: Pick<Many, "merchantId" | "mode" | "count">,
  host: string,
  path = "/hang"
) {
  const many: Many = { merchantId, mode, count, since: 0, step: 0 }
  const salted = { ...many, merchantId: merchantId + path }
  yield* sql.unsafe(`with numbers as (select n, 0::bigint as millis from generate_series(1, ${count}::bigint) as n),
    made as (insert into events (id, merchant_id, mode, type, object_id, trade_no, body, created_at)
      select ${idOf(salted, "evt_")}, '${merchantId}', '${mode}', 'payment.succeeded', '', '', '{}', to_timestamp(0)
      from numbers)
    insert into deliveries (id, event_id, merchant_id, mode, endpoint_id, url, destination, status, attempts,
      next_attempt_at, created_at)
    select ${idOf(salted, "dlv_")}, ${idOf(salted, "evt_")}, '${merchantId}', '${mode}', null,
      'http://' || ${host} || '${path}', ${host}, 'pending', 0, to_timestamp(0), to_timestamp(0)
    from numbers`)
}, patiently("5 minutes"))

const orderOf = (many: Many) => idOf(many, many.mode === "live" ? "TRD_" : "TRD_SB_")

/** A refund for each of the orders of {@link insertOrders}, of n minor units. */
export const insertRefunds = (
  sql: SqlClient.SqlClient,
  many: Many,
  { status = "'succeeded'" }: Expressions<"status"> = {}
) =>
  seed(sql, "refunds", many, {
    ...shared(many),
    refund_no: idOf(many, "rfd_"),
    version: "1",
    out_refund_no: `'row-' || millis || '-' || n`,
    trade_no: orderOf(many),
    out_trade_no: `'row-' || millis || '-' || n`,
    channel: "'sandbox'",
    payment_id: "'pay_' || n",
    amount: "n",
    currency: "'USD'",
    status,
    metadata: "'{}'::jsonb",
    failure_reason: `case when ${status} = 'failed' then '' end`,
    settled_at: `case when ${status} = 'succeeded' then to_timestamp(millis / 1000.0) end`,
    updated_at: "to_timestamp(millis / 1000.0)"
  })

/** A dispute for each of them. */
export const insertDisputes = (
  sql: SqlClient.SqlClient,
  many: Many,
  { status = "'needs_response'" }: Expressions<"status"> = {}
) =>
  seed(sql, "disputes", many, {
    ...shared(many),
    dispute_no: idOf(many, "dsp_"),
    version: "1",
    trade_no: orderOf(many),
    out_trade_no: `'row-' || millis || '-' || n`,
    channel: "'sandbox'",
    processor_dispute_id: `'dp_' || millis || '-' || n`,
    amount: "n",
    currency: "'USD'",
    status,
    processor_status: "'inserted'",
    reason: "'fraudulent'",
    opened_at: "to_timestamp(millis / 1000.0)",
    closed_at: `case when ${status} in ('won', 'lost', 'closed') then to_timestamp(millis / 1000.0) end`,
    updated_at: "to_timestamp(millis / 1000.0)"
  })
