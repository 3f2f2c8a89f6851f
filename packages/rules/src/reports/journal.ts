/**
 * Journals for plain-text accounting, of hledger and of Beancount, from the lines of a report: each movement, or the
 * sum of a type, is a transaction, and the wallet's balance is asserted, so that the program itself refuses a file that
 * does not add up. Each line makes its text without the others. Texts that are not ours cannot end the place where they
 * stand. Pure.
 */
import type { LedgerType } from "@coffer/model/Ledger"
import { type Currency, twoDecimals } from "@coffer/model/Money"
import { type Day, dayAfter } from "./days.ts"

export type JournalFormat = "hledger" | "beancount"

export const isJournal = (format: string): format is JournalFormat => format === "hledger" || format === "beancount"

/** The first words of a file: what it covers. */
export interface JournalTerms {
  readonly report: string
  readonly from: Day
  readonly to: Day
  readonly timeZone: string
  readonly asOf: string
  readonly complete: boolean
  readonly currencies: ReadonlyArray<Currency>
}

/** A part of a wallet that changes, or whose balance is known. */
interface Change {
  readonly available: number
  readonly frozen: number
}

export interface JournalEntry {
  readonly date: Day
  readonly currency: Currency
  readonly type: LedgerType
  readonly description: string
  readonly change: Change
  /** The wallet's balances after it, where they are known. */
  readonly after?: Change
  /** What the entry belongs to, by name. */
  readonly tags: ReadonlyArray<readonly [name: string, value: string]>
}

const available = "Assets:Coffer:Available"
const frozen = "Assets:Coffer:Frozen"
const opening = "Equity:Coffer:Opening"

/** Where money comes from and goes to that a wallet gains or loses by a movement. */
const others: Readonly<Record<LedgerType, string>> = {
  payment_credit: "Income:Coffer:Payments",
  fee_debit: "Expenses:Coffer:Fees:Payments",
  refund_freeze: "Income:Coffer:Refunds",
  refund_debit: "Income:Coffer:Refunds",
  refund_unfreeze: "Income:Coffer:Refunds",
  dispute_freeze: "Expenses:Coffer:Disputes",
  dispute_unfreeze: "Expenses:Coffer:Disputes",
  dispute_debit: "Expenses:Coffer:Disputes",
  dispute_fee: "Expenses:Coffer:Fees:Disputes",
  payout_freeze: "Assets:Coffer:Payouts",
  payout_unfreeze: "Assets:Coffer:Payouts",
  payout_success: "Assets:Coffer:Payouts",
  payout_fee: "Expenses:Coffer:Fees:Payouts"
}
const accounts = [...new Set([available, frozen, opening, ...Object.values(others)])]

export const journalHeader = (format: JournalFormat, terms: JournalTerms): string => {
  const { asOf, complete, currencies, from, report, timeZone, to } = terms
  const about =
    `; Coffer ${report}, ${from} to ${to}. Days are in ${timeZone}.\n` +
    `; Movements before ${asOf}; ${complete ? "complete" : "the range has not ended, more may follow"}.\n\n`
  const declared =
    format === "hledger"
      ? [
          "decimal-mark .",
          ...currencies.map((currency) => `commodity 1000.00 ${currency}`),
          ...accounts.map((account) => `account ${account}`)
        ]
      : [`option "title" "Coffer ${report}"`, ...accounts.map((account) => `${from} open ${account}`)]
  return `${about}${declared.join("\n")}\n\n`
}

/** Balances before the first line. Empty if there are none. */
export const journalOpening = (format: JournalFormat, date: Day, currency: Currency, balance: Change): string =>
  balance.available === 0 && balance.frozen === 0
    ? ""
    : transaction(format, { date, description: "Opening balance", tags: [] }, currency, [
        [available, balance.available, balance.available],
        [frozen, balance.frozen, balance.frozen],
        [opening, 0 - balance.available - balance.frozen]
      ])

export const journalEntry = (format: JournalFormat, entry: JournalEntry): string => {
  const { after, change, currency, date, description, tags, type } = entry
  const other = 0 - change.available - change.frozen
  return transaction(format, { date, description, tags: [["type", type], ...tags] }, currency, [
    [available, change.available, after?.available],
    ...(change.frozen === 0 ? [] : [[frozen, change.frozen, after?.frozen] as const]),
    ...(other === 0 ? [] : [[others[type], other] as const])
  ])
}

/** The balances at the end of a day. */
export const journalClosing = (format: JournalFormat, date: Day, currency: Currency, balance: Change): string => {
  const both = [
    [available, balance.available],
    [frozen, balance.frozen]
  ] as const
  if (format === "hledger") {
    const postings = both.map(([account, after]) => [account, 0, after] as const)
    return transaction(format, { date, description: "Closing balance", tags: [] }, currency, postings)
  }
  // Beancount asserts balances at the beginning of a day.
  const next = dayAfter(date)
  return `${both.map(([account, after]) => `${next} balance ${account} ${money(after, currency)}\n`).join("")}\n`
}

type Posting = readonly [account: string, amount: number, after?: number | undefined]

interface Head {
  readonly date: Day
  readonly description: string
  readonly tags: JournalEntry["tags"]
}

const transaction = (
  format: JournalFormat,
  { date, description, tags }: Head,
  currency: Currency,
  postings: ReadonlyArray<Posting>
): string => {
  const isHledger = format === "hledger"
  const lines = [
    `${date} * ${isHledger ? plain(description) : quoted(description)}`,
    ...tags.map(([name, value]) => (isHledger ? `    ; ${name}:${plain(value)}` : `  ${name}: ${quoted(value)}`)),
    ...postings.map(([account, amount, after]) => {
      const asserted = isHledger && after !== undefined ? ` = ${money(after, currency)}` : ""
      return `    ${account}  ${money(amount, currency)}${asserted}`
    })
  ]
  return `${lines.join("\n")}\n\n`
}

const money = (minor: number, currency: Currency): string => `${twoDecimals(minor)} ${currency}`

/** Line breaks of every kind, and characters that nobody sees. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]+/gu
const onOneLine = (text: string): string => text.replace(unseen, " ").trim()

/** hledger has no escapes: its signs become their full-width forms, which look alike and mean nothing. */
const plain = (text: string): string =>
  onOneLine(text).replace(/[;|,:=()[\]*!]/g, (sign) => String.fromCodePoint(sign.codePointAt(0)! + 0xfee0))

const quoted = (text: string): string => `"${onOneLine(text).replace(/["\\]/g, "\\$&")}"`
