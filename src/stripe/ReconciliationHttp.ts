/** Handlers of the operator's `reconciliation` group (docs/architecture.md, section 7). */
import { OperatorApi } from "@coffer/contract/Operator"
import type { DifferenceResource } from "@coffer/contract/Reconciliation"
import { DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { commonRefusals } from "../http/refusals.ts"
import { replyList } from "../http/replies.ts"
import { span } from "../platform/runtime/span.ts"
import type { FeeOf } from "../timeline/channelFees.ts"
import { Reconciliation } from "./Reconciliation.ts"

type Row = Effect.Success<ReturnType<Reconciliation["Service"]["page"]>>["data"][number]

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "reconciliation",
  Effect.fnUntraced(function* (handlers) {
    const reconciliation = yield* Reconciliation
    const { InvalidField } = commonRefusals
    return handlers.handleAll({
      list: span("reconciliation.list")(function* ({ query }) {
        const page = yield* reconciliation.page(query)
        const feeOf = yield* reconciliation.channelFees(page.data)
        return yield* replyList("reconciliation_difference", "/operator/v1/reconciliation", page, view(feeOf))
      }, Effect.catchTags({ InvalidField }))
    })
  })
)

const view =
  (feeOf: FeeOf) =>
  (row: Row): DifferenceResource => {
    const fee = feeOf({ merchantId: row.merchant_id, mode: row.mode, paymentId: row.payment_id })
    return {
      object: "reconciliation_difference",
      id: row.id,
      merchant_id: row.merchant_id,
      mode: row.mode,
      payment_id: row.payment_id,
      trade_no: row.trade_no,
      currency: row.currency,
      ours: row.ours,
      theirs: row.theirs,
      channel_fee: fee?.fee ?? null,
      channel_fee_currency: fee?.currency ?? null,
      status: row.agreed_at === null ? "open" : "agreed",
      created_at: DateTime.formatIso(row.created_at),
      seen_at: DateTime.formatIso(row.seen_at),
      agreed_at: row.agreed_at === null ? null : DateTime.formatIso(row.agreed_at)
    }
  }
