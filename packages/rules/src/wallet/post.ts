/**
 * Posts a movement to a wallet, with its ledger row. Pure: the clock, the id and the hash function are parameters. The
 * table below is the specification's (spec: Balance transaction).
 */
import { isoText } from "@coffer/model/isoText"
import { createdAtOf, idBodyAfter, prefixes } from "@coffer/model/Ids"
import { LedgerType } from "@coffer/model/Ledger"
import { DateTime, Result, Schema } from "effect"
import { type LedgerRow, type Wallet, walletIdOf } from "./Wallet.ts"

export const Movement = Schema.Struct({
  type: LedgerType,
  /** Signed minor units, as the ledger shows it. */
  amount: Schema.Int,
  referenceId: Schema.String,
  description: Schema.String,
  /** The funds were never frozen, or no longer are: the movement only changes available (silences: R7, R9, D8). */
  unfrozen: Schema.optionalKey(Schema.Boolean)
})
export type Movement = typeof Movement.Type

export interface Entry {
  readonly movements: ReadonlyArray<Movement>
  /** The change of the promised amount; negative to release. */
  readonly reserve: number
}

export interface Posting {
  readonly wallet: Wallet
  readonly rows: ReadonlyArray<LedgerRow>
}

/** The available amount, less the promised one, does not cover the entry (silences: R1). */
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()("InsufficientBalance", {
  /** The minor units that were available to the entry. */
  usable: Schema.Int
}) {}

interface PostingInputs {
  readonly now: DateTime.Utc
  /** A fresh time-ordered body for the first row's id. */
  readonly idBody: string
  /** Hex digest of a text; the chain's link. */
  readonly digest: (text: string) => string
}

type Totals = "totalRevenue" | "totalFee" | "totalPayout" | "totalRefund"

/** Which balances one unit of `amount` moves: available, frozen (opposite when funds freeze), and a running total. */
export const effects: Record<
  LedgerType,
  { readonly available: 0 | 1; readonly frozen: -1 | 0 | 1; readonly total?: Totals }
> = {
  payment_credit: { available: 1, frozen: 0, total: "totalRevenue" },
  fee_debit: { available: 1, frozen: 0, total: "totalFee" },
  refund_freeze: { available: 1, frozen: -1 },
  refund_debit: { available: 0, frozen: 1, total: "totalRefund" },
  refund_unfreeze: { available: 1, frozen: -1 },
  dispute_freeze: { available: 1, frozen: -1 },
  dispute_unfreeze: { available: 1, frozen: -1 },
  dispute_debit: { available: 0, frozen: 1 },
  dispute_fee: { available: 1, frozen: 0, total: "totalFee" },
  payout_freeze: { available: 1, frozen: -1 },
  payout_unfreeze: { available: 1, frozen: -1 },
  payout_success: { available: 0, frozen: 1, total: "totalPayout" },
  payout_fee: { available: 1, frozen: 0, total: "totalFee" }
}

const effectOf = ({ type, unfrozen }: Movement): (typeof effects)[LedgerType] => {
  if (unfrozen !== true) return effects[type]
  // A refund that is returned after it succeeded no longer counts (silences: R14).
  const total = type === "refund_unfreeze" ? "totalRefund" : effects[type].total
  return { available: 1, frozen: 0, ...(total === undefined ? {} : { total }) }
}

/** A bank takes a disputed amount and its fee whether or not the balance covers them (silences: D9). */
const isForced = ({ movements }: Entry) =>
  movements.some(({ type }) => type === "dispute_freeze" || type === "dispute_fee")

/** Posts an entry, its movements in order. The returned wallet has the last row as its head. */
export const post = (
  wallet: Wallet,
  entry: Entry,
  means: PostingInputs
): Result.Result<Posting, InsufficientBalance> => {
  const rows: Array<LedgerRow> = []
  let state = wallet
  // Ids rise within a wallet even when the clocks of two runners disagree (silences: B5).
  let body = laterOf(means.idBody, wallet.headId.slice(prefixes.ledger.length))
  for (const movement of entry.movements) {
    const row = rowOf(state, movement, body, means)
    rows.push(row)
    state = after(state, movement, row)
    body = idBodyAfter(body)
  }
  state = { ...state, reserved: state.reserved + entry.reserve }
  state = { ...state, version: versionOf(wallet, state, means) }
  const usable = usableOf(state)
  return usable < 0 && usable < usableOf(wallet) && !isForced(entry)
    ? Result.fail(new InsufficientBalance({ usable: Math.max(0, usableOf(wallet)) }))
    : Result.succeed({ wallet: state, rows })
}

/** The spendable amount: available less promised. */
const usableOf = ({ available, reserved }: Wallet): number => available - reserved

const laterOf = (fresh: string, head: string): string => (fresh > head ? fresh : idBodyAfter(head))

// The head's hash is effectively random. A promise adds no row, so it is hashed separately.
const versionOf = (before: Wallet, state: Wallet, { digest }: PostingInputs): string =>
  state.reserved === before.reserved
    ? state.headHash
    : digest([before.version, state.headHash, state.reserved].join("\n"))

const rowOf = (wallet: Wallet, movement: Movement, body: string, { digest, now }: PostingInputs): LedgerRow => {
  const effect = effectOf(movement)
  // An id after a head from another runner's clock may be later than now, and so is the row (docs/decisions/0050).
  const createdAt = DateTime.max(now, createdAtOf(body))
  const row = {
    id: `${prefixes.ledger}${body}`,
    sequence: wallet.sequence + 1,
    type: movement.type,
    amount: movement.amount,
    balanceBefore: wallet.available,
    balanceAfter: wallet.available + effect.available * movement.amount,
    frozenAfter: wallet.frozen + effect.frozen * movement.amount,
    referenceId: movement.referenceId,
    description: movement.description,
    createdAt,
    previousHash: wallet.headHash
  }
  return { ...row, hash: digest(chainText(walletIdOf(wallet), row)) }
}

const after = (wallet: Wallet, movement: Movement, row: LedgerRow): Wallet => {
  const { total } = effectOf(movement)
  const next = {
    ...wallet,
    available: row.balanceAfter,
    frozen: row.frozenAfter,
    sequence: row.sequence,
    headId: row.id,
    headHash: row.hash,
    updatedAt: row.createdAt
  }
  if (total === undefined) return next
  // Totals are unsigned sums of received or paid amounts (silences: B3).
  const counted = total === "totalRevenue" ? movement.amount : 0 - movement.amount
  return { ...next, [total]: wallet[total] + counted }
}

/** The text that a row's hash covers: every column of it, the wallet it belongs to, and the hash before it. */
export const chainText = (walletId: string, row: Omit<LedgerRow, "hash">): string =>
  [
    walletId,
    row.previousHash,
    row.id,
    row.sequence,
    row.type,
    row.amount,
    row.balanceBefore,
    row.balanceAfter,
    row.frozenAfter,
    row.referenceId,
    row.description,
    isoText(row.createdAt)
  ].join("\n")
