/**
 * What a simulated Adyen has of one merchant account: links, payments, modifications and disputes, the notices that it
 * has to send, and the lines of its next report. Each act is one synchronous step.
 */
import { createHash } from "node:crypto"
import { DateTime } from "effect"
import type { Item, Link } from "./wire.ts"

export interface Payment {
  readonly pspReference: string
  readonly link: string
  readonly reference: string
  readonly amount: number
  readonly currency: string
  readonly variant: string
  /** What went back, or is on its way back. */
  refunded: number
}

export interface Modification {
  readonly pspReference: string
  readonly payment: Payment
  readonly kind: "REFUND" | "CANCEL_OR_REFUND"
  readonly amount: number
  readonly reference: string
  state: "asked" | "done" | "refused" | "failed"
}

export interface Dispute {
  readonly pspReference: string
  readonly payment: Payment
  readonly amount: number
  /** The last event. */
  event: string
  /** What it has taken. */
  taken: number
  readonly documents: Map<string, Buffer>
  isDefended: boolean
}

/** A line of the settlement details report; what it gives the account, in minor units. */
interface Line {
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

export type Bank = ReturnType<typeof makeBank>

/** `millis`: now. */
export const makeBank = (account: string, millis: () => number) => {
  const books = makeBooks(account, millis)
  const payments = makePayments(books)
  return { ...books, ...payments, ...makeDisputes(books) }
}
type Books = ReturnType<typeof makeBooks>

/** The notices that wait, and the lines of the next report. */
const makeBooks = (account: string, millis: () => number) => {
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

/** Links and what was paid in them, and what goes back. */
const makePayments = ({ millis, move, next, tell, written }: Books) => {
  const links = new Map<string, Link>()
  const payments = new Map<string, Payment>()
  const modifications = new Map<string, Modification>()

  /** A link that nobody has paid ends at its time. */
  const linkOf = (id: string): Link | undefined => {
    const link = links.get(id)
    if (link === undefined || link.status !== "active" || link.expiresAt === undefined) return link
    if (DateTime.toEpochMillis(DateTime.makeUnsafe(link.expiresAt)) > millis()) return link
    const ended: Link = { ...link, status: "expired", updatedAt: written() }
    links.set(id, ended)
    return ended
  }

  /** One attempt in a link. `late`: the buyer was at the bank when the link ended. */
  const pay = (
    id: string,
    { amount, late = false, pending = false, refused, variant = "visa" }: PayOptions = {}
  ): Payment | undefined => {
    const link = linkOf(id)
    if (link === undefined || (link.status !== "active" && !late)) return undefined
    const payment: Payment = {
      pspReference: next("payment"),
      link: id,
      reference: link.reference,
      amount: amount ?? link.amount.value,
      currency: link.amount.currency,
      variant,
      refunded: 0
    }
    if (refused !== undefined) {
      const additionalData = { cardSummary: "1142", paymentLinkId: id }
      tell("AUTHORISATION", payment.pspReference, payment, { success: false, reason: refused, additionalData })
      return undefined
    }
    payments.set(payment.pspReference, payment)
    if (pending) {
      links.set(id, { ...link, status: "paymentPending", updatedAt: written() })
      return payment
    }
    return finish(payment)
  }

  /** The method has taken its while. */
  const finish = (payment: Payment): Payment => {
    const { link: id } = payment
    const link = links.get(id)!
    const additionalData = { cardSummary: "1142", paymentLinkId: id }
    if (link.status !== "expired") links.set(id, { ...link, status: "completed", updatedAt: written() })
    tell("AUTHORISATION", payment.pspReference, payment, { reason: "069746:1142:03/2030", additionalData })
    move("Settled", payment, payment.amount)
    return payment
  }

  /** The bank's word on a modification. `failed`: after it was done. */
  const decide = (pspReference: string, outcome: "done" | "refused" | "failed"): boolean => {
    const one = modifications.get(pspReference)
    if (one === undefined || (outcome === "failed" ? one.state !== "done" : one.state !== "asked")) return false
    const { amount, kind, payment, reference } = one
    const about = { originalReference: payment.pspReference, merchantReference: reference, amount }
    one.state = outcome
    if (outcome === "done") {
      tell(kind, pspReference, payment, about)
      move("Refunded", payment, -amount, pspReference, reference)
      return true
    }
    payment.refunded -= amount
    if (outcome === "refused") {
      tell(kind, pspReference, payment, { ...about, success: false, reason: "Insufficient balance on payment" })
    } else {
      tell("REFUND_FAILED", pspReference, payment, { ...about, reason: "Card closed" })
      move("RefundedReversed", payment, amount, pspReference, reference)
    }
    return true
  }

  return { links, payments, modifications, linkOf, pay, finish, decide }
}

const makeDisputes = ({ millis, move, next, tell }: Books) => {
  const disputes = new Map<string, Dispute>()

  const ofDispute = (dispute: Dispute, eventCode: Item["eventCode"]) => {
    dispute.event = eventCode
    const { amount, payment, pspReference } = dispute
    tell(eventCode, pspReference, payment, {
      originalReference: payment.pspReference,
      amount,
      reason: "Fraud",
      additionalData: {
        chargebackReasonCode: "10.4",
        defensePeriodEndsAt: DateTime.formatIso(DateTime.makeUnsafe(millis() + defenceMillis))
      }
    })
  }

  const charge = (dispute: Dispute, type: string, eventCode: Item["eventCode"]) => {
    if (dispute.taken > 0) return
    dispute.taken = dispute.amount
    move(type, dispute.payment, -dispute.amount, dispute.pspReference)
    ofDispute(dispute, eventCode)
  }

  const giveBack = (dispute: Dispute) => {
    if (dispute.taken === 0) return
    dispute.taken = 0
    move("ChargebackReversed", dispute.payment, dispute.amount, dispute.pspReference)
  }

  return {
    disputes,
    open: (payment: Payment, amount = payment.amount - payment.refunded): Dispute => {
      const pspReference = next("dispute")
      const dispute: Dispute = {
        pspReference,
        payment,
        amount,
        event: "",
        taken: 0,
        documents: new Map(),
        isDefended: false
      }
      disputes.set(pspReference, dispute)
      ofDispute(dispute, "NOTIFICATION_OF_CHARGEBACK")
      return dispute
    },
    charge: (dispute: Dispute) => charge(dispute, "Chargeback", "CHARGEBACK"),
    supplied: (dispute: Dispute) => ofDispute(dispute, "INFORMATION_SUPPLIED"),
    /** Nobody defends it any more, or it was accepted. */
    end: (dispute: Dispute) => {
      charge(dispute, "Chargeback", "CHARGEBACK")
      ofDispute(dispute, "DISPUTE_DEFENSE_PERIOD_ENDED")
    },
    /** The defence was good: the money comes back for now. */
    reverse: (dispute: Dispute) => {
      charge(dispute, "Chargeback", "CHARGEBACK")
      giveBack(dispute)
      ofDispute(dispute, "CHARGEBACK_REVERSED")
    },
    win: (dispute: Dispute) => {
      giveBack(dispute)
      ofDispute(dispute, "ISSUER_RESPONSE_TIMEFRAME_EXPIRED")
    },
    lose: (dispute: Dispute) => {
      charge(dispute, "SecondChargeback", "SECOND_CHARGEBACK")
      if (dispute.event !== "SECOND_CHARGEBACK") ofDispute(dispute, "SECOND_CHARGEBACK")
    }
  }
}

export interface PayOptions {
  /** Default: the link's. */
  readonly amount?: number
  readonly late?: boolean
  /** A method that takes a while: `finish` ends it. */
  readonly pending?: boolean
  /** Adyen's words for a refusal. */
  readonly refused?: string
  /** Adyen's name of the card or the method. */
  readonly variant?: string
}

/** Two weeks. */
const defenceMillis = 14 * 24 * 3_600_000
