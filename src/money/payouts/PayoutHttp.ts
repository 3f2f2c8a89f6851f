/** Handlers of the operator's `payouts` group (docs/architecture.md, section 7), and of the console's. */
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { consoleGroup } from "../../shared/http/granting.ts"
import { span } from "../../platform/runtime/span.ts"
import { commonRefusals, unavailable } from "../../shared/http/refusals.ts"
import { merchantRefusals } from "../../access/merchants/merchantRefusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { JustDone, NeedsSecondOperator } from "../../access/operators/approvals.ts"
import { SecondOperator } from "../../access/operators/SecondOperator.ts"
import { payoutRefusals } from "./payoutRefusals.ts"
import type { Payout } from "@coffer/rules/payout/Payout"
import { PayoutNotFound as NoSuchPayout, Payouts } from "./Payouts.ts"
import { payoutView } from "./PayoutView.ts"

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "payouts",
  Effect.fnUntraced(function* (handlers) {
    const payouts = yield* Payouts
    const second = yield* SecondOperator
    const { InvalidField } = commonRefusals
    const { MerchantNotFound } = merchantRefusals
    const { InsufficientBalance, PayoutConflict, PayoutNotFound, PayoutReferenceTaken } = payoutRefusals

    /** Its merchant's audit log gets what is done with it, and names its amount. */
    const note = ({ amount, currency, merchantId, payoutNo: payout_no }: Payout) =>
      Effect.map(CurrentRecord, (record) => {
        record.moves = merchantId
        record.change = { after: { payout_no, amount, currency } }
      })
    const found = (payoutNo: string) => Effect.tap(payouts.find(payoutNo), note)
    const step = (name: "reject" | "complete" | "fail") =>
      span(`payouts.${name}`)(
        function* ({ params }: { readonly params: { readonly payout_no: string } }) {
          yield* found(params.payout_no)
          return yield* reply(payoutView(yield* payouts[name](params.payout_no)))
        },
        Effect.catchTags({ PayoutConflict, PayoutNotFound, ...unavailable })
      )

    return handlers.handleAll({
      create: span("payouts.create")(
        function* ({ params, payload }) {
          const { created, payout } = yield* payouts.request(params.merchant_id, payload)
          yield* note(payout)
          return yield* reply(payoutView(payout), created ? 201 : 200)
        },
        Effect.catchTags({ InsufficientBalance, InvalidField, MerchantNotFound, PayoutReferenceTaken, ...unavailable })
      ),

      list: span("payouts.list")(function* ({ params, query }) {
        const page = yield* payouts.list(params.merchant_id, query)
        const url = `/operator/v1/merchants/${params.merchant_id}/payouts`
        return yield* replyList("payout", url, page, payoutView)
      }, Effect.catchTags({ InvalidField, MerchantNotFound })),

      get: span("payouts.get")(function* ({ params }) {
        return yield* reply(payoutView(yield* payouts.find(params.payout_no)))
      }, Effect.catchTags({ PayoutNotFound })),

      approve: span("payouts.approve")(
        function* ({ params: { payout_no } }) {
          const { amount, currency, mode, payoutNo, status } = yield* found(payout_no)
          const payout = { amount, currency, mode, payoutNo }
          if (status === "requested" && !(yield* second.approvesAlone(payout))) {
            const content = { amount, currency, mode }
            yield* second.confirm({ act: "payouts.approve", target: payout_no, content, of: { status } })
          }
          return yield* reply(payoutView(yield* payouts.approve(payout_no)))
        },
        Effect.catchTags({ JustDone, NeedsSecondOperator, PayoutConflict, PayoutNotFound, ...unavailable })
      ),
      reject: step("reject"),
      complete: step("complete"),
      fail: step("fail")
    })
  })
)

const { InvalidField, PayoutNotFound } = { ...commonRefusals, ...payoutRefusals }

/** A merchant's people read their payouts. The edge has found the merchant. */
export const layerConsole = consoleGroup(
  "payouts",
  Effect.fnUntraced(function* (handlers) {
    const payouts = yield* Payouts

    return handlers.handleAll({
      list: span("payouts.listOfMerchant")(
        function* ({ params: { merchant_id }, query }) {
          const page = yield* payouts.list(merchant_id, query)
          return yield* replyList("payout", `/console/api/merchants/${merchant_id}/payouts`, page, payoutView)
        },
        Effect.catchTags({ InvalidField, MerchantNotFound: Effect.die })
      ),
      get: span("payouts.getOfMerchant")(function* ({ params: { merchant_id, payout_no } }) {
        const payout = yield* payouts.find(payout_no)
        if (payout.merchantId !== merchant_id) return yield* new NoSuchPayout({ payoutNo: payout_no })
        return yield* reply(payoutView(payout))
      }, Effect.catchTags({ PayoutNotFound }))
    })
  })
)
