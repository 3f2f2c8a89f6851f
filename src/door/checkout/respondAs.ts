/** Sends the checkout's pages: in the language of the request, with the order's shop, and never from a cache. */
import { isManual } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Channel } from "../../shared/channel/Channel.ts"
import type { Routing } from "../../money/orders/Routing.ts"
import type { Merchants } from "../../access/merchants/Merchants.ts"
import { headersIn, respondWith } from "../../shared/pages/respond.ts"
import type { NewIds } from "../../platform/runtime/NewIds.ts"
import type { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { type Page, render } from "./CheckoutPage.ts"
import { findShop } from "./findShop.ts"
import { choiceOf, type PageContext, languageFor } from "./frame.ts"
import { checkoutHeaders, headersFor } from "./script.ts"

export type Response = HttpServerResponse.HttpServerResponse

interface Services {
  readonly channel: Channel["Service"]
  readonly routing: Routing["Service"]
  readonly links: OrderLinks["Service"]
  readonly merchants: Merchants["Service"]
  readonly ids: NewIds["Service"]
}

export type Respond = ReturnType<typeof respondAs>

/**
 * `sold`: the methods of the order's merchant; where it is captured later, those that can hold an amount. `offered`:
 * those that a channel accepts.
 */
const shopOf = Effect.fnUntraced(function* ({ channel, merchants, routing }: Services, order: Order | undefined) {
  const { offered: all, shop } = yield* findShop(merchants, order)
  const sold = order !== undefined && isManual(order) ? yield* channel.holdable(order, all) : all
  return { shop, sold, offered: order === undefined ? sold : yield* routing.offered(order, sold) }
})

export const respondAs = (services: Services) => ({
  methods: (order: Order) => shopOf(services, order),

  with: Effect.fnUntraced(function* (page: Page, status = 200, more: Readonly<Record<string, string>> = {}) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const order = "order" in page ? page.order : undefined
    const { chosen, language } = languageFor(request, order?.locale ?? null)
    const { offered, shop } = yield* shopOf(services, order)
    const context: PageContext = {
      chosen,
      language,
      shop,
      offered,
      attemptNo: yield* services.ids.body,
      receipt: order && pathOf(services.links.signed.receipt(order))
    }
    return respondWith(render(page, context), status, { ...headersFor(shop), ...headersIn(language), ...more })
  }),

  /** Redirects to the order's page, which can be reloaded without paying again. */
  byGet: Effect.fnUntraced(function* (order: Order) {
    const { chosen } = languageFor(yield* HttpServerRequest.HttpServerRequest, null)
    const location = pathOf(services.links.signed.checkout(order)) + choiceOf({ chosen })
    return HttpServerResponse.redirect(location, { status: 303, headers: checkoutHeaders })
  })
})

/** Without a host, so that the buyer stays on the same one: the page's policy forbids forms to leave it. */
const pathOf = (address: string) => new URL(address).pathname
