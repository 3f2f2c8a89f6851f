/**
 * Exports for the operator (docs/architecture.md, section 7): all that is kept of a buyer, and of a merchant who moves
 * away. The answer is a tar archive of JSON lines that is sent while it is read.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { InvalidRequest, MerchantNotFound, Unavailable } from "./Errors.ts"
import { anyMode, ofMerchant } from "./fields.ts"
import { Email } from "./Orders.ts"

const archive = HttpApiSchema.StreamUint8Array({ contentType: "application/x-tar" })
const what =
  "A tar archive of files with one JSON object a line, 250 at most, in a folder for each kind. The last file, " +
  "`manifest.json`, has the path, the lines and the SHA-256 of each of the others; an archive without it is not whole."

export class ExportsGroup extends HttpApiGroup.make("exports")
  .add(
    HttpApiEndpoint.post("buyer", "/operator/v1/exports", {
      payload: Schema.Struct({ email: Email.annotate({ description: "The buyer's address." }) }).annotate({
        examples: [{ email: "buyer@example.com" }]
      }),
      success: archive,
      error: [InvalidRequest, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Export all that is kept of a buyer",
        description:
          `${what} Orders of all merchants that have this address, with refunds, disputes, evidence, events, mails ` +
          "and deliveries. The audit log has who asked for it, and not the address."
      })
    ),
    HttpApiEndpoint.post("merchant", "/operator/v1/merchants/:merchant_id/exports", {
      params: ofMerchant,
      payload: Schema.Struct({ mode: anyMode }).annotate({ examples: [{ mode: "live" }] }),
      success: archive,
      error: [InvalidRequest, MerchantNotFound, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Export a merchant, for moving away",
        description: `${what} Settings without secrets, orders, refunds, disputes, payouts, links, ledger and events.`
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Archives of what is kept.") {}
