/** Tenants, keys, operators and people: who may do what. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `create table merchants (
      merchant_id text primary key,
      name text not null,
      approved boolean default false not null,
      live_currencies text[] default '{}'::text[] not null,
      fees jsonb default '[]'::jsonb not null,
      created_at timestamptz not null,
      quotas jsonb default '{}'::jsonb not null,
      dispute_fee jsonb default '{}'::jsonb not null,
      payout_fee jsonb default '{}'::jsonb not null,
      logo text,
      support_email text,
      support_url text,
      suspended_at timestamptz,
      note text,
      contact_email text,
      time_zone text default 'UTC' not null,
      closed_at timestamptz,
      terms_url text,
      privacy_url text,
      accent_color text
    )`,
  `create table merchant_modes (
      merchant_id text not null references merchants,
      mode text not null check (mode in ('sandbox', 'live')),
      key_hash text not null unique,
      ip_allowlist text default '' not null,
      default_notify_url text,
      default_endpoint jsonb,
      payment_methods text[] check (cardinality(payment_methods) > 0),
      mail_recipients text[] default '{}'::text[] not null,
      channel_accounts jsonb default '{}'::jsonb not null,
      primary key (merchant_id, mode)
    )`,
  `create index merchant_modes_accounts on merchant_modes (merchant_id, mode) where channel_accounts <> '{}'::jsonb`,
  `create table webhook_settings (
      id text primary key,
      version integer not null,
      merchant_id text not null,
      mode text not null,
      signing jsonb not null,
      endpoints jsonb not null,
      unique (merchant_id, mode),
      foreign key (merchant_id, mode) references merchant_modes(merchant_id, mode)
    )`,
  `create table api_keys (
      key_id text primary key,
      merchant_id text not null references merchants,
      mode text not null,
      name text not null,
      scopes text[] not null,
      ip_allowlist text not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      rolled_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz,
      last_used_ip text,
      created_by text,
      rolled_by text
    )`,
  `create unique index api_keys_listed on api_keys (merchant_id, mode, key_id)`,
  `create table api_key_secrets (
      key_hash text primary key,
      key_id text not null references api_keys,
      ends_at timestamptz
    )`,
  `create index api_key_secrets_of_key on api_key_secrets (key_id)`,
  `create table ended_keys (
      key_hash text primary key
    )`,
  `create table key_leaks (
      key_hash text primary key,
      id text not null,
      merchant_id text not null references merchants,
      mode text not null,
      key_id text,
      reported_at timestamptz not null,
      status text not null,
      attempts integer default 0 not null,
      due_at timestamptz,
      error text
    )`,
  `create index key_leaks_due on key_leaks (due_at) where due_at is not null`,
  `create table shop_domains (
      merchant_id text primary key references merchants,
      host text not null,
      token text not null,
      pending_since timestamptz not null,
      checked_at timestamptz,
      verified_at timestamptz,
      unproven_since timestamptz,
      problem text,
      next_check_at timestamptz,
      mail text,
      mail_of timestamptz,
      mail_at timestamptz
    )`,
  `create index shop_domains_due on shop_domains (next_check_at) where next_check_at is not null`,
  `create index shop_domains_mails on shop_domains (mail_at) where mail_at is not null`,
  `create unique index shop_domains_verified on shop_domains (host) where verified_at is not null`,
  `create table operators (
      operator_id text primary key,
      name text not null,
      role text not null check (role in ('viewer', 'support', 'finance', 'admin')),
      token_hash text not null unique,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      revoked_at timestamptz,
      person_ids text[] default '{}'::text[] not null
    )`,
  `create table first_admin (
      one boolean default true primary key check (one)
    )`,
  `create table approvals (
      act text not null,
      target text not null,
      content_hash text not null,
      operator_id text not null,
      operator text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      content jsonb default '{}'::jsonb not null,
      primary key (act, target, content_hash)
    )`,
  `create table approvals_done (
      act text not null,
      target text not null,
      content_hash text not null,
      done_at timestamptz not null,
      primary key (act, target, content_hash)
    )`,
  `create table people (
      person_id text primary key,
      email text not null unique,
      name text not null,
      created_at timestamptz not null,
      last_seen_at timestamptz
    )`,
  `create table memberships (
      person_id text not null references people on delete cascade,
      belongs_to text not null,
      role text not null,
      created_at timestamptz not null,
      sessions_after timestamptz,
      constraint memberships_check check ( case when (belongs_to = 'installation') then (role in ('viewer',
        'support', 'finance', 'admin')) else (role in ('owner', 'developer', 'support', 'finance', 'viewer')) end),
      primary key (belongs_to, person_id)
    )`,
  `create index memberships_of_person on memberships (person_id)`,
  `create table invitations (
      invitation_id text primary key,
      belongs_to text not null,
      email text not null,
      name text,
      role text not null,
      invited_by text,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      constraint invitations_check check ( case when (belongs_to = 'installation') then (role in ('viewer',
        'support', 'finance', 'admin')) else (role in ('owner', 'developer', 'support', 'finance', 'viewer')) end),
      unique (belongs_to, email)
    )`,
  `create index invitations_expiry on invitations (expires_at)`,
  `create index invitations_of_address on invitations (email)`,
  `create table sign_in_links (
      token_hash text primary key,
      person_id text not null references people on delete cascade,
      browser_hash text,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      asker_hash text,
      shared_at text
    )`,
  `create index sign_in_links_expiry on sign_in_links (expires_at)`,
  `create index sign_in_links_of_person on sign_in_links (person_id, created_at)`,
  `create table sharing_browsers (
      token_hash text not null references sign_in_links on delete cascade,
      browser_hash text not null,
      primary key (token_hash, browser_hash)
    )`,
  `create table known_browsers (
      person_id text not null references people on delete cascade,
      browser_hash text not null,
      seen_at timestamptz not null,
      primary key (person_id, browser_hash)
    )`,
  `create table person_sessions (
      session_id text primary key,
      token_hash text not null unique,
      person_id text not null references people on delete cascade,
      way text not null check (way in ('link', 'passkey', 'openid')),
      ip text not null,
      user_agent text not null,
      created_at timestamptz not null,
      last_seen_at timestamptz not null,
      expires_at timestamptz not null,
      passkey_id text,
      is_strong boolean default false not null
    )`,
  `create index person_sessions_expiry on person_sessions (expires_at)`,
  `create index person_sessions_of on person_sessions (person_id, session_id)`,
  `create table passkeys (
      passkey_id text primary key,
      person_id text not null references people on delete cascade,
      credential_id text not null unique,
      public_key text not null,
      counter bigint not null,
      transports text not null,
      name text not null,
      is_synced boolean not null,
      created_at timestamptz not null,
      last_used_at timestamptz
    )`,
  `create index passkeys_of_person on passkeys (person_id, passkey_id)`,
  `create table openid_identities (
      issuer text not null,
      subject text not null,
      person_id text not null references people on delete cascade,
      created_at timestamptz not null,
      unique (person_id, issuer),
      primary key (issuer, subject)
    )`,
  `create table used_challenges (
      hash text primary key,
      expires_at timestamptz not null
    )`,
  `create index used_challenges_expiry on used_challenges (expires_at)`,
  `create table saved_views (
      view_id text primary key,
      belongs_to text not null,
      person_id text not null,
      page text not null,
      name text not null,
      query text not null,
      is_shared boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      foreign key (belongs_to, person_id) references memberships(belongs_to, person_id) on delete cascade
    )`,
  `create index saved_views_of on saved_views (belongs_to, person_id, view_id)`,
  `create index saved_views_shared on saved_views (belongs_to, view_id) where is_shared`
]

const functionsAndTriggers = [
  `create function tell_of_merchant() returns trigger language plpgsql as $$ begin
    perform pg_notify('coffer_merchants', new.merchant_id);
    return null;
  end $$`,
  `create trigger webhook_settings_are_told after update on webhook_settings for each row execute function
      tell_of_merchant()`,
  `create view people_and_invited as
 select p.person_id,
    p.email,
    p.name,
    p.created_at,
    p.last_seen_at,
    null::text as invited_to,
    null::text as invited_as
   from people p
  where ((exists ( select
           from memberships m
          where (m.person_id = p.person_id))) OR (not (exists ( select
           from invitations i
          where (i.invitation_id = p.person_id)))))
union all
 select i.invitation_id as person_id,
    i.email,
    coalesce(i.name, i.email) as name,
    i.created_at,
    null::timestamptz as last_seen_at,
    i.belongs_to as invited_to,
    i.role as invited_as
   from invitations i
  where (not (exists ( select
           from memberships m
          where (m.person_id = i.invitation_id))))`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = [...tables, ...functionsAndTriggers]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
