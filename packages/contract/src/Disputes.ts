/** Disputes on the wire: the resource, its evidence, and their endpoints (spec: Dispute; Endpoints, Disputes). */
import { EvidenceFile, EvidenceText, NewEvidenceText } from "@coffer/model/Evidence"
import { evidenceFilesMax } from "@coffer/model/Limits"
import { optional, withoutNulls } from "@coffer/model/optional"
import { filterFields, wireFields } from "@coffer/resources/listed"
import { disputes } from "@coffer/resources/returns"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, DisputeNotFound, InvalidRequest, ProcessorError, RateLimited, Unavailable } from "./Errors.ts"
import { kind, merchantId, orNull, text, withExample } from "./fields.ts"
import { ExportableQuery, sortedField, sortParameter, waitParameter } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

const Instant = Schema.String.annotate({ format: "date-time" })

/** Same structure in all responses and in `dispute.*` events. */
export const DisputeResource = withExample(
  Schema.Struct(wireFields(disputes, { merchant_id: merchantId })).annotate({
    identifier: "Dispute",
    description: "The dispute."
  }),
  {
    object: "dispute",
    dispute_no: sampleIds.dispute,
    trade_no: sampleIds.order,
    merchant_id: sampleIds.merchant,
    processor_dispute_id: "dp_01KAP5YH3V7N4Q8T2E9RWB6XZD",
    amount: 1999,
    fee: null,
    currency: "USD",
    status: "needs_response",
    processor_status: "needs_response",
    reason: "product_not_received",
    mode: "sandbox",
    funds_frozen: true,
    evidence_due_by: "2026-12-05T23:59:59.000Z",
    opened_at: "2026-11-28T14:02:11.350Z",
    closed_at: null,
    created_at: "2026-11-28T14:02:11.402Z",
    updated_at: "2026-11-28T14:02:11.402Z",
    out_trade_no: "cart-4711"
  }
)
export type DisputeResource = typeof DisputeResource.Encoded

const sampleEvidence = {
  customer_name: "Ada Reader",
  shipping_carrier: "SF Express",
  shipping_tracking_number: "SF1089443201"
}
const sampleFiles = [
  { type: "shipping_documentation", url: "https://files.example.com/f/x4TqGm9yZr2KpV7wB1nHcA" }
] as const

/** As it is stored: empty before the first draft (silences: D5). */
export const EvidenceResource = withExample(
  Schema.Struct({
    object: kind("dispute_evidence"),
    dispute_no: text("Our number of the dispute."),
    evidence: EvidenceText.annotate({ description: "Only the texts that were provided." }),
    files: Schema.Array(EvidenceFile).annotate({ description: "The files that were named." }),
    submitted: Schema.Boolean.annotate({
      description: "Whether it was submitted to the bank; then it is final unless the bank asks again."
    }),
    submitted_at: orNull(Instant, "When it was submitted; null for a draft."),
    updated_at: orNull(Instant, "When it was last replaced; null before the first draft.")
  }).annotate({ identifier: "DisputeEvidence", description: "The evidence." }),
  {
    object: "dispute_evidence",
    dispute_no: sampleIds.dispute,
    evidence: sampleEvidence,
    files: sampleFiles,
    submitted: false,
    submitted_at: null,
    updated_at: "2026-11-29T08:15:40.118Z"
  }
)
export type EvidenceResource = typeof EvidenceResource.Encoded

/**
 * A field that is not named is ignored, as in every body (silences: G5); inside `evidence` it is refused (silences:
 * D4).
 */
const ignored = [Schema.Record(Schema.String, Schema.Unknown)] as const

export const SubmitEvidence = withoutNulls(
  withExample(
    Schema.StructWithRest(
      Schema.Struct({
        evidence: optional(
          NewEvidenceText,
          "Texts of at most 5000 characters each; line breaks are kept. An unknown name is refused. `{}` removes " +
            "all texts."
        ),
        files: optional(
          Schema.Array(Schema.StructWithRest(EvidenceFile, ignored)).check(Schema.isMaxLength(evidenceFilesMax)),
          "At most 8 files that you have uploaded in this environment. `[]` removes all of them."
        ),
        submit: optional(
          Schema.Boolean,
          "`true` submits it to the bank; this works only once unless the bank asks again. Otherwise it is saved " +
            "as a draft."
        )
      }),
      ignored
    ).annotate({
      description: "The complete evidence: `evidence`, `files` or both are required."
    }),
    { evidence: sampleEvidence, files: sampleFiles, submit: true }
    // A schema with a check is published only by its name.
  )
    .check(
      // The body replaces the whole draft: without both fields it would silently remove the draft.
      Schema.makeFilter(({ evidence, files }) =>
        (evidence ?? files ?? null) === null
          ? { path: ["evidence"], issue: "is required, or files, or both. Send the text in evidence" }
          : undefined
      )
    )
    .annotate({ identifier: "SubmitEvidence" })
)
export type SubmitEvidence = typeof SubmitEvidence.Type

/** Filters of the list; all have to match (spec: Endpoints, Disputes). */
export const DisputeQuery = Schema.Struct({
  ...ExportableQuery,
  ...sortParameter,
  ...waitParameter,
  ...filterFields(disputes)
})
export type DisputeQuery = typeof DisputeQuery.Type

export const DisputeReply = enveloped(DisputeResource)

export const disputeRef = text("The dispute's `dispute_no`, or the channel's `processor_dispute_id`.")
const params = { ref: disputeRef }

export class DisputesGroup extends HttpApiGroup.make("disputes")
  .add(
    HttpApiEndpoint.post("submitEvidence", "/v1/disputes/:ref/evidence", {
      params,
      payload: SubmitEvidence,
      success: DisputeReply,
      error: [InvalidRequest, DisputeNotFound, Conflict, ProcessorError, Unavailable]
    })
      .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Save evidence as a draft, or submit it",
          description:
            "Each call replaces all of the evidence; send a draft's contents again. Once submitted, the dispute " +
            "is `under_review` and accepts no more evidence. 502: the channel could not be reached, and " +
            "the dispute is unchanged. If the channel does not answer in time, the dispute is returned unchanged and " +
            "updated automatically later. 409 after the deadline, and for a dispute that you accepted or that is " +
            "decided."
        })
      ),
    HttpApiEndpoint.post("accept", "/v1/disputes/:ref/accept", {
      params,
      success: DisputeReply,
      error: [DisputeNotFound, Conflict, ProcessorError, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Accept the loss",
        description:
          "The dispute is `lost` once the channel confirms it, which takes a moment; until then its status is " +
          "unchanged, and a second call has no effect. 502: the channel could not be reached, and the dispute " +
          "is unchanged."
      })
    )
  )
  // The middleware added first is innermost: the key is claimed before the body is decoded (silences: G10).
  .middleware(Decoding)
  .middleware(Idempotency)
  .add(
    HttpApiEndpoint.get("list", "/v1/disputes", {
      query: DisputeQuery,
      success: [listed(DisputeResource, sortedField), HttpApiSchema.StreamUint8Array({ contentType: "text/csv" })],
      error: [InvalidRequest, RateLimited, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List disputes, newest first, or export them",
        description:
          "All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and " +
          "the cursors."
      })
    ),
    HttpApiEndpoint.get("get", "/v1/disputes/:ref", {
      params,
      success: DisputeReply,
      error: DisputeNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Retrieve a dispute",
        description: "By our number or by the channel's."
      })
    ),
    HttpApiEndpoint.get("getEvidence", "/v1/disputes/:ref/evidence", {
      params,
      success: enveloped(EvidenceResource),
      error: DisputeNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the evidence back",
        description: "The draft, or what was submitted; empty before the first draft."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Chargebacks: read them, answer them with evidence, or accept the loss.") {}
