/**
 * Adyen's settlement details report, read (docs/decisions/0279): a file of comma-separated values for each settlement
 * batch. Columns are found by their names, since an operator may order and add them. Pure.
 */
import { TradeNo } from "@coffer/model/Ids"
import { DateTime, Option, Schema } from "effect"
import { captureCode } from "./holdWords.ts"
import { returnPrefix } from "./ModificationStore.ts"
import type { Notice } from "./notices.ts"

/** The file of a batch, by Adyen's naming. */
export const fileOf = (batch: number): string => `${fileStart}${batch}.csv`
const fileStart = "settlement_detail_report_batch_"
const filePattern = new RegExp(`^${fileStart}(\\d{1,9})\\.csv$`)

/** Undefined for another file. */
export const batchOf = (file: string): number | undefined => {
  const [, digits] = filePattern.exec(file) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Rows of values: quotes around a value that has a comma, a quote or a line break, and a quote in it is doubled. */
export const readCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = []
  let row: Array<string> = []
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'))
    if (end === ",") continue
    if (row.length > 1 || row[0] !== "") rows.push(row)
    row = []
    if (end === "") break
  }
  return rows
}

/** A line about a payment of ours. */
export interface Line {
  readonly type: string
  readonly paymentId: string
  readonly tradeNo: TradeNo
  /** Adyen's number of the refund or the dispute; empty for the payment itself. */
  readonly modification: string
  /** Ours, of the refund. */
  readonly modificationReference: string
  readonly method: string | null
  readonly at: DateTime.Utc
  /** Minor units: what the account got, less what it gave. */
  readonly amount: number
  readonly fee: number
  /** Of the payment, and of the balance. */
  readonly currency: string
  readonly feeCurrency: string
}

const isTradeNo = Schema.is(TradeNo)

/** Each currency of ours has two digits behind the point. */
const minorOf = (text: string | undefined): number => {
  const value = Math.round(Number(text ?? "") * 100)
  return Number.isSafeInteger(value) ? value : 0
}

/** Adyen's fees, each in a column. */
const fees = ["Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)"]

/** The lines that name orders; others, such as payouts and payments of other programs, are left out. */
export const readReport = (text: string, now: DateTime.Utc): ReadonlyArray<Line> => {
  const [names = [], ...rows] = readCsv(text)
  return rows.flatMap((row) => {
    const value = (name: string) => row[names.indexOf(name)]
    const tradeNo = value("Merchant Reference")
    const paymentId = value("Psp Reference") ?? ""
    if (!isTradeNo(tradeNo) || paymentId === "") return []
    const made = DateTime.make(`${(value("Creation Date") ?? "").replace(" ", "T")}Z`)
    return [
      {
        type: value("Type") ?? "",
        paymentId,
        tradeNo,
        modification: value("Modification Reference") ?? "",
        modificationReference: value("Modification Merchant Reference") ?? "",
        method: value("Payment Method Variant") ?? value("Payment Method") ?? null,
        at: DateTime.min(
          Option.getOrElse(Option.map(made, DateTime.toUtc), () => now),
          now
        ),
        amount: minorOf(value("Gross Credit (GC)")) - minorOf(value("Gross Debit (GC)")),
        fee: fees.reduce((sum, name) => sum + minorOf(value(name)), 0),
        currency: value("Gross Currency") ?? "",
        feeCurrency: value("Net Currency") ?? ""
      } satisfies Line
    ]
  })
}

/** The number of a line, the same each time it is read. */
export const idOf = ({ modification, paymentId, type }: Line): string => `${paymentId}/${type}/${modification}`

/** Types of lines that say what a notice says. A lost notice is found by them. */
const codes: ReadonlyMap<string, string> = new Map([
  ["Settled", "AUTHORISATION"],
  ["Refunded", "REFUND"],
  ["RefundedReversed", "REFUNDED_REVERSED"],
  ["Chargeback", "CHARGEBACK"],
  ["ChargebackReversed", "CHARGEBACK_REVERSED"],
  ["SecondChargeback", "SECOND_CHARGEBACK"]
])

/** The notices that Adyen has sent, or should have. `isManual`: the line is of an order that is captured later. */
export const noticesIn = (line: Line, isManual: boolean): ReadonlyArray<Notice> => {
  const notices = Option.toArray(noticeIn(line))
  // Settled is what was captured. Its notice comes first, so that the payment's own is not read as a hold.
  const captures = notices.flatMap((notice) =>
    isManual && notice.code === "AUTHORISATION"
      ? [
          {
            ...notice,
            code: captureCode,
            pspReference: line.modification || line.paymentId,
            originalReference: line.paymentId,
            reference: line.modificationReference || line.tradeNo
          }
        ]
      : []
  )
  return [...captures, ...notices]
}

const noticeIn = (line: Line): Option.Option<Notice> => {
  const code = codes.get(line.type)
  if (code === undefined) return Option.none()
  const isPayment = code === "AUTHORISATION"
  if (!isPayment && line.modification === "") return Option.none()
  const isRefund = code.startsWith("REFUND")
  return Option.some({
    code,
    pspReference: isPayment ? line.paymentId : line.modification,
    originalReference: isPayment ? null : line.paymentId,
    // A whole payment that went back may be named by our number of the payment alone.
    reference: isRefund ? line.modificationReference || returnPrefix + line.paymentId : line.tradeNo,
    succeeded: true,
    amount: Math.abs(line.amount),
    currency: line.currency,
    method: line.method,
    cardLast4: null,
    reason: null,
    answerBy: null,
    linkId: null,
    eventAt: line.at
  })
}
