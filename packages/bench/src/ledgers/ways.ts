/**
 * The three usual ways to implement a ledger, as plain SQL without an API: a lock on each
 * account's row, one statement that does it all, and one statement for many transfers. All write the same rows: a
 * transfer, an entry on each of its two accounts with the balance after it, and both balances.
 */
import type pg from "pg"

export type Way = "row-lock" | "function" | "batched"
export const ways: ReadonlyArray<Way> = ["row-lock", "function", "batched"]

export interface Transfer {
  readonly from: number
  readonly to: number
  readonly amount: number
}

/** Resolves when the transfer is committed. */
export type Post = (transfer: Transfer) => Promise<void>

/** The tables, with so many accounts. */
export const schema = (accounts: number): ReadonlyArray<string> => [
  "create table accounts (id int4 primary key, balance int8 not null, updated_at timestamptz not null)",
  `create table transfers (id int8 generated always as identity primary key, from_account int4 not null,
    to_account int4 not null, amount int8 not null check (amount > 0), created_at timestamptz not null)`,
  `create table entries (id int8 generated always as identity primary key, transfer_id int8 not null,
    account_id int4 not null, amount int8 not null, balance_after int8 not null, created_at timestamptz not null)`,
  "create index on entries (account_id, id)",
  "create index on entries (transfer_id)",
  `insert into accounts select id, 0, now() from generate_series(1, ${accounts}) as id`,
  // Both accounts are locked in the order of their numbers, so that transfers cannot deadlock.
  `create function transfer(source int4, target int4, moved int8) returns int8 language plpgsql as $$
    declare
      source_balance int8;
      target_balance int8;
      made int8;
    begin
      perform from accounts where id in (source, target) order by id for no key update;
      update accounts set balance = balance - moved, updated_at = now() where id = source
        returning balance into source_balance;
      update accounts set balance = balance + moved, updated_at = now() where id = target
        returning balance into target_balance;
      insert into transfers (from_account, to_account, amount, created_at) values (source, target, moved, now())
        returning id into made;
      insert into entries (transfer_id, account_id, amount, balance_after, created_at)
        values (made, source, -moved, source_balance, now()), (made, target, moved, target_balance, now());
      return made;
    end $$`
]

const statements = {
  lock: "select id, balance from accounts where id = any($1::int4[]) order by id for update",
  transfer: `insert into transfers (from_account, to_account, amount, created_at) values ($1, $2, $3, now())
    returning id`,
  entries: `insert into entries (transfer_id, account_id, amount, balance_after, created_at)
    values ($1, $2, $3, $4, now()), ($1, $5, $6, $7, now())`,
  balance: "update accounts set balance = $2, updated_at = now() where id = $1",
  call: "select transfer($1, $2, $3)",
  batch: `with asked as (
      select place, source, target, moved from unnest($1::int4[], $2::int4[], $3::int8[])
        with ordinality as row (source, target, moved, place)),
    locked as materialized (
      select id, balance from accounts where id in (select source from asked union select target from asked)
        order by id for no key update),
    made as (
      insert into transfers (from_account, to_account, amount, created_at)
      select source, target, moved, now() from asked order by place returning id, from_account, to_account, amount),
    sides as (
      select id as transfer_id, from_account as account_id, -amount as amount from made
      union all select id, to_account, amount from made),
    written as (
      insert into entries (transfer_id, account_id, amount, balance_after, created_at)
      select transfer_id, account_id, amount, balance + sum(amount) over (partition by account_id order by transfer_id),
        now() from sides join locked on locked.id = account_id order by transfer_id, account_id
      returning account_id, amount)
    update accounts a set balance = a.balance + change.sum, updated_at = now()
      from (select account_id, sum(amount) as sum from written group by account_id) as change
      where a.id = change.account_id`
} as const

const run = (client: pg.Pool | pg.PoolClient, name: keyof typeof statements, values: Array<unknown>) =>
  client.query({ name, text: statements[name], values })

export const postBy = (way: Way, pool: pg.Pool): Post => {
  switch (way) {
    case "row-lock":
      return (transfer) => byRowLock(pool, transfer)
    case "function":
      return async ({ amount, from, to }) => void (await run(pool, "call", [from, to, amount]))
    case "batched":
      return batched(pool)
  }
}

const byRowLock = async (pool: pg.Pool, { amount, from, to }: Transfer) => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const { rows } = await run(client, "lock", [[from, to]])
    const balanceOf = (account: number) => Number(rows.find(({ id }) => id === account).balance)
    const [source, target] = [balanceOf(from) - amount, balanceOf(to) + amount]
    const made = await run(client, "transfer", [from, to, amount])
    await run(client, "entries", [made.rows[0].id, from, -amount, source, to, amount, target])
    await run(client, "balance", [from, source])
    await run(client, "balance", [to, target])
    await client.query("commit")
  } catch (cause) {
    await client.query("rollback")
    throw cause
  } finally {
    client.release()
  }
}

const batchMax = 256

/** One statement at a time, with all transfers that arrived during the previous one. */
const batched = (pool: pg.Pool): Post => {
  let waiting: Array<readonly [Transfer, resolve: () => void, reject: (cause: unknown) => void]> = []
  let isBusy = false

  const drain = async () => {
    isBusy = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax)
      waiting = waiting.slice(batchMax)
      const column = (of: keyof Transfer) => batch.map(([transfer]) => transfer[of])
      try {
        await run(pool, "batch", [column("from"), column("to"), column("amount")])
        for (const [, resolve] of batch) resolve()
      } catch (cause) {
        for (const [, , reject] of batch) reject(cause)
      }
    }
    isBusy = false
  }

  return (transfer) =>
    new Promise((resolve, reject) => {
      waiting.push([transfer, resolve, reject])
      // After this turn, so that concurrent transfers share a statement.
      if (!isBusy) setImmediate(() => !isBusy && void drain())
    })
}

/** Rows that violate the books, by rule. */
export const checks: Readonly<Record<string, string>> = {
  "accounts that are not the sum of their entries": `
    select a.id from accounts a left join (select account_id, sum(amount) as sum from entries group by 1) e
      on e.account_id = a.id where a.balance <> coalesce(e.sum, 0)`,
  "transfers without two entries that cancel out": `
    select t.id from transfers t left join (select transfer_id, count(*) as count, sum(amount) as sum,
      max(amount) as moved from entries group by 1) e on e.transfer_id = t.id
    where e.count is distinct from 2 or e.sum <> 0 or e.moved <> t.amount`,
  "entries that do not continue the balance before them": `
    select id from (select id, balance_after, sum(amount) over (partition by account_id order by id) as sum
      from entries) as e where balance_after <> sum`
}
