/** What a simulated Adyen books and tells: the notices that it has to send, and the lines of its next report. */
import { createHash } from "node:crypto"
import { DateTime } from "effect"
import type { Payment } from "./Bank.ts"
import type { Item } from "./wire.ts"

/** A line of the settlement details report; what it gives the account, in minor units. */
export interface Line {
  readonly type: string
  readonly payment: Payment
  readonly modification: string
  readonly reference: string
  readonly amount: number
  readonly at: string
}

const columns = [
  "Company Account",
  "Merchant Account",
  "Psp Reference",
  "Merchant Reference",
  "Payment Method",
  "Creation Date",
  "TimeZone",
  "Type",
  "Modification Reference",
  "Gross Currency",
  "Gross Debit (GC)",
  "Gross Credit (GC)",
  "Exchange Rate",
  "Net Currency",
  "Net Debit (NC)",
  "Net Credit (NC)",
  "Commission (NC)",
  "Markup (NC)",
  "Scheme Fees (NC)",
  "Interchange (NC)",
  "Payment Method Variant",
  "Modification Merchant Reference",
  "Batch Number"
]

const major = (minor: number): string => (minor / 100).toFixed(2)

/** What Adyen deducts from a payment. */
const feeOf = (amount: number): number => Math.round(amount * 0.01) + 12

export type Books = ReturnType<typeof makeBooks>

/** The notices that wait, and the lines of the next report. */
export const makeBooks = (account: string, millis: () => number) => {
  let made = 0
  const notices: Array<Item> = []
  /** Those that were sent once. */
  const sent: Array<Item> = []
  const lines: Array<Line> = []
  const reports: Array<string> = []
  /** All that Adyen has moved, without fees. */
  const moved: Array<Line> = []

  const written = () => DateTime.formatIso(DateTime.makeUnsafe(millis()))
  const next = (kind: string) =>
    createHash("sha256").update(`${account}/${kind}/${++made}`).digest("hex").slice(0, 16).toUpperCase()

  const tell = (
    eventCode: Item["eventCode"],
    pspReference: string,
    payment: Payment,
    {
      amount = payment.amount,
      success = true,
      ...more
    }: Partial<Omit<Item, "amount" | "success">> & {
      readonly amount?: number
      readonly success?: boolean
    } = {}
  ) =>
    void notices.push({
      additionalData: {},
      merchantReference: payment.reference,
      paymentMethod: payment.variant,
      reason: "",
      ...more,
      amount: { currency: payment.currency, value: amount },
      eventCode,
      eventDate: written(),
      merchantAccountCode: account,
      pspReference,
      success: success ? "true" : "false"
    })

  const move = (type: string, payment: Payment, amount: number, modification = "", reference = "") => {
    const line: Line = { type, payment, amount, modification, reference, at: written() }
    lines.push(line)
    moved.push(line)
  }

  /** Adyen's reports name the day's money. Answers the number of the report, which a notice announces. */
  const closeBatch = (): number => {
    const batch = reports.length + 1
    const rows = lines.splice(0).map((line) => rowOf(line, account, batch))
    reports.push([columns.join(","), ...rows].join("\n"))
    notices.push({
      additionalData: {},
      amount: { currency: "EUR", value: 0 },
      eventCode: "REPORT_AVAILABLE",
      eventDate: written(),
      merchantAccountCode: account,
      merchantReference: "",
      paymentMethod: "",
      pspReference: `settlement_detail_report_batch_${batch}.csv`,
      reason: "",
      success: "true"
    })
    return batch
  }

  return { account, millis, notices, sent, reports, moved, written, next, tell, move, closeBatch }
}

const rowOf = (
  { amount, at, modification, payment, reference, type }: Line,
  account: string,
  batch: number
): string => {
  const fee = type === "Settled" ? feeOf(amount) : 0
  const credit = amount > 0 ? major(amount) : ""
  const debit = amount < 0 ? major(-amount) : ""
  return [
    "Company",
    account,
    payment.pspReference,
    payment.reference,
    payment.variant,
    at.slice(0, 19).replace("T", " "),
    "UTC",
    type,
    modification,
    payment.currency,
    debit,
    credit,
    "1",
    payment.currency,
    debit,
    credit,
    fee === 0 ? "" : major(fee),
    "",
    "",
    "",
    payment.variant,
    reference,
    String(batch)
  ].join(",")
}
