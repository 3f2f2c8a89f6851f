/** Objects that need attention on the wire (`held_up`): the one encoder. Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { HeldUpResource } from "@coffer/contract/HeldUp"
import type { ChannelDispute } from "@coffer/rules/order/Order"
import { DateTime } from "effect"
import type { HeldRow } from "./heldRows.ts"

type Turn = Pick<HeldUpResource, "waits_for" | "text"> & { readonly since: DateTime.Utc }

/** `titleOf`: a channel's name for people. */
export const needsAttentionView =
  (now: DateTime.Utc, titleOf: (channel: string) => string) =>
  (row: HeldRow): HeldUpResource => {
    const { since, text, waits_for } = turnOf(row, now, titleOf)
    const isOfPerson =
      waits_for === "merchant" ||
      (waits_for === "operator" && row.kind !== "unapplied_payment" && row.kind !== "report")
    return {
      object: "held_up",
      kind: row.kind,
      id: row.id,
      merchant_id: row.merchant_id,
      mode: row.mode,
      trade_no: row.trade_no,
      ...moneyOf(row),
      due_by: isoTextOrNull(deadlineOf(row)),
      status: row.status,
      waits_for,
      text,
      since: isoText(since),
      attempts: row.attempts,
      last_error: row.error,
      next_attempt_at: isOfPerson ? null : isoTextOrNull(row.next_at)
    }
  }

/** The sum of the waiting unapplied payments, if they have one currency. */
const moneyOf = (row: HeldRow): Pick<HeldUpResource, "amount" | "currency"> => {
  if (row.payments === null) return { amount: row.amount, currency: row.currency }
  const waiting = waitingIn(row)
  const currency = waiting[0]?.currency
  if (currency === undefined || waiting.some((one) => one.currency !== currency))
    return { amount: null, currency: null }
  return { amount: waiting.reduce((sum, { amount }) => sum + amount, 0), currency }
}

/** The earliest, where there are several. */
const deadlineOf = (row: HeldRow): DateTime.Utc | null => {
  if (row.kind === "dispute" || row.kind === "hold") return row.due_by
  const times = waitingIn(row).flatMap(({ dispute }) =>
    dispute?.answerBy === undefined || dispute.isOver ? [] : [dispute.answerBy]
  )
  return times.length === 0 ? null : times.reduce(DateTime.min)
}

const waitingIn = ({ payments }: HeldRow) =>
  (payments ?? []).filter(({ state }) => state === "due" || state === "parked")

const turnOf = (row: HeldRow, now: DateTime.Utc, titleOf: (channel: string) => string): Turn => {
  const { created_at: since } = row
  switch (row.kind) {
    case "refund":
      return { waits_for: "channel", text: "waiting for the channel to settle the refund", since }
    case "dispute":
      return inBothCurrencies(row, disputeTurn(row, now))
    case "hold":
      return holdTurn(row)
    case "payout":
      return row.status === "requested"
        ? { waits_for: "operator", text: "an operator has to approve or reject the payout", since }
        : { waits_for: "operator", text: "an operator has to mark the payout as paid or failed", since: row.updated_at }
    case "delivery":
      return { waits_for: "receiver", text: `waiting for ${row.url} to accept the event`, since }
    case "mail":
      return { waits_for: "mail_server", text: "waiting for the mail server to accept the receipt", since }
    case "report":
      return { waits_for: "operator", text: "an operator has to find out why the report fails", since }
    case "unapplied_payment":
      return unappliedTurn(row)
    case "stray_session":
      return straySessionTurn(row, titleOf(row.channel ?? ""))
  }
}

const holdTurn = ({ due_by, status, updated_at: since }: HeldRow): Turn =>
  status === "refused"
    ? {
        waits_for: "merchant",
        text: `the channel refused: the merchant can capture or cancel the order until ${isoTextOrNull(due_by)}`,
        since
      }
    : {
        waits_for: "channel",
        text: `waiting for the channel to ${status === "releasing" ? "release" : "capture"} the held amount`,
        since
      }

const disputeTurn = (row: HeldRow, now: DateTime.Utc): Turn => {
  const { created_at, due_by, is_answered, stage, status, updated_at } = row
  const until = due_by === null ? "" : ` until ${isoText(due_by)}`
  if (stage === "appeal_offered") {
    const text = `an appeal can be filed in the channel's dashboard${until}`
    return { waits_for: "operator", text, since: updated_at }
  }
  if (stage === "appeal_filed") {
    return { waits_for: "bank", text: "waiting for the bank to decide the appeal", since: updated_at }
  }
  if (status === "under_review")
    return { waits_for: "bank", text: "waiting for the bank's decision", since: updated_at }
  if (is_answered === true) {
    return {
      waits_for: "channel",
      text: "waiting for the channel to accept the merchant's response",
      since: updated_at
    }
  }
  if (due_by !== null && DateTime.isLessThan(due_by, now)) {
    return { waits_for: "bank", text: "no response in time: waiting for the bank's decision", since: due_by }
  }
  return stage === "inquiry"
    ? { waits_for: "merchant", text: `the merchant has to respond to the bank's inquiry${until}`, since: created_at }
    : { waits_for: "merchant", text: `the merchant has to respond to the bank${until}`, since: created_at }
}

const inBothCurrencies = ({ amount, currency, presented }: HeldRow, turn: Turn): Turn =>
  presented === null
    ? turn
    : { ...turn, text: `${turn.text}; the channel's dispute is of ${presented}, and ${amount} ${currency} are on hold` }

/** Only the operator answers it, at the channel. */
const disputeText = ({ answerBy, id, isOver, status }: ChannelDispute): string => {
  const until = isOver || answerBy === undefined ? "" : `, respond at the channel by ${isoText(answerBy)}`
  return `its dispute ${id} is ${status}${until}`
}

/** After a restore, or from another installation with the same account. */
const straySessionTurn = ({ created_at: since, status, trade_no, url }: HeldRow, channel: string): Turn => {
  const what =
    status === "open"
      ? `a buyer can still pay it: expire it at ${channel}`
      : `its funds are in no wallet: refund it at ${channel}, which resolves this, or pay the merchant manually ` +
        "and close it"
  return {
    waits_for: "operator",
    text: `${channel}'s session ${url} refers to ${trade_no}, but is unknown to Coffer; ${what}`,
    since
  }
}

/** The text names all payments; the one that needs a person decides whose turn it is. */
const unappliedTurn = (row: HeldRow): Turn => {
  const waiting = waitingIn(row)
  const times = waiting.flatMap(({ paidAt }) => (paidAt === undefined ? [] : [paidAt]))
  const steps = waiting.map(({ amount, currency, dispute, paymentId, problem, reason, state }) => {
    const why = [
      reason,
      ...(problem === undefined ? [] : [`it could not be returned: ${problem}`]),
      ...(dispute === undefined ? [] : [disputeText(dispute)])
    ].join("; ")
    const what = `${paymentId} of ${amount} ${currency} (${why})`
    return state === "parked" ? `an operator has to review ${what}` : `waiting for the channel to return ${what}`
  })
  return {
    waits_for: waiting.some(({ state }) => state === "parked") ? "operator" : "channel",
    text: steps.join("; "),
    since: times.length === 0 ? row.created_at : times.reduce(DateTime.min)
  }
}
