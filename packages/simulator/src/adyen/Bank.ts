/**
 * What a simulated Adyen has of one merchant account: links, payments, modifications and disputes, the notices that it
 * has to send, and the lines of its next report. Each act is one synchronous step.
 */
import { DateTime } from "effect"
import { type Books, makeBooks } from "./books.ts"
import type { Item, Link } from "./wire.ts"

export interface Payment {
  readonly pspReference: string
  readonly link: string
  readonly reference: string
  /** Of a payment that is captured later: what is held, and then what was captured. */
  amount: number
  readonly currency: string
  readonly variant: string
  /** Of a payment that is captured later. */
  hold: "held" | "captured" | "released" | undefined
  /** What went back, or is on its way back. */
  refunded: number
}

export interface Modification {
  readonly pspReference: string
  readonly payment: Payment
  readonly kind: "REFUND" | "CANCEL_OR_REFUND" | "CAPTURE" | "CANCELLATION"
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

export type Bank = ReturnType<typeof makeBank>

/** `millis`: now. */
export const makeBank = (account: string, millis: () => number) => {
  const books = makeBooks(account, millis)
  const payments = makePayments(books)
  const holds = makeHolds(books, payments.modifications)
  return {
    ...books,
    ...payments,
    ...holds,
    ...makeDecisions(books, payments.modifications, holds),
    ...makeDisputes(books)
  }
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
      hold: link.manualCapture === true ? "held" : undefined,
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
    if (payment.hold === undefined) move("Settled", payment, payment.amount)
    return payment
  }

  return { links, payments, modifications, linkOf, pay, finish }
}

/** What is held and captured later. */
const makeHolds = ({ move, next, tell }: Books, modifications: Map<string, Modification>) => {
  /** The bank's word on what is held. What it cannot do is refused by a notice. */
  const decideHold = ({ amount, kind, payment, pspReference, reference }: Modification, isRefused: boolean) => {
    const about = { originalReference: payment.pspReference, merchantReference: reference, amount }
    const isDone = !isRefused && payment.hold === "held" && amount <= payment.amount
    if (!isDone)
      tell(kind, pspReference, payment, { ...about, success: false, reason: "Insufficient balance on payment" })
    else if (kind === "CAPTURE") {
      Object.assign(payment, { hold: "captured", amount })
      tell(kind, pspReference, payment, about)
      move("Settled", payment, amount, pspReference, reference)
    } else {
      payment.hold = "released"
      tell(kind, pspReference, payment, about)
    }
    return isDone
  }

  /** Adyen itself releases what nobody has captured, and tells where it was asked to. */
  const expire = (payment: Payment) => {
    if (payment.hold !== "held") return
    payment.hold = "released"
    tell("EXPIRE", next("expiry"), payment, { originalReference: payment.pspReference })
  }

  /** In Adyen's own pages. */
  const captureByHand = (payment: Payment, amount = payment.amount) => {
    const pspReference = next("modification")
    const { reference } = payment
    const one: Modification = { pspReference, payment, kind: "CAPTURE", amount, reference, state: "done" }
    if (decideHold(one, false)) modifications.set(pspReference, one)
  }

  return { captureByHand, decideHold, expire }
}

/** How modifications end. */
const makeDecisions = (
  { move, tell }: Books,
  modifications: ReadonlyMap<string, Modification>,
  { decideHold }: Pick<ReturnType<typeof makeHolds>, "decideHold">
) => {
  /** The bank's word on a modification. `failed`: after it was done. */
  const decide = (pspReference: string, outcome: "done" | "refused" | "failed"): boolean => {
    const one = modifications.get(pspReference)
    if (one === undefined || (outcome === "failed" ? one.state !== "done" : one.state !== "asked")) return false
    const { amount, kind, payment, reference } = one
    const about = { originalReference: payment.pspReference, merchantReference: reference, amount }
    if (kind === "CAPTURE" || kind === "CANCELLATION") {
      if (outcome === "failed") {
        tell("CAPTURE_FAILED", pspReference, payment, { ...about, reason: "Capture rejected by the scheme" })
        move("SettledReversed", payment, -amount, pspReference, reference)
        one.state = outcome
      } else one.state = decideHold(one, outcome === "refused") ? "done" : "refused"
      return true
    }
    one.state = outcome
    if (outcome === "done" && payment.hold === "held") {
      payment.hold = "released"
      tell(kind, pspReference, payment, about)
      return true
    }
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

  return { decide }
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
