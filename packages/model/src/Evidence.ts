/**
 * What a merchant may say to a buyer's bank, and the files beside it (spec: Disputes, POST evidence). Which of it helps
 * depends on the dispute's reason; that is the bank's to judge.
 */
import { Schema } from "effect"
import { evidenceTextLengthMax, urlLengthMax } from "./Limits.ts"

/** Lines and tabs are welcome. What Postgres cannot keep is not: NUL, and half a surrogate pair. */
const Field = (description: string) =>
  Schema.optionalKey(
    Schema.String.annotate({ description }).check(
      Schema.makeFilter((text: string) => isKept(text), {
        expected: `text of at most ${evidenceTextLengthMax} characters`,
        toJsonSchema: () => ({ maxLength: evidenceTextLengthMax })
      })
    )
  )

// Code points are never more than units, so the short way is taken by nearly all texts.
const isKept = (text: string): boolean =>
  text.isWellFormed() &&
  !text.includes("\u0000") &&
  (text.length <= evidenceTextLengthMax || Array.from(text).length <= evidenceTextLengthMax)

export const EvidenceText = Schema.Struct({
  product_description: Field("What was sold."),
  customer_name: Field("The buyer's name."),
  customer_email_address: Field("The buyer's e-mail address."),
  customer_purchase_ip: Field("The address that the buyer ordered from."),
  billing_address: Field("The buyer's billing address."),
  shipping_address: Field("Where the goods were sent."),
  shipping_carrier: Field("Who carried them."),
  shipping_tracking_number: Field("The carrier's number of the parcel."),
  shipping_date: Field("When they left."),
  service_date: Field("When the service was given."),
  access_activity_log: Field("When and from where the buyer used what was sold."),
  refund_policy_disclosure: Field("How the buyer was shown the refund policy."),
  refund_refusal_explanation: Field("Why the buyer is not entitled to a refund."),
  cancellation_policy_disclosure: Field("How the buyer was shown the cancellation policy."),
  cancellation_rebuttal: Field("Why the subscription was not cancelled.")
})
export type EvidenceText = typeof EvidenceText.Type

export const EvidenceFileType = Schema.Literals([
  "receipt",
  "customer_communication",
  "customer_signature",
  "shipping_documentation",
  "service_documentation",
  "cancellation_policy",
  "refund_policy",
  "invoice_showing_distinct_transactions",
  "recurring_transaction_agreement",
  "uncategorized_file"
])

/** Two files may have one type (silences: D7). Whose the address is, is asked where files are kept. */
export const EvidenceFile = Schema.Struct({
  type: EvidenceFileType.annotate({ description: "What the file shows." }),
  url: Schema.String.check(Schema.isMaxLength(urlLengthMax)).annotate({
    description: "Its address as the upload answered it."
  })
})
export type EvidenceFile = typeof EvidenceFile.Type

/** One whole of evidence: each replaces the one before it, and nothing is merged (spec: Disputes). */
export const Evidence = Schema.Struct({ text: EvidenceText, files: Schema.Array(EvidenceFile) })
export type Evidence = typeof Evidence.Type

export const noEvidence: Evidence = { text: {}, files: [] }
