/**
 * Notifications for people of a merchant. Triggers write a row in the transaction of the change that it is about, so
 * that no change is missed and none is counted twice (docs/decisions/0243). Rows have numbers of objects and no words.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `create table notifications (
      notification_id text primary key,
      merchant_id text not null,
      mode text not null,
      occasion text not null,
      object_id text not null,
      amount bigint,
      currency text,
      deadline timestamptz,
      attempts integer default 0 not null,
      due_at timestamptz,
      raised_at timestamptz
    )`,
  `create index notifications_due on notifications (due_at) where due_at is not null`,
  `create index notifications_raised on notifications (merchant_id, mode, raised_at, notification_id)
      where raised_at is not null`,
  `create index notifications_old on notifications (raised_at) where raised_at is not null`,
  `create table notification_mails (
      mail_id text primary key,
      notification_id text not null references notifications on delete cascade,
      belongs_to text not null,
      person_id text not null,
      status text not null check (status in ('due', 'counted', 'sending', 'held', 'in_digest', 'sent', 'unknown',
        'failed', 'dropped')),
      digest_id text,
      error text,
      attempts integer default 0 not null,
      due_at timestamptz,
      created_at timestamptz not null,
      unique (notification_id, person_id),
      foreign key (belongs_to, person_id) references memberships (belongs_to, person_id) on delete cascade
    )`,
  `create index notification_mails_due on notification_mails (due_at) where due_at is not null`,
  `create index notification_mails_of on notification_mails (belongs_to, person_id, status)`,
  `create index notification_mails_digest on notification_mails (digest_id) where digest_id is not null`,
  `create table notification_reads (
      notification_id text not null references notifications on delete cascade,
      belongs_to text not null,
      person_id text not null,
      read_at timestamptz not null,
      primary key (belongs_to, person_id, notification_id),
      foreign key (belongs_to, person_id) references memberships (belongs_to, person_id) on delete cascade
    )`,
  `create index notification_reads_of on notification_reads (notification_id)`,
  `create table notification_settings (
      belongs_to text not null,
      person_id text not null,
      language text not null,
      switches jsonb not null,
      updated_at timestamptz not null,
      primary key (belongs_to, person_id),
      foreign key (belongs_to, person_id) references memberships (belongs_to, person_id) on delete cascade
    )`
]

const functionsAndTriggers = [
  // The number follows from the object and the occasion, so that a second row of the same cannot exist. `round` tells
  // what may happen to one object several times apart. A deadline that moves, moves its notification, until it is out.
  `create function add_notification(of_merchant text, in_mode text, the_occasion text, the_object text, round text,
      the_amount bigint, the_currency text, the_deadline timestamptz, at timestamptz) returns void
    language sql as $$
    insert into notifications (notification_id, merchant_id, mode, occasion, object_id, amount, currency, deadline,
        due_at)
      values ('ntf_' || substr(encode(sha256(convert_to(concat_ws('|', of_merchant, in_mode, the_occasion, the_object,
          round), 'UTF8')), 'hex'), 1, 26),
        of_merchant, in_mode, the_occasion, the_object, the_amount, the_currency, the_deadline, at)
      on conflict (notification_id) do update set due_at = excluded.due_at, deadline = excluded.deadline
        where notifications.raised_at is null and notifications.deadline is distinct from excluded.deadline
  $$`,
  `create function notify_of_dispute() returns trigger language plpgsql as $$ declare days integer; begin
    if tg_op = 'INSERT' then
      perform add_notification(new.merchant_id, new.mode, 'dispute_opened', new.dispute_no, '', new.amount,
        new.currency, new.evidence_due_by, new.updated_at);
    elsif new.status in ('won', 'lost') and new.status <> old.status then
      perform add_notification(new.merchant_id, new.mode, 'dispute_' || new.status, new.dispute_no, '', new.amount,
        new.currency, null, new.updated_at);
    end if;
    if new.status = 'needs_response' and new.response is null and (tg_op = 'INSERT'
        or new.evidence_due_by is distinct from old.evidence_due_by or new.stage <> old.stage) then
      foreach days in array array[3, 1] loop
        if new.evidence_due_by - make_interval(days => days) > new.updated_at then
          perform add_notification(new.merchant_id, new.mode,
            'dispute_due_in_' || days || case days when 1 then '_day' else '_days' end, new.dispute_no, new.stage,
            new.amount, new.currency, new.evidence_due_by, new.evidence_due_by - make_interval(days => days));
        end if;
      end loop;
    end if;
    return null;
  end $$`,
  `create trigger disputes_are_notified after insert or update on disputes for each row execute function
      notify_of_dispute()`,
  `create function notify_of_payout() returns trigger language plpgsql as $$ begin
    perform add_notification(new.merchant_id, new.mode,
      case new.status when 'succeeded' then 'payout_paid' else 'payout_failed' end, new.payout_no, '', new.amount,
      new.currency, null, new.updated_at);
    return null;
  end $$`,
  `create trigger payouts_are_notified after update on payouts for each row
      when (new.status <> old.status and new.status in ('succeeded', 'rejected', 'failed'))
      execute function notify_of_payout()`,
  `create function notify_of_unmatched() returns trigger language plpgsql as $$ begin
    perform add_notification(new.merchant_id, new.mode, 'payment_unmatched', new.trade_no, payment ->> 'paymentId',
        (payment ->> 'amount')::bigint, payment ->> 'currency', null,
        coalesce((payment ->> 'paidAt')::timestamptz, new.created_at))
      from jsonb_array_elements(new.unapplied_payments) as payment
      where payment ->> 'state' = 'parked';
    return null;
  end $$`,
  `create trigger unmatched_payments_are_notified after update on orders for each row
      when (new.unapplied_payments is distinct from old.unapplied_payments)
      execute function notify_of_unmatched()`,
  `create function notify_of_endpoint() returns trigger language plpgsql as $$ begin
    perform add_notification(new.merchant_id, new.mode, 'endpoint_failing', new.endpoint_id, new.told_at::text, null,
      null, null, new.told_at);
    return null;
  end $$`,
  `create trigger failing_endpoints_are_notified after update on endpoint_health for each row
      when (new.is_told and not old.is_told) execute function notify_of_endpoint()`,
  `create function notify_of_leak() returns trigger language plpgsql as $$ begin
    if tg_op = 'INSERT' or new.reported_at <> old.reported_at then
      perform add_notification(new.merchant_id, new.mode, 'key_leaked', coalesce(new.key_id, 'main'), new.id, null,
        null, null, new.reported_at);
    end if;
    return null;
  end $$`,
  `create trigger leaked_keys_are_notified after insert or update on key_leaks for each row execute function
      notify_of_leak()`,
  `create function notify_of_person() returns trigger language plpgsql as $$ begin
    perform add_notification(new.belongs_to, each_mode, 'person_joined', new.person_id, new.created_at::text, null,
      null, null, new.created_at) from unnest(array['live', 'sandbox']) as each_mode;
    return null;
  end $$`,
  `create trigger new_people_are_notified after insert on memberships for each row
      when (new.belongs_to <> 'installation') execute function notify_of_person()`
]

/** Disputes that wait when the service is upgraded. What is due no longer is dropped when it would be raised. */
const deadlines = `select add_notification(merchant_id, mode, 'dispute_due_in_' || case days when 1 then '1_day'
      else days || '_days' end, dispute_no, stage, amount, currency, evidence_due_by,
      evidence_due_by - make_interval(days => days))
    from disputes cross join unnest(array[3, 1]) as days
    where status = 'needs_response' and response is null and evidence_due_by is not null`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = [...tables, ...functionsAndTriggers, deadlines]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
