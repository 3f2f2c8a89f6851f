/** Handlers of the `exports` groups, of the operator and of a merchant (docs/architecture.md, section 7). */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { merchantRefusals } from "../../access/merchants/merchantRefusals.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { span } from "../../platform/runtime/span.ts"
import { Exports } from "./Exports.ts"

const { MerchantNotFound } = merchantRefusals

/** If the database fails later, the connection is cut, and the archive has no manifest. */
const sendFile = (name: string, bytes: Stream.Stream<Uint8Array>) =>
  Effect.map(CurrentRecord, (record) => {
    // A slow reader is recognized by the bytes that wait for it.
    const making = Stream.fromEffectDrain(Effect.sync(() => record.stream?.making()))
    const parts = bytes.pipe(
      Stream.tap((part) => Effect.sync(() => record.stream?.sending(part.length))),
      Stream.flatMap((part) => Stream.concat(Stream.make(part), making))
    )
    return HttpServerResponse.stream(Stream.concat(making, parts), {
      contentType: "application/x-tar",
      headers: { "content-disposition": `attachment; filename="${name}.tar"` }
    })
  })

export const layer = HttpApiBuilder.group(
  Api,
  "exports",
  Effect.fnUntraced(function* (handlers) {
    const exports = yield* Exports
    return handlers.handleAll({
      buyer: span("exports.buyer")(function* ({ payload }) {
        return yield* sendFile("buyer", exports.ofBuyer(payload.email, yield* Caller))
      })
    })
  })
)

export const layerOperator = HttpApiBuilder.group(
  OperatorApi,
  "exports",
  Effect.fnUntraced(function* (handlers) {
    const exports = yield* Exports
    const merchants = yield* Merchants
    return handlers.handleAll({
      buyer: span("operator.exports.buyer")(function* ({ payload }) {
        return yield* sendFile("buyer", exports.ofBuyer(payload.email))
      }),

      merchant: span("operator.exports.merchant")(function* ({ params, payload: { mode } }) {
        const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
        return yield* sendFile(`${merchantId}-${mode}`, exports.ofMerchant({ merchantId, mode }))
      }, Effect.catchTags({ MerchantNotFound }))
    })
  })
)
