/**
 * The numbers that a batch brings, by owner. Lists may have shown a later one (`postgres/ListHorizon.ts`); the batch
 * looks, in its own statement, and sets that were overtaken are left out of it (docs/decisions/0050).
 */
import { bodyOf, type MerchantId, type Mode } from "@coffer/model/Ids"
import type { Owner } from "@coffer/model/Owner"
import { identity } from "effect"
import { memoize } from "../runtime/memoize.ts"
import { arrayLiteral } from "../postgres/arrayLiteral.ts"
import { type Change, type ChangeSet, keyOf } from "./Change.ts"
import { type TableName, tableNames, tableOf } from "./Table.ts"

/** Tables whose rows a list shows in the order of their keys, which are made when the rows are. */
const listed: ReadonlySet<TableName> = new Set([
  "payment_links",
  "orders",
  "refunds",
  "disputes",
  "payouts",
  "ledger",
  "events",
  "deliveries"
])

/** Where merchant and mode stand in the cells of a row. */
const placesOf = memoize(tableNames.length, identity<TableName>, (name) => {
  const indexOf = (field: string) => tableOf(name).columns.findIndex((column) => column.field === field)
  return { merchant: indexOf("merchantId"), mode: indexOf("mode") }
})

/** The same of a new row that lists show; undefined of all other changes. */
const placesIn = ({ op, table }: Change) => (op === "insert" && listed.has(table) ? placesOf(table) : undefined)

/** The number of a new row of this owner; undefined of all other changes. */
export const numberedBody = (change: Change, { merchantId, mode }: Owner): string | undefined => {
  const places = placesIn(change)
  if (places === undefined) return undefined
  const { cells } = change
  return cells[places.merchant] === merchantId && cells[places.mode] === mode ? bodyOf(keyOf(change)) : undefined
}

/** An owner, and the lowest number that a batch brings to it. */
export interface Numbered extends Owner {
  lowest: string
}

export const numberedIn = (sets: Iterable<{ readonly changes: ChangeSet }>): ReadonlyArray<Numbered> => {
  const owners = new Map<string, Numbered>()
  for (const { changes } of sets) {
    for (const change of changes) {
      const places = placesIn(change)
      if (places === undefined) continue
      const merchantId = change.cells[places.merchant] as MerchantId
      const mode = change.cells[places.mode] as Mode
      const body = bodyOf(keyOf(change))
      const known = owners.get(merchantId + mode)
      if (known === undefined) owners.set(merchantId + mode, { merchantId, mode, lowest: body })
      else if (body < known.lowest) known.lowest = body
    }
  }
  // In one order, so that two batches take the rows in the same one.
  return [...owners.values()].toSorted((a, b) => (a.merchantId + a.mode < b.merchantId + b.mode ? -1 : 1))
}

/** Parameters of {@link looking}. */
export const paramsOf = (owners: ReadonlyArray<Numbered>): ReadonlyArray<string> => [
  arrayLiteral(owners.map(({ merchantId }) => merchantId)),
  arrayLiteral(owners.map(({ mode }) => mode)),
  arrayLiteral(owners.map(({ lowest }) => lowest))
]

/**
 * Gives the transaction its number before a horizon is read. A list that has raised one waits for the transactions that
 * have a number by then. All others read what it has written.
 */
export const underWay = "(select pg_current_xact_id()) is not null"

/**
 * The horizons of a batch's owners. The lock shows whoever raises one that the batch has looked at it, and with the
 * lock comes the newest value, not that of the statement's snapshot. It holds up no other batch.
 */
export const looking = `select h.shown, n.lowest, n.place::int4 as place
  from unnest((select $1::text)::text[], $2::text::text[], $3::text::text[])
    with ordinality as n (merchant_id, mode, lowest, place), list_horizons as h
  where (h.merchant_id, h.mode) = (n.merchant_id, n.mode) and ${underWay} for key share of h`

/** What is told of an owner that was overtaken: its place among the owners, from 1, and how far lists were shown. */
export interface Overtaken {
  readonly place: number
  readonly shown: string
}
