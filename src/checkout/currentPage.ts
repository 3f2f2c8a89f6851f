/** The page that an order shows now, when nobody is paying it. */
import type { Order } from "@coffer/rules/order/Order"
import { Effect } from "effect"
import { currentTime } from "../platform/runtime/clock.ts"
import type { SandboxBuyer } from "../sandbox/SandboxBuyer.ts"
import type { StripePayments } from "../channels/stripe/StripePayments.ts"
import { type Page, pageOf } from "./CheckoutPage.ts"

/** Whom the pages ask about payments. */
export interface Desks {
  readonly buyer: SandboxBuyer["Service"]
  readonly payments: StripePayments["Service"]
}

/** A payment that the bank works on goes before everything that a pending order would show (silences: K9). */
export const currentPage = Effect.fnUntraced(function* ({ buyer, payments }: Desks, order: Order) {
  const isProcessing =
    order.status === "pending" && ((yield* buyer.hasPaid(order)) || (yield* payments.isProcessing(order)))
  if (isProcessing) return { _tag: "Processing", order } satisfies Page as Page
  return pageOf(order, yield* currentTime, yield* payments.takerOf(order))
})
