/**
 * A movement has its source, or it is not written (docs/decisions/0027): after each statement that adds rows to the
 * ledger, Postgres looks for what moved the money. That is a payment, a refund, a dispute or a payout of the same
 * merchant, environment and currency, with this amount, in a state that such a movement leads to. No source moves the
 * same money twice.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** `states`: those that the movement leads to, or that may follow, since a batch writes the last of several steps. */
interface Source {
  readonly type: string
  readonly table: string
  readonly key: string
  readonly amount: string
  readonly states: string
}

const refund = (type: string, amount: string, ...states: ReadonlyArray<string>): Source =>
  source("refunds", "refund_no", type, amount, states)
const dispute = (type: string, amount: string, ...states: ReadonlyArray<string>): Source =>
  source("disputes", "dispute_no", type, amount, states)
const payout = (type: string, amount: string, ...states: ReadonlyArray<string>): Source =>
  source("payouts", "payout_no", type, amount, states)

const source = (table: string, key: string, type: string, amount: string, states: ReadonlyArray<string>): Source => ({
  type,
  table,
  key,
  amount,
  states: states.length === 0 ? "true" : `s.status in (${states.map((state) => `'${state}'`).join(", ")})`
})

const sources: ReadonlyArray<Source> = [
  { ...source("orders", "trade_no", "payment_credit", "s.amount", []), states: "s.paid_at is not null" },
  { ...source("orders", "trade_no", "fee_debit", "-s.fee", []), states: "s.paid_at is not null" },
  refund("refund_freeze", "-s.amount", "pending", "succeeded", "failed"),
  refund("refund_debit", "-s.amount", "succeeded", "failed"),
  refund("refund_unfreeze", "s.amount", "failed"),
  dispute("dispute_freeze", "-s.amount"),
  dispute("dispute_debit", "-s.amount", "lost", "won"),
  dispute("dispute_fee", "-s.fee", "lost", "won"),
  dispute("dispute_unfreeze", "s.amount", "won", "closed"),
  payout("payout_freeze", "-s.amount"),
  payout("payout_success", "-s.amount", "succeeded"),
  payout("payout_fee", "-s.fee", "succeeded"),
  payout("payout_unfreeze", "s.amount", "rejected", "failed")
]

const tables = [...new Set(sources.map(({ table }) => table))]
const typesOf = (some: ReadonlyArray<Source>) => `(${some.map(({ type }) => `'${type}'`).join(", ")})`
const of = (table: string) => sources.filter((each) => each.table === table)

/**
 * A look-up by key. `offset 0` keeps the other conditions out of it: Postgres keeps the plan that it makes while a
 * table is small, and might go by an index of the owner's rows otherwise.
 */
const sourceIn = (table: string): string => {
  const cases = of(table).map(
    ({ amount, states, type }) => `when '${type}' then (${states}) and l.amount = coalesce(${amount}, 0)`
  )
  return `select from (select * from ${table} where ${of(table)[0]!.key} = l.reference_id offset 0) s
    where (s.merchant_id, s.mode, s.currency) = (l.merchant_id, l.mode, l.currency)
    and case l.type ${cases.join(" ")} end`
}

/** Whether the source has moved the same before. */
const moved = `select from (select id, type from ledger where reference_id = l.reference_id offset 0) e
  where e.type = l.type and e.id <> l.id`

const ownWallet = "concat_ws('/', l.merchant_id, l.mode, l.currency)"

const refuse = (condition: string) => `
  select l.type, l.amount, l.reference_id into stray from added l where ${condition} limit 1;
  if found then
    raise exception 'nothing that moves % by % as % is there, or it has moved it already',
      stray.reference_id, stray.amount, stray.type using errcode = 'check_violation';
  end if;`

/** A statement of its own for each table: a table that is locked holds up only the movements that come from it. */
const statements = [
  `create function refuse_movements_without_source() returns trigger language plpgsql as $$
    declare
      stray record;
      ${tables.map((table) => `has_${table} boolean;`).join(" ")}
    begin
      select ${tables.map((table) => `bool_or(type in ${typesOf(of(table))})`).join(", ")}
        into ${tables.map((table) => `has_${table}`).join(", ")} from added;
      ${refuse(`l.type not in ${typesOf(sources)} or l.wallet_id <> ${ownWallet}`)}
      ${tables
        .map((table) => {
          const condition = `not exists (${sourceIn(table)}) or exists (${moved})`
          return `if has_${table} then ${refuse(`l.type in ${typesOf(of(table))} and (${condition})`)} end if;`
        })
        .join("\n")}
      return null;
    end
  $$`,
  `create trigger ledger_has_sources after insert on ledger referencing new table as added
    for each statement execute function refuse_movements_without_source()`,
  // A wallet that could promise less than nothing could spend money that is not there. Rows that are there are not
  // looked at.
  `alter table wallets add constraint wallets_promised check (reserved >= 0) not valid`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))
})
