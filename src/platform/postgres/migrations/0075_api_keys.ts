/**
 * Keys with scopes, beside the main key of each environment (docs/decisions/0090). A key has several secrets while one
 * overlaps the next: `ends_at` is when a secret ends, null for the newest. Rows of ended keys stay, so that a program
 * which goes on with one is known to be no guesser.
 *
 * `key_leaks`: secrets that were found in public, and the mail about each. `due_at`: when the mail has to be sent; null
 * when that is over. `key_id`: null for a main key.
 *
 * `merchants.contact_email`: who at the merchant is told about its keys. `api_logs.key_id`: the key that called; null
 * for the main key.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table api_keys (
    key_id text primary key,
    merchant_id text not null references merchants (merchant_id),
    mode text not null,
    name text not null,
    scopes text[] not null,
    ip_allowlist text not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    rolled_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    last_used_ip text
  )`
  yield* sql`create unique index api_keys_listed on api_keys (merchant_id, mode, key_id)`
  yield* sql`create table api_key_secrets (
    key_hash text primary key,
    key_id text not null references api_keys (key_id),
    ends_at timestamptz
  )`
  yield* sql`create index api_key_secrets_of_key on api_key_secrets (key_id)`
  yield* sql`create table key_leaks (
    key_hash text primary key,
    id text not null,
    merchant_id text not null references merchants (merchant_id),
    mode text not null,
    key_id text,
    reported_at timestamptz not null,
    status text not null,
    attempts integer not null default 0,
    due_at timestamptz,
    error text
  )`
  yield* sql`create index key_leaks_due on key_leaks (due_at) where due_at is not null`
  yield* sql`alter table merchants add column contact_email text`
  yield* sql`alter table api_logs add column key_id text`
})
