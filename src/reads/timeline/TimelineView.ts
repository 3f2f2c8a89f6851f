/** The rows of an order's timeline as entries, oldest first: one for each row, two if it has an end. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import {
  type EntryKind,
  entryKinds,
  entryScopes,
  type TimelineEntry,
  type TimelineResource,
  timelineRowsMax
} from "@coffer/contract/Timeline"
import { covers } from "@coffer/model/Scopes"
import { amountPaid } from "@coffer/rules/order/Hold"
import type { Order, PaymentAttempt, UnappliedPayment } from "@coffer/rules/order/Order"
import { DateTime } from "effect"
import type { FeeOf } from "../../shared/channel/fees.ts"
import type { RequestRow, StoryRows } from "./storyRows.ts"

interface Entry extends Omit<TimelineEntry, "after_ms" | "at"> {
  readonly at: DateTime.Utc
}

export interface Reading {
  readonly feeOf: FeeOf
  /** Whether operators read it: their notes are in it. */
  readonly isForOperators: boolean
  /** The reader's scopes; undefined: all. */
  readonly scopes: ReadonlyArray<string> | undefined
}

/** Ids of any kind rise with time, within a millisecond too. */
const placeOf = ({ id }: Entry): string => id.slice(id.lastIndexOf("_") + 1)

export const timelineView = (
  about: Order,
  rows: StoryRows,
  requests: ReadonlyArray<RequestRow>,
  { feeOf, isForOperators, scopes }: Reading
): TimelineResource => {
  const mayRead = (kind: EntryKind) => scopes === undefined || covers(scopes, entryScopes[kind])
  const feesOf = (paymentId: string) => feeDetails(feeOf({ ...about, paymentId }))
  const lengths: Partial<Record<EntryKind, number>> = {
    request: requests.length,
    unapplied_payment: about.unappliedPayments.length,
    refund: rows.refunds.length,
    dispute: rows.disputes.length,
    ledger: rows.movements.length,
    event: rows.events.length,
    delivery: rows.deliveries.length,
    attempt: rows.attempts.length,
    receipt: rows.mails.length
  }
  const entries = [
    ...requests.slice(0, timelineRowsMax).map(requestEntry),
    ...orderEntries(about, feesOf),
    ...(about.attempts ?? []).map(attemptToPayEntry),
    ...about.unappliedPayments
      .slice(0, timelineRowsMax)
      .map((payment) => unappliedEntry(about, isForOperators ? payment : withoutNote(payment), feesOf)),
    ...rows.refunds.slice(0, timelineRowsMax).flatMap(refundEntries),
    ...rows.disputes.slice(0, timelineRowsMax).flatMap(disputeEntries),
    ...rows.movements.slice(0, timelineRowsMax).map(movementEntry),
    ...rows.events.slice(0, timelineRowsMax).map(eventEntry),
    ...rows.deliveries.slice(0, timelineRowsMax).map(deliveryEntry),
    ...rows.attempts.slice(0, timelineRowsMax).map(attemptEntry),
    ...rows.mails.slice(0, timelineRowsMax).map(mailEntry)
  ]
  const sorted = entries
    .filter(({ kind }) => mayRead(kind))
    .toSorted(
      (a, b) =>
        DateTime.toEpochMillis(a.at) - DateTime.toEpochMillis(b.at) ||
        placeOf(a).localeCompare(placeOf(b), "en") ||
        entryKinds.indexOf(a.kind) - entryKinds.indexOf(b.kind)
    )
  const times = sorted.map(({ at }) => DateTime.toEpochMillis(at))
  return {
    object: "timeline",
    trade_no: about.tradeNo,
    mode: about.mode,
    duration_ms: times.at(-1)! - times[0]!,
    truncated: entryKinds.some((kind) => mayRead(kind) && (lengths[kind] ?? 0) > timelineRowsMax),
    omitted_kinds: entryKinds.filter((kind) => !mayRead(kind)),
    entries: sorted.map(({ at, details, id, kind, text }, index) => ({
      at: isoText(at),
      after_ms: index === 0 ? 0 : times[index]! - times[index - 1]!,
      kind,
      id,
      text,
      details
    }))
  }
}

const requestEntry = ({ created_at, request_id, ...call }: RequestRow): Entry => {
  const { duration_ms, error_code, idempotency_key, ip, method, path, status, user_agent } = call
  return {
    at: created_at,
    kind: "request",
    id: request_id,
    text: `${method} ${path} returned ${status} after ${duration_ms} ms`,
    details: { method, path, status, error_code, duration_ms, ip, user_agent, idempotency_key }
  }
}

type Details = Entry["details"]
type FeesOf = (paymentId: string) => Details

const feeDetails = (fee: ReturnType<FeeOf>): Details =>
  fee === undefined ? {} : { channel_fee: fee.fee, channel_fee_currency: fee.currency }

/** A step without a time of its own, such as an expiry, is shown by its event. */
const orderEntries = (about: Order, feesOf: FeesOf): ReadonlyArray<Entry> => {
  const { amount, createdAt, currency, outTradeNo, tradeNo } = about
  const created: Entry = {
    at: createdAt,
    kind: "order",
    id: tradeNo,
    text: `order of ${amount} ${currency} created`,
    details: { out_trade_no: outTradeNo, amount, currency }
  }
  const held = holdEntries(about)
  if (!("paymentId" in about)) return [created, ...held]
  const { fee, method, paidAt, paymentId } = about
  const paid: Entry = {
    at: paidAt,
    kind: "order",
    id: tradeNo,
    text: `payment ${paymentId} by ${method} reported by the channel`,
    details: {
      payment_id: paymentId,
      payment_method: method,
      amount: amountPaid(about),
      currency,
      fee,
      ...feesOf(paymentId)
    }
  }
  return [created, ...held, paid]
}

/** The end of a hold is shown by its event. */
const holdEntries = ({ amount, currency, hold, tradeNo }: Order): ReadonlyArray<Entry> => {
  if (hold?.payment === undefined) return []
  const { authorizedAt, captureBy, method, paymentId } = hold.payment
  const details = { payment_method: method, amount, currency, capture_by: isoText(captureBy) }
  return [
    {
      at: authorizedAt,
      kind: "order",
      id: tradeNo,
      text: `${amount} ${currency} by ${method} held for payment ${paymentId}, not charged`,
      details: hold.refusal === undefined ? details : { ...details, refusal: hold.refusal }
    }
  ]
}

const outcomes = { declined: "was declined", cancelled: "was canceled by the buyer", failed: "failed" }

/** The card is not in the text, which API logs keep: an erasure would not find it there. */
const attemptToPayEntry = (attempt: PaymentAttempt): Entry => ({
  at: attempt.at,
  kind: "payment_attempt",
  id: attempt.id,
  text: `payment attempt by ${attempt.method} ${outcomes[attempt.outcome]}: ${attempt.message ?? attempt.reason}`,
  details: {
    channel: attempt.channel,
    payment_method: attempt.method,
    card_brand: attempt.card?.brand ?? null,
    card_last4: attempt.card?.last4 ?? null,
    outcome: attempt.outcome,
    reason: attempt.reason,
    message: attempt.message ?? null,
    three_d_secure: attempt.threeDs ?? null
  }
})

const reasons = {
  late: "arrived after the order had ended",
  second: "arrived after the order was already paid",
  mismatch: "did not match the order's amount"
}
const whereabouts = {
  releasing: "it was only held, and is being released",
  released: "it was only held, and was released",
  due: "it is being returned to the buyer",
  returned: "it was returned to the buyer",
  parked: "an operator has to review it",
  closed: "it was closed by an operator",
  takenBack: "it was reversed by the buyer's bank",
  cameBack: "returning it failed, so an operator has to review it"
}

const whereIs = ({ dispute, isHold, state, wasReturned }: UnappliedPayment): keyof typeof whereabouts => {
  if (isHold) return state === "due" ? "releasing" : "released"
  const isTaken = (dispute?.taken ?? 0) > 0
  if (isTaken && state === "returned") return "takenBack"
  return wasReturned && state === "parked" && !isTaken ? "cameBack" : state
}

const withoutNote = ({ note: _, ...payment }: UnappliedPayment): UnappliedPayment => payment

/** The event shows when it went back. */
const unappliedEntry = ({ createdAt }: Order, payment: UnappliedPayment, feesOf: FeesOf): Entry => {
  const { amount, currency, dispute, method, note, paidAt, paymentId, problem, reason, state } = payment
  const why = [problem, note].filter((each) => each !== undefined)
  const now = whereabouts[whereIs(payment)] + (why.length === 0 ? "" : ` (${why.join("; ")})`)
  const disputed =
    dispute === undefined
      ? {}
      : { processor_dispute_id: dispute.id, processor_status: dispute.status, taken: dispute.taken }
  return {
    at: paidAt ?? createdAt,
    kind: "unapplied_payment",
    id: paymentId,
    text: `payment ${paymentId} of ${amount} ${currency} by ${method} ${reasons[reason]}: ${now}`,
    details: {
      payment_id: paymentId,
      payment_method: method,
      amount,
      currency,
      reason,
      status: state,
      ...disputed,
      ...feesOf(paymentId)
    }
  }
}

const refundEntries = (row: StoryRows["refunds"][number]): ReadonlyArray<Entry> => {
  const { amount, created_at, currency, failure_reason, out_refund_no, payment_id, reason, refund_no, settled_at } = row
  const status = row.status === "reserved" ? "pending" : row.status
  const requested: Entry = {
    at: created_at,
    kind: "refund",
    id: refund_no,
    text: `refund of ${amount} ${currency} requested`,
    details: { out_refund_no, amount, currency, reason }
  }
  const ended = status === "failed" ? row.updated_at : settled_at
  if (ended === null || status === "pending") return [requested]
  const deed =
    status === "failed"
      ? `refund rejected by the channel: ${failure_reason ?? "no reason"}`
      : "refund paid out by the channel"
  return [
    requested,
    {
      at: ended,
      kind: "refund",
      id: refund_no,
      text: deed,
      details: { status, payment_id, failure_reason }
    }
  ]
}

const disputeEntries = (row: StoryRows["disputes"][number]): ReadonlyArray<Entry> => {
  const { amount, closed_at, currency, dispute_no, evidence_due_by, opened_at, processor_dispute_id, reason } = row
  const { processor_status, status } = row
  const opened: Entry = {
    at: opened_at,
    kind: "dispute",
    id: dispute_no,
    text: `dispute of ${amount} ${currency} opened by the buyer's bank: ${reason}`,
    details: { processor_dispute_id, amount, currency, reason, evidence_due_by: isoTextOrNull(evidence_due_by) }
  }
  if (closed_at === null) return [opened]
  const text = `dispute closed: ${status}`
  return [opened, { at: closed_at, kind: "dispute", id: dispute_no, text, details: { status, processor_status } }]
}

const movementEntry = ({ created_at, id, ...row }: StoryRows["movements"][number]): Entry => ({
  at: created_at,
  kind: "ledger",
  id,
  text: `${row.type} of ${row.amount} ${row.currency}`,
  details: row
})

const eventEntry = ({ created_at, id, object_id, type }: StoryRows["events"][number]): Entry => ({
  at: created_at,
  kind: "event",
  id,
  text: `event ${type}`,
  details: { type, object_id }
})

const deliveryEntry = ({ created_at, id, next_attempt_at, ...row }: StoryRows["deliveries"][number]): Entry => ({
  at: created_at,
  kind: "delivery",
  id,
  text: `delivery to ${row.url}: ${row.status}`,
  details: { ...row, next_attempt_at: isoTextOrNull(next_attempt_at) }
})

const attemptEntry = (row: StoryRows["attempts"][number]): Entry => {
  const { at, attempt, delivery_id, duration_ms, failure, status_code } = row
  return {
    at,
    kind: "attempt",
    id: delivery_id,
    text: `attempt ${attempt}: ${status_code ?? failure ?? "no response"} after ${duration_ms} ms`,
    details: { delivery_id, attempt, status_code, failure, duration_ms }
  }
}

const mailEntry = ({ created_at, id, ...row }: StoryRows["mails"][number]): Entry => ({
  at: created_at,
  kind: "receipt",
  id,
  text: `receipt emailed to ${row.recipient}: ${row.status}${row.error === null ? "" : ` (${row.error})`}`,
  details: row
})
