/** Handlers of the operator's `exports` group (docs/architecture.md, section 7). */
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect, type Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { merchantRefusals } from "../merchants/merchantRefusals.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { span } from "../platform/runtime/span.ts"
import { Exports } from "./Exports.ts"

const { MerchantNotFound } = merchantRefusals

/** If the database fails later, the connection is cut, and the archive has no manifest. */
const sent = (name: string, bytes: Stream.Stream<Uint8Array>) =>
  HttpServerResponse.stream(bytes, {
    contentType: "application/x-tar",
    headers: { "content-disposition": `attachment; filename="${name}.tar"` }
  })

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "exports",
  Effect.fnUntraced(function* (handlers) {
    const exports = yield* Exports
    const merchants = yield* Merchants
    return handlers.handleAll({
      buyer: span("exports.buyer")(function* ({ payload }) {
        return yield* Effect.succeed(sent("buyer", exports.ofBuyer(payload.email)))
      }),

      merchant: span("exports.merchant")(function* ({ params, payload: { mode } }) {
        const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
        return sent(`${merchantId}-${mode}`, exports.ofMerchant({ merchantId, mode }))
      }, Effect.catchTags({ MerchantNotFound }))
    })
  })
)
