/**
 * A wallet's statement from the rows of its ledger, in their order: for each period the balance before, what each type
 * of movement has changed, and the balance after. The state between two rows is plain data, so that a report written in
 * slices can be resumed. Pure.
 */
import { LedgerType } from "@coffer/model/Ledger"
import { Schema } from "effect"

/** The balances in the newest row of a wallet; zeros before the first. */
export const Head = Schema.Struct({
  available: Schema.Int,
  frozen: Schema.Int,
  sequence: Schema.Int,
  hash: Schema.String
})
export type Head = typeof Head.Type

export const noHead: Head = { available: 0, frozen: 0, sequence: 0, hash: "" }

/** The changes by movements of one type. */
export const Sum = Schema.Struct({
  count: Schema.Int,
  amount: Schema.Int,
  available: Schema.Int,
  frozen: Schema.Int
})
export type Sum = typeof Sum.Type

/** A period that rows are added to. */
export const OpenPeriod = Schema.Struct({
  opening: Head,
  head: Head,
  sums: Schema.Record(Schema.String, Sum)
})
export type OpenPeriod = typeof OpenPeriod.Type

/** The part of a ledger row that a statement needs. */
export interface MovementRow {
  readonly type: LedgerType
  readonly amount: number
  readonly balance_before: number
  readonly balance_after: number
  readonly frozen_after: number
  readonly sequence: number
  readonly hash: string
}

export const opened = (head: Head): OpenPeriod => ({ opening: head, head, sums: {} })

export const headOf = ({
  balance_after,
  frozen_after,
  hash,
  sequence
}: Omit<MovementRow, "type" | "amount">): Head => ({
  available: balance_after,
  frozen: frozen_after,
  sequence,
  hash
})

const noSum: Sum = { count: 0, amount: 0, available: 0, frozen: 0 }

export const withRow = ({ head, opening, sums }: OpenPeriod, row: MovementRow): OpenPeriod => {
  const { amount, available, count, frozen } = sums[row.type] ?? noSum
  const sum = {
    count: count + 1,
    amount: amount + row.amount,
    available: available + row.balance_after - row.balance_before,
    // A row contains only the frozen balance after it.
    frozen: frozen + row.frozen_after - head.frozen
  }
  return { opening, head: headOf(row), sums: { ...sums, [row.type]: sum } }
}

export interface Entry {
  readonly line: "opening" | LedgerType | "closing"
  readonly count: number
  readonly amount: number
  readonly available: number
  readonly frozen: number
  readonly sequence: number | null
  readonly hash: string | null
}

/** The period's lines: types without a movement have none. */
export const entriesOf = ({ head, opening, sums }: OpenPeriod): ReadonlyArray<Entry> => [
  balance("opening", opening),
  ...LedgerType.literals.flatMap((line) => {
    const sum = sums[line]
    return sum === undefined ? [] : [{ line, ...sum, sequence: null, hash: null }]
  }),
  balance("closing", head)
]

const balance = (line: "opening" | "closing", head: Head): Entry => ({ line, count: 0, amount: 0, ...head })
