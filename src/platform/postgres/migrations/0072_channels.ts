/**
 * Which channel has a payment, a refund, a dispute and an unapplied payment stands in a column (docs/decisions/0078).
 * Before, it was read off the numbers: Stripe's payments begin with `pi_`, and disputes of the sandbox's bank are
 * numbered as we number things. `stray_*` are called `unapplied_*`.
 *
 * Tables may be large. A column that is added with a default needs no rewrite, so the channel that has most payments is
 * the default, which is dropped at once, and only rows of the other are written. An order without a payment has that
 * value too: a channel without a `payment_id` says nothing.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table orders rename column stray_payments to unapplied_payments`,
  `alter table orders rename column stray_due_at to unapplied_due_at`,
  `alter table orders rename column stray_attempts to unapplied_attempts`,
  `alter table orders rename column stray_error to unapplied_error`,
  `alter index orders_stray_due rename to orders_unapplied_due`,

  `do $$
    declare
      filled text;
      most text;
    begin
      foreach filled in array array['orders', 'refunds'] loop
        execute format('select case when count(*) filter (where payment_id like ''pi\\_%%'') * 2 > count(payment_id)
          then ''stripe'' else ''sandbox'' end from %I', filled) into most;
        execute format('alter table %I add column channel text default %L', filled, most);
        execute format('alter table %I alter column channel drop default', filled);
        execute format('update %I set channel = %L where payment_id %s like ''pi\\_%%''', filled,
          case most when 'stripe' then 'sandbox' else 'stripe' end, case most when 'stripe' then 'not' else '' end);
      end loop;
    end $$`,
  `alter table refunds alter column channel set not null`,

  `update orders set unapplied_payments = (
      select jsonb_agg(p || jsonb_build_object('channel',
        case when p ->> 'paymentId' like 'pi\\_%' then 'stripe' else 'sandbox' end) order by place)
      from jsonb_array_elements(unapplied_payments) with ordinality as listed (p, place))
    where unapplied_payments <> '[]'`,

  `alter table disputes add column channel text`,
  `update disputes set channel = case when processor_dispute_id ~ '^dp_[0-9A-HJKMNP-TV-Z]{26}$' then 'sandbox'
    else 'stripe' end`,
  `alter table disputes alter column channel set not null`,

  `drop index if exists orders_stripe_payment`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
