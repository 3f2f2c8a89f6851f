/** The page that an order shows now, when nobody is paying it. */
import type { Order } from "@coffer/rules/order/Order"
import { Effect } from "effect"
import { currentTime } from "../platform/runtime/clock.ts"
import type { SandboxBuyer } from "../sandbox/SandboxBuyer.ts"
import { type Page, pageOf } from "./CheckoutPage.ts"

/** A payment that the bank works on goes before everything that a pending order would show (silences: K9). */
export const currentPage = Effect.fnUntraced(function* (buyer: SandboxBuyer["Service"], order: Order) {
  const page: Page =
    order.status === "pending" && (yield* buyer.hasPaid(order))
      ? { _tag: "Processing", order }
      : pageOf(order, yield* currentTime)
  return page
})
