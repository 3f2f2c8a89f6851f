/** Sends the checkout's pages: in the language of the request, with the order's shop, and never from a cache. */
import type { Order } from "@coffer/rules/order/Order"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Merchants } from "../merchants/Merchants.ts"
import { headersIn, respondWith } from "../pages/respond.ts"
import type { NewIds } from "../platform/runtime/NewIds.ts"
import type { OrderLinks } from "../signedUrls/OrderLinks.ts"
import { type Page, render } from "./CheckoutPage.ts"
import { findShop } from "./findShop.ts"
import { choiceOf, type Seen, seenBy } from "./frame.ts"
import { checkoutHeaders as headers } from "./script.ts"

export type Response = HttpServerResponse.HttpServerResponse

interface Services {
  readonly links: OrderLinks["Service"]
  readonly merchants: Merchants["Service"]
  readonly ids: NewIds["Service"]
}

export type Respond = ReturnType<typeof respondAs>

export const respondAs = ({ ids, links, merchants }: Services) => ({
  /** What the order's merchant offers. */
  offered: (order: Order) => Effect.map(findShop(merchants, order), ({ offered }) => offered),

  with: Effect.fnUntraced(function* (page: Page, status = 200, more: Readonly<Record<string, string>> = {}) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const order = "order" in page ? page.order : undefined
    const { chosen, language } = seenBy(request, order?.locale ?? null)
    const seen: Seen = {
      chosen,
      language,
      ...(yield* findShop(merchants, order)),
      attemptNo: yield* ids.body,
      receipt: order && pathOf(links.signed.receipt(order.tradeNo))
    }
    return respondWith(render(page, seen), status, { ...headers, ...headersIn(language), ...more })
  }),

  /** Leads to the order's page, which can be reloaded without paying again. */
  byGet: Effect.fnUntraced(function* ({ expiresAt, tradeNo }: Order) {
    const { chosen } = seenBy(yield* HttpServerRequest.HttpServerRequest, null)
    const location = pathOf(links.signed.checkout(tradeNo, expiresAt)) + choiceOf({ chosen })
    return HttpServerResponse.redirect(location, { status: 303, headers })
  })
})

/** Without a host, so that the buyer stays on the same one: the page's policy forbids forms to leave it. */
const pathOf = (address: string) => new URL(address).pathname
