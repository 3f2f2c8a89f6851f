/**
 * Exports (docs/architecture.md, section 7): all data of a buyer, for the operator and for the merchant, and of a
 * merchant who leaves. The answer is a tar archive that is streamed. Without Idempotency-Key: a stored request would
 * keep the address.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, MerchantKey, OperatorToken, Quotas } from "./Caller.ts"
import { InvalidRequest, MerchantNotFound, Unavailable } from "./Errors.ts"
import { Email, anyMode, ofMerchant } from "./fields.ts"

const archive = HttpApiSchema.StreamUint8Array({ contentType: "application/x-tar" })
const what =
  "A tar archive of files with one JSON object per line, at most 250 lines each, in a folder for each kind, and " +
  "of uploaded files in `files`. The last file, `manifest.json`, lists the path, SHA-256 and number of lines of " +
  "each of the others, and any uploads missing from storage; an archive without it is incomplete."
const kinds = "with refunds, disputes, evidence and its files, events, mails, deliveries and API logs"

const Buyer = Schema.Struct({ email: Email.annotate({ description: "The buyer's address." }) }).annotate({
  examples: [{ email: "buyer@example.com" }]
})

/** The merchants' group. */
export class BuyerExportsGroup extends HttpApiGroup.make("exports")
  .add(
    HttpApiEndpoint.post("buyer", "/v1/exports", {
      payload: Buyer,
      success: archive,
      error: [InvalidRequest, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Export everything stored about a buyer",
        description:
          `${what} The buyer's orders in this environment, ${kinds}, and what names the address elsewhere, ` +
          "without others' words. It counts against the quota of CSV exports, and stores nothing."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Archives of stored data.") {}

export class ExportsGroup extends HttpApiGroup.make("exports")
  .add(
    HttpApiEndpoint.post("buyer", "/operator/v1/exports", {
      payload: Buyer,
      success: archive,
      error: [InvalidRequest, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Export everything stored about a buyer",
        description:
          `${what} Orders of all merchants that have this address, ${kinds}. ` +
          "The audit log records who asked for it, and not the address."
      })
    ),
    HttpApiEndpoint.post("merchant", "/operator/v1/merchants/:merchant_id/exports", {
      params: ofMerchant,
      payload: Schema.Struct({ mode: anyMode }).annotate({ examples: [{ mode: "live" }] }),
      success: archive,
      error: [InvalidRequest, MerchantNotFound, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Export all data of a merchant",
        description:
          `${what} Settings without secrets, webhook endpoints, orders, refunds, disputes, payouts, links, ledger, ` +
          "events, files and API logs."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Archives of stored data.") {}
