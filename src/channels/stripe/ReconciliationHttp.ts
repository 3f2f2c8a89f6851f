/** Handlers of the operator's `reconciliation` group (docs/architecture.md, section 7). */
import { OperatorApi } from "@coffer/contract/Operator"
import * as Wire from "@coffer/contract/Errors"
import type { ComparedResource, DifferenceResource } from "@coffer/contract/Reconciliation"
import type { Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { DateTime, Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { commonRefusals, refuseAs } from "../../http/refusals.ts"
import { reply, replyList } from "../../http/replies.ts"
import { merchantRefusals } from "../../merchants/merchantRefusals.ts"
import { Merchants } from "../../merchants/Merchants.ts"
import { isoText } from "../../platform/runtime/codecs.ts"
import { span } from "../../platform/runtime/span.ts"
import type { FeeOf } from "../../timeline/channelFees.ts"
import { type Progress, Reconciliation } from "./Reconciliation.ts"

type Row = Effect.Success<ReturnType<Reconciliation["Service"]["page"]>>["data"][number]

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "reconciliation",
  Effect.fnUntraced(function* (handlers) {
    const reconciliation = yield* Reconciliation
    const merchants = yield* Merchants
    const { InvalidField } = commonRefusals

    const accountOf = Effect.fnUntraced(function* ({ merchant_id, mode }: Asked) {
      const { merchant_id: merchantId, modes } = yield* merchants.find(merchant_id)
      return modes[mode].stripe === null ? yield* new NoAccount() : { merchantId, mode }
    })
    const progressOf = (account: Account) => Effect.map(reconciliation.progress(account), comparedView(account))

    return handlers.handleAll({
      list: span("reconciliation.list")(function* ({ query }) {
        const page = yield* reconciliation.page(query)
        const feeOf = yield* reconciliation.channelFees(page.data)
        return yield* replyList("reconciliation_difference", "/operator/v1/reconciliation", page, view(feeOf))
      }, Effect.catchTags({ InvalidField })),

      retrieve: span("reconciliation.retrieve")(function* ({ params }) {
        const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
        return yield* reply(yield* progressOf({ merchantId, mode: params.mode }))
      }, Effect.catchTags(merchantRefusals)),

      begin: span("reconciliation.begin")(function* ({ params }) {
        const account = yield* accountOf(params)
        yield* reconciliation.begin(account)
        return yield* reply(yield* progressOf(account), 202)
      }, Effect.catchTags(refusals))
    })
  })
)

interface Asked {
  readonly merchant_id: string
  readonly mode: Mode
}

class NoAccount extends Schema.TaggedError<NoAccount>()("NoAccount", {}) {}

const refusals = {
  ...merchantRefusals,
  NoAccount: refuseAs(Wire.Conflict, (_: NoAccount) => ({
    message: "The merchant has no account at Stripe in this environment."
  }))
}

const comparedView =
  ({ merchantId, mode }: Account) =>
  (progress: Option.Option<Progress>): ComparedResource => ({
    object: "reconciliation",
    merchant_id: merchantId,
    mode,
    compared_until: Option.match(progress, { onNone: () => null, onSome: (one) => isoText(one.movements_since) }),
    next_at: Option.match(progress, { onNone: () => null, onSome: (one) => isoText(one.movements_due_at) })
  })

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
