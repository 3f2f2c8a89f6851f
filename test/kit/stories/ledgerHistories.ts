/** Random histories of three wallets, as the rules of postings make their rows, and these rows in Postgres. */
import { createHash } from "node:crypto"
import { createdAtOf, idBody } from "@coffer/model/Ids"
import type { LedgerType } from "@coffer/model/Ledger"
import { Currency } from "@coffer/model/Money"
import { emptyWallet, type LedgerRow, type WalletName, walletIdOf } from "@coffer/rules/wallet/Wallet"
import { type Movement, post } from "@coffer/rules/wallet/post"
import { DateTime, Effect, Result } from "effect"
import fc from "fast-check"
import type { Running } from "../Service.ts"

export const dayMillis = 86_400_000
/** Days on which a zone changes its clocks, and ends of months and years. */
const days = [
  "2024-02-28",
  "2024-10-26",
  "2024-10-31",
  "2025-01-30",
  "2025-03-08",
  "2025-03-29",
  "2025-04-24",
  "2025-08-30",
  "2025-10-04",
  "2025-10-25"
]
const zones = [...Intl.supportedValuesOf("timeZone"), "UTC", "Asia/Kolkata", "Pacific/Chatham", "Australia/Lord_Howe"]

const deed = fc.record({
  kind: fc.constantFrom("pay", "pay", "pay", "refund", "refundNow", "dispute", "payout", "end", "end", "end"),
  amount: fc.integer({ min: 1, max: 100_000 }),
  currency: fc.constantFrom(...Currency.literals),
  /** Milliseconds since the one before. */
  later: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 12 * 3_600_000 })),
  isGood: fc.boolean(),
  chosen: fc.nat()
})
export const history = fc.record({
  day: fc.constantFrom(...days),
  hour: fc.integer({ min: -14, max: 14 }),
  deeds: fc.array(deed, { minLength: 1, maxLength: 80 }),
  zone: fc.constantFrom(...zones),
  interval: fc.constantFrom("day" as const, "month" as const, "range" as const),
  before: fc.integer({ min: -2, max: 5 }),
  length: fc.integer({ min: 0, max: 30 })
})
export type History = typeof history extends fc.Arbitrary<infer One> ? One : never
export interface Row extends LedgerRow {
  readonly currency: Currency
}

interface Hold {
  readonly kind: "refund" | "dispute" | "payout"
  readonly currency: Currency
  readonly amount: number
  readonly reference: string
}

const endings = {
  refund: { good: ["refund_debit"], bad: ["refund_unfreeze"] },
  dispute: { good: ["dispute_unfreeze"], bad: ["dispute_debit", "dispute_fee"] },
  payout: { good: ["payout_success", "payout_fee"], bad: ["payout_unfreeze"] }
} as const

/** The rows of three wallets, as the rules of postings make them. */
export const rowsOf = ({ day, deeds, hour }: History, account: Omit<WalletName, "currency">): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  const wallets = new Map<Currency, ReturnType<typeof emptyWallet>>()
  let open: ReadonlyArray<Hold> = []
  let millis = Date.parse(`${day}T00:00:00Z`) + hour * 3_600_000
  let number = 0
  const book = (currency: Currency, movements: ReadonlyArray<Movement>) => {
    const wallet = wallets.get(currency) ?? emptyWallet({ ...account, currency }, DateTime.makeUnsafe(0))
    const digits = createHash("sha256").update(`${++number}`).digest().subarray(0, 16)
    digits[15] = 0
    const body = idBody(millis, digits)
    const digest = (text: string) => createHash("sha256").update(text).digest("hex")
    const posted = post(wallet, { movements, reserve: 0 }, { now: createdAtOf(body), idBody: body, digest })
    if (Result.isFailure(posted)) return false
    wallets.set(currency, posted.success.wallet)
    rows.push(...posted.success.rows.map((row) => ({ ...row, currency })))
    return true
  }
  const movement = (type: LedgerType, amount: number, referenceId: string, unfrozen = false): Movement => ({
    type,
    amount,
    referenceId,
    description: "Of a test",
    ...(unfrozen ? { unfrozen } : {})
  })
  for (const { amount, chosen, currency, isGood, kind, later } of deeds) {
    millis += later
    const reference = `${kind}-${number}`
    switch (kind) {
      case "pay":
        book(currency, [
          movement("payment_credit", amount, reference),
          movement("fee_debit", 0 - (amount >> 4), reference)
        ])
        break
      case "refundNow":
        if (book(currency, [movement("refund_debit", 0 - amount, reference, true)]) && !isGood) {
          book(currency, [movement("refund_unfreeze", amount, reference, true)])
        }
        break
      case "end": {
        const hold = open[chosen % open.length]
        if (hold === undefined) break
        open = open.filter((each) => each !== hold)
        const types = endings[hold.kind][isGood ? "good" : "bad"]
        book(
          hold.currency,
          types.map((type) =>
            type.endsWith("_fee")
              ? movement(type, -7, hold.reference)
              : movement(type, type.endsWith("unfreeze") ? hold.amount : 0 - hold.amount, hold.reference)
          )
        )
        break
      }
      default:
        if (book(currency, [movement(`${kind as Hold["kind"]}_freeze`, 0 - amount, reference)])) {
          open = [...open, { kind: kind as Hold["kind"], currency, amount, reference }]
        }
    }
  }
  return rows
}

/** The wallets' rows alone: nothing has moved them. */
export const storedRows = Effect.fnUntraced(function* (
  { sql }: Running,
  account: Omit<WalletName, "currency">,
  rows: ReadonlyArray<Row>
) {
  const columns = rows.map((row) => ({
    id: row.id,
    wallet_id: walletIdOf({ ...account, currency: row.currency }),
    sequence: row.sequence,
    merchant_id: account.merchantId,
    mode: account.mode,
    currency: row.currency,
    type: row.type,
    amount: row.amount,
    balance_before: row.balanceBefore,
    balance_after: row.balanceAfter,
    frozen_after: row.frozenAfter,
    reference_id: row.referenceId,
    description: row.description,
    created_at: DateTime.formatIso(row.createdAt),
    previous_hash: `\\x${row.previousHash}`,
    hash: `\\x${row.hash}`
  }))
  yield* sql`select test_without_triggers(${`delete from ledger where merchant_id = '${account.merchantId}'`})`
  const values = `jsonb_populate_recordset(null::ledger, '${JSON.stringify(columns)}')`
  yield* sql`select test_without_triggers(${`insert into ledger select * from ${values}`})`
})

/** By the local date of each row, and not by ids. */
export const localDay = (zone: string) => {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" })
  return (row: Row) => format.format(DateTime.toEpochMillis(row.createdAt))
}

export const isoDay = (millis: number) => new Date(millis).toISOString().slice(0, 10)
