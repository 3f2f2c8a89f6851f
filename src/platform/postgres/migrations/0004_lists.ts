/**
 * The indexes that lists scan. They hold the rows that a filter lets through in the order of their ids, so that a page
 * reads as many rows as it shows, however many the merchant has. All columns ascend, as `Pages.ts` needs it: a range of
 * rows is a range of an index only where all its columns run the same way.
 *
 * `order_tags` is such an index for metadata, kept by triggers: a tag stands for one pair of one merchant and mode, and
 * lists its orders by number. A GIN index on the metadata would find all orders with a pair, of all merchants, in no
 * order: a common pair would be read to the end for each page. Tags are hashes; a look-up compares the metadata itself
 * as well.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `drop index orders_newest, ledger_newest, events_newest, events_object`,
  `create index orders_newest on orders (merchant_id, mode, trade_no)`,
  `create index orders_status on orders (merchant_id, mode, status, trade_no)`,

  `create function order_tag(merchant_id text, mode text, key text, value text) returns bigint
    language sql immutable parallel safe
    return hashtextextended(key || chr(31) || value, hashtextextended(merchant_id || chr(31) || mode, 0))`,
  `create table order_tags (tag bigint not null, trade_no text not null, primary key (tag, trade_no))`,
  `insert into order_tags select distinct order_tag(o.merchant_id, o.mode, pair.key, pair.value), o.trade_no
    from orders o, jsonb_each_text(o.metadata) as pair`,
  // One statement for a whole batch of the Transactor.
  `create function tag_new_orders() returns trigger language plpgsql as $$ begin
    insert into order_tags select order_tag(o.merchant_id, o.mode, pair.key, pair.value), o.trade_no
      from added o, jsonb_each_text(o.metadata) as pair where o.metadata <> '{}' on conflict do nothing;
    return null;
  end $$`,
  `create trigger orders_are_tagged after insert on orders referencing new table as added
    for each statement execute function tag_new_orders()`,
  `create function tag_order_again() returns trigger language plpgsql as $$ begin
    delete from order_tags using jsonb_each_text(old.metadata) as pair
      where tag = order_tag(old.merchant_id, old.mode, pair.key, pair.value) and trade_no = old.trade_no;
    insert into order_tags select order_tag(new.merchant_id, new.mode, pair.key, pair.value), new.trade_no
      from jsonb_each_text(new.metadata) as pair on conflict do nothing;
    return null;
  end $$`,
  // Payments and deadlines leave the metadata alone, and cost nothing here.
  `create trigger orders_are_tagged_again after update on orders for each row
    when (old.metadata is distinct from new.metadata) execute function tag_order_again()`,

  `create index ledger_newest on ledger (merchant_id, mode, id)`,
  `create index ledger_currency on ledger (merchant_id, mode, currency, id)`,
  `create index ledger_type on ledger (merchant_id, mode, currency, type, id)`,
  `create index ledger_reference on ledger (merchant_id, mode, reference_id, id)`,

  `create index events_newest on events (merchant_id, mode, id)`,
  `create index events_type on events (merchant_id, mode, type, id)`,
  `create index events_object on events (merchant_id, mode, object_id, id)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
