/** Stripe's test cards and test payment methods, with the outcome of a payment with each. */

export interface TestCard {
  readonly number: string
  readonly brand: string
  readonly country: string
  readonly funding: "credit" | "debit" | "prepaid"
  readonly behaviour: Behaviour
  /** Stripe's names of it as a payment method. */
  readonly names: ReadonlyArray<string>
}

export type Behaviour =
  | "pays"
  | "pays_at_once"
  | `declined:${Decline}`
  | `disputed:${DisputeReason}`
  | "inquired"
  | "warned"
  | "refund_pends"
  | "refund_fails"
  | "authenticates"
  | `authenticates_then_declined:${Decline}`
  | "blocked"

export type Decline =
  | "generic_decline"
  | "insufficient_funds"
  | "lost_card"
  | "stolen_card"
  | "expired_card"
  | "incorrect_cvc"
  | "processing_error"
  | "incorrect_number"
  | "card_velocity_exceeded"

export type DisputeReason = "fraudulent" | "product_not_received"

type Row = readonly [
  number: string,
  behaviour: Behaviour,
  names?: string,
  brand?: string,
  funding?: TestCard["funding"],
  country?: string
]

const rows: ReadonlyArray<Row> = [
  ["4242424242424242", "pays", "visa"],
  ["4000056655665556", "pays", "visa_debit", "visa", "debit"],
  ["5555555555554444", "pays", "mastercard", "mastercard"],
  ["2223003122003222", "pays", "", "mastercard"],
  ["5200828282828210", "pays", "mastercard_debit", "mastercard", "debit"],
  ["5105105105105100", "pays", "mastercard_prepaid", "mastercard", "prepaid"],
  ["378282246310005", "pays", "amex", "amex"],
  ["371449635398431", "pays", "", "amex"],
  ["6011111111111117", "pays", "discover", "discover"],
  ["3056930009020004", "pays", "diners", "diners"],
  ["3566002020360505", "pays", "jcb", "jcb"],
  ["6200000000000005", "pays", "unionpay", "unionpay", "credit", "CN"],
  ["4000000760000002", "pays", "br", "visa", "credit", "BR"],
  ["4000001240000000", "pays", "ca", "visa", "credit", "CA"],
  ["4000001560000002", "pays", "cn", "visa", "credit", "CN"],
  ["4000002760000016", "pays", "de", "visa", "credit", "DE"],
  ["4000008260000000", "pays", "gb", "visa", "debit", "GB"],
  ["4000003440000004", "pays", "hk", "visa", "credit", "HK"],
  ["4000000000000077", "pays_at_once", "bypassPending"],
  ["4000000000000002", "declined:generic_decline", "visa_chargeDeclined chargeDeclined"],
  ["4000000000009995", "declined:insufficient_funds", "visa_chargeDeclinedInsufficientFunds"],
  ["4000000000009987", "declined:lost_card", "visa_chargeDeclinedLostCard"],
  ["4000000000009979", "declined:stolen_card", "visa_chargeDeclinedStolenCard"],
  ["4000000000000069", "declined:expired_card", "chargeDeclinedExpiredCard"],
  ["4000000000000127", "declined:incorrect_cvc", "chargeDeclinedIncorrectCvc"],
  ["4000000000000119", "declined:processing_error", "chargeDeclinedProcessingError"],
  ["4000000000006975", "declined:card_velocity_exceeded", "visa_chargeDeclinedVelocityLimitExceeded"],
  ["4000000000000341", "declined:generic_decline", "chargeCustomerFail"],
  ["4242424242424241", "declined:incorrect_number"],
  ["4100000000000019", "blocked", "radarBlock"],
  ["4000000000000259", "disputed:fraudulent", "createDispute"],
  ["4000000000002685", "disputed:product_not_received", "createDisputeProductNotReceived"],
  ["4000000000001976", "inquired", "createDisputeInquiry"],
  ["4000000000005423", "warned", "createIssuerFraudRecord"],
  ["4000000000007726", "refund_pends", "pendingRefund"],
  ["4000000000005126", "refund_fails", "refundFail"],
  ["4000002500003155", "authenticates", "authenticationRequiredOnSetup"],
  ["4000002760003184", "authenticates", "authenticationRequired"],
  ["4000000000003220", "authenticates", "threeDSecure2Required"],
  ["4000000000003063", "authenticates", "threeDSecureRequired"],
  [
    "4000008260003178",
    "authenticates_then_declined:insufficient_funds",
    "authenticationRequiredChargeDeclinedInsufficientFunds"
  ],
  ["4000008400001629", "authenticates_then_declined:generic_decline", "threeDSecureRequiredChargeDeclined"]
]

export const testCards: ReadonlyArray<TestCard> = rows.map(
  ([number, behaviour, names = "", brand = "visa", funding = "credit", country = "US"]) => ({
    number,
    brand,
    country,
    funding,
    behaviour,
    names: names.split(" ").flatMap((name) => (name === "" ? [] : [`pm_card_${name}`]))
  })
)

const byNumber = new Map(testCards.map((card) => [card.number, card]))
const byName = new Map(testCards.flatMap((card) => card.names.map((name) => [name, card] as const)))

export const cardOfNumber = (number: string): TestCard | undefined => byNumber.get(number.replace(/[ -]/g, ""))
export const cardOfName = (name: string): TestCard | undefined => byName.get(name)
