/**
 * The new numbers of a batch, by account. Lists may have shown a later one (`postgres/ListHorizon.ts`): the batch
 * checks that in its own statement, and overtaken sets are left out (docs/decisions/0050).
 */
import { bodyOf, type MerchantId, type Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { arrayLiteral } from "../postgres/arrayLiteral.ts"
import { type Change, type ChangeSet, keyOf } from "./Change.ts"
import { tableOf } from "./Table.ts"

/** The indices of merchant and mode in a new row that lists show; undefined for all other changes. */
const placesIn = ({ op, table }: Change) => {
  const { account, listed } = tableOf(table)
  return op === "insert" && listed ? account : undefined
}

/** The number of a new row of this account; undefined for all other changes. */
export const numberedBody = (change: Change, { merchantId, mode }: Account): string | undefined => {
  const places = placesIn(change)
  if (places === undefined) return undefined
  const { cells } = change
  return cells[places.merchant] === merchantId && cells[places.mode] === mode ? bodyOf(keyOf(change)) : undefined
}

/** Whether lists show one of these rows by its number. */
export const bringsNumbers = (changes: ChangeSet): boolean => changes.some((change) => placesIn(change) !== undefined)

/** An account, and the lowest new number that a batch has for it. */
export interface Numbered extends Account {
  lowest: string
}

export const numberedIn = (sets: Iterable<{ readonly changes: ChangeSet }>): ReadonlyArray<Numbered> => {
  const accounts: Record<Mode, Map<string, Numbered>> = { live: new Map(), sandbox: new Map() }
  for (const { changes } of sets) {
    for (const change of changes) {
      const places = placesIn(change)
      if (places === undefined) continue
      const merchantId = change.cells[places.merchant] as MerchantId
      const mode = change.cells[places.mode] as Mode
      const body = bodyOf(keyOf(change))
      const known = accounts[mode].get(merchantId)
      if (known === undefined) accounts[mode].set(merchantId, { merchantId, mode, lowest: body })
      else if (body < known.lowest) known.lowest = body
    }
  }
  // Sorted, so that two batches lock the rows in the same order.
  return [...accounts.live.values(), ...accounts.sandbox.values()].toSorted((a, b) =>
    a.merchantId === b.merchantId ? (a.mode < b.mode ? -1 : 1) : a.merchantId < b.merchantId ? -1 : 1
  )
}

/** Parameters of {@link readHorizons}. */
export const paramsOf = (accounts: ReadonlyArray<Numbered>): ReadonlyArray<string> => [
  arrayLiteral(accounts.map(({ merchantId }) => merchantId)),
  arrayLiteral(accounts.map(({ mode }) => mode)),
  arrayLiteral(accounts.map(({ lowest }) => lowest))
]

/** Parameters of {@link readHorizon}. */
export const paramsOfOne = ({ lowest, merchantId, mode }: Numbered): ReadonlyArray<string> => [merchantId, mode, lowest]

/**
 * Makes Postgres assign the transaction its number before a horizon is locked, also where an account has no horizon
 * yet. A list that has raised a horizon waits for the transactions that have a number by then; all others read the
 * raised horizon.
 */
export const hasTransactionId = "(select pg_current_xact_id()) is not null"

/**
 * A `limit null` that the planner cannot see through: it then plans for one row and not for ten. For ten it would scan
 * a table of some hundred rows instead of using the key's index, and would keep that plan while the table grows
 * (docs/decisions/0010).
 */
export const limitHiddenFromPlanner = "limit (select null::int8)"

/**
 * The horizons of a batch's accounts. The lock tells a list, when it raises a horizon, that this batch has read it;
 * other batches take the same lock at the same time. The horizon is read once the lock is held, and not as of the
 * beginning of the statement, which may have waited for a row since (docs/decisions/0050).
 */
const read = (numbered: string) => `with locked as materialized (
    select h.merchant_id, h.mode, n.lowest, n.place::int4 as place
    from (${numbered}) as n (merchant_id, mode, lowest, place), list_horizons as h
    where (h.merchant_id, h.mode) = (n.merchant_id, n.mode) and ${hasTransactionId} for key share of h)
  select (horizon_now(merchant_id, mode)).shown, lowest, place from locked`

export const readHorizons = read(`select * from unnest((select $1::text)::text[], $2::text::text[], $3::text::text[])
      with ordinality ${limitHiddenFromPlanner}`)
export const readHorizon = read("select $1::text, $2::text, $3::text, 1")

/** Waits for the batches that have read the horizons of these accounts. */
export const lockHorizons = `select from list_horizons
  where (merchant_id, mode) in (select * from unnest($1::text::text[], $2::text::text[])) for update`

/** An overtaken account: its place among the accounts, from 1, and its horizon. */
export interface Overtaken {
  readonly place: number
  readonly shown: string
}
