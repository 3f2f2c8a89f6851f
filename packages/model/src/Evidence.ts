/**
 * The evidence for a buyer's bank, and the files beside it (spec: Disputes, POST evidence). Which of it helps depends
 * on the dispute's reason, and the bank decides.
 */
import { Record, Schema } from "effect"
import { evidenceTextLengthMax, urlLengthMax } from "./Limits.ts"
import { optional, withoutNulls } from "./optional.ts"
import { FreeText } from "./Text.ts"

/** The texts for a bank, and the subject of each. */
const subjects = {
  product_description: "The goods or the service.",
  customer_name: "The buyer's name.",
  customer_email_address: "The buyer's e-mail address.",
  customer_purchase_ip: "The address that the buyer ordered from.",
  billing_address: "The buyer's billing address.",
  shipping_address: "Where the goods were sent.",
  shipping_carrier: "The carrier of the goods.",
  shipping_tracking_number: "The tracking number of the parcel.",
  shipping_date: "When the goods were shipped.",
  service_date: "When the service was provided.",
  access_activity_log: "When and from where the buyer used what was sold.",
  refund_policy_disclosure: "How the buyer was shown the refund policy.",
  refund_refusal_explanation: "Why the buyer is not entitled to a refund.",
  cancellation_policy_disclosure: "How the buyer was shown the cancellation policy.",
  cancellation_rebuttal: "Why the subscription was not cancelled."
}

export const evidenceNames = Object.keys(subjects) as ReadonlyArray<keyof typeof subjects>

/** Additionally, the texts that decide a channel's test disputes (silences: S29). */
const texts = {
  ...subjects,
  uncategorized_text:
    "Only for test disputes of a sandbox that takes payments through an acquirer, and refused elsewhere: " +
    "`winning_evidence` or `losing_evidence` decides one, and `escalate_inquiry_evidence` makes a chargeback of an " +
    "inquiry."
}
type Name = keyof typeof texts

export const textNames = Object.keys(texts) as ReadonlyArray<Name>

const ofEach = <S>(field: (description: string) => S): { readonly [name in Name]: S } => Record.map(texts, field)

/** As it is stored. */
export const EvidenceText = Schema.Struct(
  ofEach((description) => Schema.optionalKey(Schema.String.annotate({ description })))
)
export type EvidenceText = typeof EvidenceText.Type

/** As a merchant sends it. */
export const NewEvidenceText = withoutNulls(
  Schema.Struct(ofEach((description) => optional(FreeText(evidenceTextLengthMax), description)))
)

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

/** Two files may have the same type (silences: D7). The room of files checks who owns the address. */
export const EvidenceFile = Schema.Struct({
  type: EvidenceFileType.annotate({ description: "The content of the file." }),
  url: Schema.String.check(Schema.isMaxLength(urlLengthMax)).annotate({
    description: "Its URL, from the answer to the upload."
  })
})
export type EvidenceFile = typeof EvidenceFile.Type

/** Complete evidence: each submission replaces the one before, and nothing is merged (spec: Disputes). */
export const Evidence = Schema.Struct({ text: EvidenceText, files: Schema.Array(EvidenceFile) })
export type Evidence = typeof Evidence.Type

export const noEvidence: Evidence = { text: {}, files: [] }
