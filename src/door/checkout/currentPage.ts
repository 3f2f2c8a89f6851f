/** The current page of an order that is not being paid. */
import type { Order } from "@coffer/rules/order/Order"
import { type DateTime, Effect, Option } from "effect"
import type { Channel, RegisteredChannel } from "../../shared/channel/Channel.ts"
import type { Routing } from "../../money/orders/Routing.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { isNews, type Page, pageOf, type Way } from "./CheckoutPage.ts"

interface Services {
  readonly channel: Channel["Service"]
  readonly routing: Routing["Service"]
}

/** A payment that the bank is processing takes precedence over the pages of a pending order (silences: K9). */
export const currentPage = Effect.fnUntraced(function* ({ channel, routing }: Services, order: Order) {
  const isProcessing =
    order.status === "pending" && ((yield* channel.buyer.hasPaid(order)) || (yield* channel.isProcessing(order)))
  if (isProcessing) return { _tag: "Processing", order } satisfies Page as Page
  const taker = yield* routing.takerOf(order)
  const page = pageOf(order, yield* currentTime, wayOf(taker))
  if (page._tag !== "Pay" || page.hosted !== true || Option.isNone(taker)) return page
  return { ...page, provider: taker.value.title } satisfies Page as Page
})

const wayOf = (taker: Option.Option<RegisteredChannel>): Way => {
  if (Option.isNone(taker)) return "none"
  return taker.value.page === undefined ? "forms" : "hosted"
}

/** What the page of a refunded order says beside its state: when the last of the money went back. */
export const newsOf = (at: Option.Option<DateTime.Utc>, now: DateTime.Utc) =>
  Option.isNone(at) ? {} : { at: at.value, justNow: isNews(at.value, now) }
