/** The handler of the `receipts` group (spec: Endpoints, Orders, send_receipt). */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { receiptWindow } from "@coffer/model/Limits"
import type { OrderConflict } from "@coffer/rules/order/Order"
import { DateTime, Duration, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { commonRefusals, unavailable } from "../../shared/http/refusals.ts"
import { refuseTemporarily, reply } from "../../shared/http/replies.ts"
import { orderRefusals } from "../orders/orderRefusals.ts"
import { Orders } from "../orders/Orders.ts"
import { orderView } from "../orders/OrderView.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "receipts",
  Effect.fnUntraced(function* (handlers) {
    const orders = yield* Orders
    const links = yield* OrderLinks
    const { InvalidField } = commonRefusals
    const { OrderNotFound } = orderRefusals

    /** Until the first of the five is an hour ago. */
    const OrderConflict = (refused: OrderConflict) =>
      refused.reason === "too_many_receipts"
        ? Effect.flatMap(untilNext(refused), (lasts) =>
            refuseTemporarily(
              lasts,
              (request_id) =>
                new Wire.RateLimited({
                  message: "Five receipts were already sent for this order within the last hour. Wait for Retry-After.",
                  request_id
                }),
              "receipts_of_the_hour"
            )
          )
        : orderRefusals.OrderConflict(refused)

    const untilNext = Effect.fnUntraced(function* ({ tradeNo }: OrderConflict) {
      const { receipt } = yield* Effect.catchTags(orders.byTradeNo(tradeNo), { OrderNotFound: Effect.die })
      const now = yield* currentTime
      const first = receipt?.requestedAt[0] ?? now
      return Duration.max(DateTime.distance(now, DateTime.addDuration(first, receiptWindow)), Duration.zero)
    })

    return handlers.handleAll({
      sendReceipt: span("receipts.sendReceipt")(
        function* ({ params, payload }) {
          const order = yield* orders.requestReceipt(yield* Caller, params.ref, payload.email)
          return yield* reply(orderView(order, links.signed))
        },
        Effect.catchTags({ InvalidField, OrderConflict, OrderNotFound, ...unavailable })
      )
    })
  })
)
