/**
 * What Adyen's notices say of a payment that is captured later, in whatever order they came. What is not captured and
 * not released is held. Pure.
 */
import { Minor } from "@coffer/model/Money"
import { isCardCharged, PaymentMethod } from "@coffer/model/PaymentMethod"
import { DateTime, Schema } from "effect"
import type { Holds } from "../../shared/channel/Channel.ts"
import type { ChannelPayment } from "../../shared/channel/payments.ts"
import { refundableUntil } from "../../shared/channel/refundWindows.ts"
import type { NoticeRow } from "./NoticeStore.ts"

export const captureCode = "CAPTURE"
/** It comes after a capture, and says that Adyen does not get the money. */
export const captureFailedCode = "CAPTURE_FAILED"

/** After which Adyen holds nothing any more. The third is sent where the merchant has asked Adyen for it. */
const releases: ReadonlySet<string> = new Set(["CANCELLATION", "CANCEL_OR_REFUND", "EXPIRE", "TECHNICAL_CANCEL"])

export const isOfHold = (code: string): boolean => code === captureCode || releases.has(code)

/** For how many days: the shortest that the card schemes promise. Adyen itself releases later. */
const heldDays = 7
/** Past this no scheme holds an amount, and a capture before it would be told. */
const heldDaysMax = 40

export const days: Holds["days"] = Object.fromEntries(
  PaymentMethod.literals.flatMap((method) => (isCardCharged(method) ? [[method, heldDays] as const] : []))
)

export const isLongOver = (authorizedAt: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(DateTime.add(authorizedAt, { days: heldDaysMax }), now)

export interface HoldWord {
  /** The notice of the capture. */
  readonly captured: NoticeRow | undefined
  readonly isReleased: boolean
}

/** `notices`: about one payment. */
export const holdWordOf = (notices: ReadonlyArray<NoticeRow>): HoldWord => {
  const failed = new Set(
    notices.flatMap(({ code, psp_reference }) => (code === captureFailedCode ? psp_reference : []))
  )
  const captured = notices.find(
    ({ amount, code, psp_reference, succeeded }) =>
      code === captureCode && succeeded && isMinor(amount) && !failed.has(psp_reference)
  )
  const isReleased = captured === undefined && notices.some(({ code, succeeded }) => succeeded && releases.has(code))
  return { captured, isReleased }
}
const isMinor = Schema.is(Minor)

/** The payment as it is now. `authorized`: as its own notice tells it. */
export const heldAs = (authorized: ChannelPayment, { captured }: HoldWord): ChannelPayment => {
  if (captured === undefined) {
    return { ...authorized, hold: { captureBy: DateTime.add(authorized.paidAt, { days: heldDays }) } }
  }
  const paidAt = captured.event_at
  const until = refundableUntil(authorized.method, paidAt)
  return { ...authorized, amount: Minor.make(captured.amount), paidAt, refundableUntil: until, hold: "captured" }
}
