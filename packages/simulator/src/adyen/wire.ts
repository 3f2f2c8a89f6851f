/**
 * Adyen's objects as they are on the wire, made from the declarations of its official package: times are texts, and a
 * value of an enumeration is its text. The simulator's answers are of these types, so `tsc` holds them to what Adyen
 * publishes.
 */
import type * as disputes from "@adyen/api-library/lib/src/typings/disputes/models.js"
import type * as checkout from "@adyen/api-library/lib/src/typings/checkout/models.js"
import type { Notification } from "@adyen/api-library/lib/src/typings/notification/notification.js"

type OnWire<A> = A extends Date
  ? string
  : A extends string
    ? `${A}`
    : A extends ReadonlyArray<infer Each>
      ? ReadonlyArray<OnWire<Each>>
      : A extends object
        ? { readonly [Key in keyof A]: OnWire<A[Key]> }
        : A

export type Link = OnWire<checkout.PaymentLinkResponse>
export type NewLink = OnWire<checkout.PaymentLinkRequest>
export type Methods = OnWire<checkout.PaymentMethodsResponse>
export type NewRefund = OnWire<checkout.PaymentRefundRequest>
export type Refund = OnWire<checkout.PaymentRefundResponse>
export type NewCapture = OnWire<checkout.PaymentCaptureRequest>
export type Capture = OnWire<checkout.PaymentCaptureResponse>
export type NewCancel = OnWire<checkout.PaymentCancelRequest>
export type Cancel = OnWire<checkout.PaymentCancelResponse>
export type NewReversal = OnWire<checkout.PaymentReversalRequest>
export type Reversal = OnWire<checkout.PaymentReversalResponse>
export type Refusal = OnWire<checkout.ServiceError>
export type Reasons = OnWire<disputes.DefenseReasonsResponse>
export type Supplied = OnWire<disputes.SupplyDefenseDocumentResponse>
export type NewDocuments = OnWire<disputes.SupplyDefenseDocumentRequest>
export type Defended = OnWire<disputes.DefendDisputeResponse>
export type Accepted = OnWire<disputes.AcceptDisputeResponse>
export type Batch = OnWire<Notification>
export type Item = Batch["notificationItems"][number]["NotificationRequestItem"]
/** Parameters of requests that the simulator knows, by the names of Adyen's types. */
export const known = {
  link: [
    "merchantAccount",
    "reference",
    "amount",
    "description",
    "allowedPaymentMethods",
    "reusable",
    "expiresAt",
    "shopperLocale",
    "returnUrl",
    "manualCapture"
  ],
  refund: ["merchantAccount", "amount", "reference"],
  capture: ["merchantAccount", "amount", "reference"],
  cancel: ["merchantAccount", "reference"],
  reversal: ["merchantAccount", "reference"]
} as const satisfies {
  readonly capture: ReadonlyArray<keyof NewCapture>
  readonly cancel: ReadonlyArray<keyof NewCancel>
  readonly link: ReadonlyArray<keyof NewLink>
  readonly refund: ReadonlyArray<keyof NewRefund>
  readonly reversal: ReadonlyArray<keyof NewReversal>
}
