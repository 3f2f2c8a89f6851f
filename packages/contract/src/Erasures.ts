/**
 * Erasing a buyer (docs/architecture.md, section 7; docs/decisions/0103): for the operator of all merchants, for a
 * merchant its own. Without Idempotency-Key: concurrent requests for one buyer are one erasure, and a stored request
 * would keep the address.
 */
import { Mode } from "@coffer/model/Ids"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { erasuresMax, outTradeNoLengthMax } from "@coffer/model/Limits"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, MerchantKey, OperatorToken, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, ErasureNotFound, InvalidRequest, OrderNotFound, Unavailable } from "./Errors.ts"
import { Email, int, kind, orNull, text, withExample } from "./fields.ts"
import { ListQuery, requester } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

const Counts = Schema.Struct({
  orders: int("Orders."),
  refunds: int("Refunds of these orders."),
  disputes: int("Disputes of these orders, with their evidence."),
  files: int("Files that the evidence named."),
  mails: int("Mails with receipts."),
  events: int("Events about these."),
  attempts: int("Answers of webhook receivers."),
  payment_links: orNull(Schema.Int, "Payment links whose own texts contained the address; null for a dry run."),
  answers: orNull(Schema.Int, "Stored answers of requests with an `Idempotency-Key`; null for a dry run."),
  logs: orNull(Schema.Int, "API logs; null for a dry run.")
})

export const ErasureResource = withExample(
  Schema.Struct({
    object: kind("erasure"),
    erasure_no: orNull(Schema.String, "Number of the erasure; null for a dry run, which stores nothing."),
    status: Schema.Literals(["dry_run", "running", "done"]).annotate({
      description: "`running` until nothing of the buyer is left, including waiting orders."
    }),
    merchant_id: orNull(Schema.String, "The merchant of the buyer; null where a buyer of all merchants is erased."),
    mode: orNull(Mode, "In which environment; null for both."),
    trade_no: orNull(Schema.String, "The erased order; null if the erasure is by email address."),
    email_hash: orNull(
      Schema.String,
      "An HMAC of the address: this installation computes the same value for the same address; null if one order " +
        "is erased."
    ),
    orders_waiting: int(
      "Waiting orders: evidence is needed while a dispute is open, and pending mails and deliveries have to " +
        "arrive first."
    ),
    counts: Counts.annotate({ description: "Rows of each kind that were changed, or for a dry run, that would be." }),
    is_capped: Schema.Boolean.annotate({
      description: "For a dry run: there are more than 10,000 orders or other rows, and the rest was not looked at."
    }),
    requested_by: orNull(Schema.String, `${requester} Or the number of an operator. Null for a dry run.`),
    requested_at: orNull(Schema.String, "When it was requested. Later orders are not erased; null for a dry run."),
    done_at: orNull(Schema.String, "When it was complete; null before.")
  }).annotate({ identifier: "Erasure", description: "The erasure of a buyer. It contains no data of the buyer." }),
  {
    object: "erasure",
    erasure_no: sampleIds.erasure,
    status: "done",
    merchant_id: sampleIds.merchant,
    mode: "sandbox",
    trade_no: null,
    email_hash: "5f1d0c0b7a4c9be2f3a1d7e6c8b9a0f1e2d3c4b5a697887766554433221100ff",
    orders_waiting: 0,
    counts: {
      orders: 2,
      refunds: 1,
      disputes: 0,
      files: 0,
      mails: 2,
      events: 3,
      attempts: 3,
      payment_links: 0,
      answers: 1,
      logs: 9
    },
    is_capped: false,
    requested_by: "ada@shop.example",
    requested_at: "2026-11-21T09:45:00.000Z",
    done_at: "2026-11-21T09:45:21.000Z"
  }
)
export type ErasureResource = typeof ErasureResource.Encoded

const terms = {
  email: optional(
    Email,
    "The buyer's address, in any spelling: erases all orders that have it, and only the address itself where " +
      "other orders contain it."
  ),
  trade_no: optional(OneLine(1, outTradeNoLengthMax), "The one order that is erased, whatever address it has."),
  dry_run: optional(Schema.Boolean, "`true` returns how many rows of each kind would change, and changes nothing.")
}
const example = { examples: [{ email: "buyer@example.com", dry_run: true }] }
export const CreateErasure = withoutNulls(Schema.Struct(terms).annotate(example))

export const OperatorCreateErasure = withoutNulls(
  Schema.Struct({
    ...terms,
    email_hash: optional(
      Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "an `email_hash` of an erasure" })),
      "Instead of the address, after restoring a backup: the hash of an erasure made after the backup. The " +
        "address is found by hashing those of all orders."
    )
  }).annotate(example)
)
export type OperatorCreateErasure = typeof OperatorCreateErasure.Type

const ErasureReply = enveloped(ErasureResource)
const begun = [ErasureReply, ErasureReply.pipe(HttpApiSchema.status(202))] as const
const params = { erasure_no: text("Number of the erasure.") }
const what =
  "Metadata, addresses, subjects, evidence and its files, mails, events, receivers' answers, stored answers and API " +
  "logs then say `[erased]`; numbers, amounts and the ledger stay. 202: it has started, and `GET` returns its " +
  "progress. 200: a dry run. "

/** The merchants' group. */
export class ErasuresGroup extends HttpApiGroup.make("erasures")
  .add(
    HttpApiEndpoint.post("create", "/v1/erasures", {
      payload: CreateErasure,
      success: begun,
      error: [Conflict, InvalidRequest, OrderNotFound, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Erase a buyer",
        description:
          `${what}It erases only your own rows in this environment. While it runs, the same request returns the ` +
          `same erasure. 409: ${erasuresMax} of your erasures are running.`
      })
    ),
    HttpApiEndpoint.get("list", "/v1/erasures", {
      query: Schema.Struct(ListQuery),
      success: listed(ErasureResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List your erasures, newest first",
        description: "Those of this environment that your programs and your team requested."
      })
    ),
    HttpApiEndpoint.get("get", "/v1/erasures/:erasure_no", {
      params,
      success: ErasureReply,
      error: ErasureNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Retrieve an erasure",
        description: "The record is kept as proof that the erasure was done."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Erasures of buyers' personal data.") {}

/** The operator's group, for all merchants. */
export class OperatorErasuresGroup extends HttpApiGroup.make("erasures")
  .add(
    HttpApiEndpoint.post("create", "/operator/v1/erasures", {
      payload: OperatorCreateErasure,
      success: begun,
      error: [InvalidRequest, OrderNotFound, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Erase a buyer of all merchants",
        description: `${what}The audit log records who asked for it, and not the address.`
      })
    ),
    HttpApiEndpoint.get("list", "/operator/v1/erasures", {
      query: ListQuery,
      success: listed(ErasureResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List erasures, newest first",
        description:
          "Including merchants' own. Those made after a backup have to be requested again after restoring it."
      })
    ),
    HttpApiEndpoint.get("get", "/operator/v1/erasures/:erasure_no", {
      params,
      success: ErasureReply,
      error: ErasureNotFound
    }).annotateMerge(
      OpenApi.annotations({ summary: "Retrieve an erasure", description: "An erasure of any merchant." })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Erasures of buyers' personal data.") {}
