/**
 * No movement without a source: a row of the ledger names an object that justifies its type and amount, once. One query
 * says which tables the movements of a statement come from, and one more looks into each of these.
 * Every table, function and operator is named with its schema, so the function needs no path of its own, which Postgres
 * would set and take back for each statement.
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

const is = "operator(pg_catalog.=)"
const isNot = "operator(pg_catalog.<>)"
const minus = "operator(pg_catalog.-)"
const isIn = (names: ReadonlyArray<string>) =>
  `${is} any (array[${names.map((name) => `'${name}'`).join(", ")}]::pg_catalog.text[])`

const source =
  (table: string, key: string) =>
  (type: string, amount: string, ...states: ReadonlyArray<string>) => ({
    type,
    table,
    key,
    amount,
    states: states.length === 0 ? "true" : `s.status ${isIn(states)}`
  })
const order = (type: string, amount: string): Source => ({
  ...source("orders", "trade_no")(type, amount),
  states: "s.paid_at is not null"
})
const refund = source("refunds", "refund_no")
const dispute = source("disputes", "dispute_no")
const payout = source("payouts", "payout_no")

const sources: ReadonlyArray<Source> = [
  order("payment_credit", "s.amount"),
  order("fee_debit", `${minus} s.fee`),
  refund("refund_freeze", `${minus} s.amount`, "pending", "succeeded", "failed"),
  refund("refund_debit", `${minus} s.amount`, "succeeded", "failed"),
  refund("refund_unfreeze", "s.amount", "failed"),
  dispute("dispute_freeze", `${minus} s.amount`),
  dispute("dispute_debit", `${minus} s.amount`, "lost", "won"),
  dispute("dispute_fee", `${minus} s.fee`, "lost", "won"),
  dispute("dispute_unfreeze", "s.amount", "won", "closed"),
  payout("payout_freeze", `${minus} s.amount`),
  payout("payout_success", `${minus} s.amount`, "succeeded"),
  payout("payout_fee", `${minus} s.fee`, "succeeded"),
  payout("payout_unfreeze", "s.amount", "rejected", "failed")
]

const tables = [...new Set(sources.map(({ table }) => table))]
const of = (table: string) => sources.filter((each) => each.table === table)
const anyOf = (condition: string) => `pg_catalog.bool_or(${condition})`
const isOf = (some: ReadonlyArray<Source>) => `l.type ${isIn(some.map(({ type }) => type))}`

/**
 * A look-up by key. `offset 0` keeps the other conditions out of it: Postgres keeps the plan that it makes while a
 * table is small, and might go by an index of the owner's rows otherwise.
 */
const sourceIn = (schema: string, table: string): string => {
  const cases = of(table).map(
    ({ amount, states, type }) =>
      `when l.type ${is} '${type}' then (${states}) and l.amount ${is} coalesce(${amount}, 0)`
  )
  return `select from (select * from ${schema}.${table} t where t.${of(table)[0]!.key} ${is} l.reference_id offset 0) s
    where s.merchant_id ${is} l.merchant_id and s.mode ${is} l.mode and s.currency ${is} l.currency
      and case ${cases.join(" ")} end`
}

/** Whether the source has moved the same before. */
const movedIn = (schema: string) => `
  select from (select id, type from ${schema}.ledger t where t.reference_id ${is} l.reference_id offset 0) e
  where e.type ${is} l.type and e.id ${isNot} l.id`

const isUnfounded = `(not ${isOf(sources)} or l.wallet_id ${isNot}
  pg_catalog.concat_ws('/', l.merchant_id, l.mode, l.currency))`

const refuse = (condition: string) => `
  select l.type, l.amount, l.reference_id into refused from added l where ${condition} limit 1;
  if found then
    raise exception 'nothing that moves % by % as % is there, or it has moved it already',
      refused.reference_id, refused.amount, refused.type using errcode = 'check_violation';
  end if;`

/** A query of its own for each table: a table that is locked holds up only the movements that come from it. */
const look = (schema: string) => `
  create function refuse_movements_without_source() returns trigger language plpgsql as $$
    declare
      refused record;
      has_unfounded boolean;
      ${tables.map((table) => `has_${table} boolean;`).join(" ")}
    begin
      select ${[isUnfounded, ...tables.map((table) => isOf(of(table)))].map(anyOf).join(", ")}
        into has_unfounded, ${tables.map((table) => `has_${table}`).join(", ")} from added l;
      if has_unfounded then ${refuse(isUnfounded)} end if;
      ${tables
        .map((table) => {
          const condition = `not exists (${sourceIn(schema, table)}) or exists (${movedIn(schema)})`
          return `if has_${table} then ${refuse(`${isOf(of(table))} and (${condition})`)} end if;`
        })
        .join("\n")}
      return null;
    end
  $$`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly schema: string }>`select quote_ident(current_schema()) as schema`
  yield* sql.unsafe(look(row!.schema))
  yield* sql`create trigger ledger_has_sources after insert on ledger referencing new table as added
    for each statement execute function refuse_movements_without_source()`
})
