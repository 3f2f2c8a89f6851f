/**
 * What is known of objects at Adyen (docs/decisions/0279): its links, the notices that it has sent, the modifications
 * and answers to disputes that we have asked for, its reports and their lines. `reconciliation.channel`: whose books
 * differ.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table adyen_links (
      key text primary key,
      trade_no text not null,
      number integer not null,
      merchant_id text not null,
      mode text not null,
      method text not null,
      state text default 'asked' not null,
      link_id text,
      expires_at timestamptz not null,
      created_at timestamptz not null,
      unique (trade_no, number)
    )`,
  `create unique index adyen_links_active on adyen_links (trade_no) where state <> 'ended'`,
  `create table adyen_notices (
      id text primary key,
      merchant_id text not null,
      mode text not null,
      code text not null,
      psp_reference text not null,
      original_reference text,
      reference text not null,
      succeeded boolean not null,
      amount bigint not null,
      currency text not null,
      method text,
      card_last4 text,
      reason text,
      answer_by timestamptz,
      link_id text,
      event_at timestamptz not null,
      received_at timestamptz not null,
      due_at timestamptz,
      attempts integer default 0 not null
    )`,
  `create index adyen_notices_due on adyen_notices (due_at) where due_at is not null`,
  `create index adyen_notices_psp on adyen_notices (psp_reference, merchant_id, mode)`,
  `create index adyen_notices_reference on adyen_notices (reference, merchant_id, mode)`,
  `create table adyen_modifications (
      key text primary key,
      merchant_id text not null,
      mode text not null,
      payment_id text not null,
      reference text not null,
      psp_reference text,
      asked_at timestamptz not null
    )`,
  `create index adyen_modifications_psp on adyen_modifications (psp_reference, merchant_id, mode)
      where psp_reference is not null`,
  `create table adyen_answers (
      merchant_id text not null,
      mode text not null,
      processor_dispute_id text not null,
      step text not null,
      answer text not null,
      reason_code text,
      taken_at timestamptz,
      primary key (merchant_id, mode, processor_dispute_id)
    )`,
  `create table adyen_reports (
      id text primary key,
      merchant_id text not null,
      mode text not null,
      batch integer default 1 not null,
      compared_until timestamptz not null,
      due_at timestamptz not null
    )`,
  `create index adyen_reports_due on adyen_reports (due_at)`,
  `create table adyen_movements (
      id text primary key,
      merchant_id text not null,
      mode text not null,
      payment_id text not null,
      trade_no text,
      type text not null,
      amount bigint not null,
      fee bigint not null,
      currency text not null,
      created_at timestamptz not null,
      checked_at timestamptz,
      source_amount bigint,
      source_currency text
    )`,
  `create index adyen_movements_by_payment on adyen_movements (payment_id, merchant_id, mode)`,
  `create index adyen_movements_unchecked on adyen_movements (merchant_id, mode) where checked_at is null`,
  `alter table reconciliation add column channel text default 'stripe' not null`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
