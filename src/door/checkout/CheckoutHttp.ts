/**
 * The checkout's two routes, for buyers: GET shows the order, POST takes a step towards paying it. They are not part of
 * the API: without key and envelope, since a buyer has only the signed address (spec: Order, checkout_url; silences:
 * K).
 */
import { checkoutValidity } from "@coffer/model/Limits"
import { isOnPhone, PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order } from "@coffer/rules/order/Order"
import { Duration, Effect, type Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Channel } from "../../shared/channel/Channel.ts"
import * as PublicAdmission from "../edge/PublicAdmission.ts"
import type { Admission } from "../../shared/http/Admission.ts"
import { makeReceiving } from "../../shared/http/Body.ts"
import type { Clients } from "../../shared/http/Clients.ts"
import { CurrentRecord, isShownAt } from "../../shared/http/CurrentRequest.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { Routing } from "../../money/orders/Routing.ts"
import { Refunds } from "../../money/refunds/Refunds.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { isDatabaseTrouble } from "../../platform/postgres/trouble.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { currentPage, newsOf } from "./currentPage.ts"
import { choosable } from "./checkoutForms.ts"
import { looksAhead } from "./looksAhead.ts"
import { makeAtOnce, takeStep } from "./paying.ts"
import { readForm } from "./readForm.ts"
import { type Response, respondAs } from "./respondAs.ts"

/** The address is not signed by us. */
class LinkNotValid extends Schema.TaggedError<LinkNotValid>()("LinkNotValid", {}) {}

const path = "/checkout/:token"

/** Checks by type that all requirements and errors are covered: an error left out does not compile. */
type Routes = Layer.Layer<
  never,
  never,
  | HttpRouter.HttpRouter
  | Admission
  | Channel
  | Clients
  | OrderLinks
  | MerchantClocks
  | Merchants
  | NewIds
  | Orders
  | Refunds
  | Routing
>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const links = yield* OrderLinks
    const orders = yield* Orders
    const refunds = yield* Refunds
    const clocks = yield* MerchantClocks
    const channel = yield* Channel
    const routing = yield* Routing
    const respond = respondAs({ channel, links, routing, merchants: yield* Merchants, ids: yield* NewIds })
    const step = takeStep({ channel, links, orders, respond, routing })
    const atOnce = makeAtOnce({ respond, routing })
    const { marked, unmarked } = makeMarks(links)
    const through = yield* PublicAdmission.makePage
    const receiving = yield* makeReceiving

    const openOrder = Effect.gen(function* () {
      const { token } = yield* HttpRouter.params
      const tradeNo = links.readCheckout(token ?? "")
      const order = Option.isSome(tradeNo) ? yield* orders.byTradeNo(tradeNo.value) : yield* new LinkNotValid()
      // Another merchant's page is 404 at a shop's own host.
      return isShownAt(yield* CurrentRecord, order.merchantId) ? order : yield* new LinkNotValid()
    })

    /** A buyer who comes back from the channel's page need not wait for its webhook. */
    const refreshed = (order: Order, url: string) =>
      queryOf(url).has("returned")
        ? Effect.catchTags(channel.lookUp(order), {
            OwnerUnavailable: () => Effect.succeed(order),
            ChannelUnreachable: () => Effect.succeed(order),
            NotCommitted: () => Effect.succeed(order),
            OrderConflict: () => Effect.succeed(order),
            OrderNotFound: () => Effect.succeed(order)
          })
        : Effect.succeed(order)

    const onlyMethod = (order: Order) =>
      Effect.map(respond.methods(order), ({ offered }) => {
        const choices = offered.filter((method) => choosable.has(method))
        return choices.length === 1 ? choices[0] : undefined
      })

    const noSuchPage = () => respond.with({ _tag: "InvalidLink" }, 404)
    const orNoSuchPage = { LinkNotValid: noSuchPage, OrderNotFound: noSuchPage }

    const showOf = Effect.fnUntraced(function* (opened: Order) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { url } = request
      const order = yield* refreshed(opened, url)
      const page = yield* currentPage({ channel, routing }, order)
      // With one method there is nothing to choose. A buyer who comes back, or changes the language, sees the page.
      if (page._tag === "Pay" && page.hosted === true && new URL(url, "http://page").search === "") {
        const only = looksAhead(request, { isLimited: false, isSecure: false }) ? undefined : yield* onlyMethod(order)
        const left = only === undefined ? undefined : yield* atOnce(order, only)
        if (left !== undefined) return marked(left, order)
      }
      if (page._tag === "Paid" && page.justNow && isMarked(request, order)) {
        return yield* Effect.map(respond.with({ ...page, leaves: true }), unmarked(order))
      }
      if (page._tag === "Refunded") {
        return yield* respond.with({ ...page, ...newsOf(yield* refunds.lastAt(order.tradeNo), yield* currentTime) })
      }
      const method = walletIn(url)
      // A phone has scanned the code on another screen.
      const isAway =
        page._tag === "Pay" &&
        page.hosted !== true &&
        method !== undefined &&
        (yield* respond.methods(order)).offered.includes(method)
      return yield* respond.with(isAway ? { _tag: "Away", order, method } : page)
    })
    const show = Effect.flatMap(openOrder, (order) => clocks.within(order, showOf(order))).pipe(
      Effect.catchTags(orNoSuchPage),
      Effect.withSpan("checkout.show")
    )

    const take = Effect.gen(function* () {
      const order = yield* openOrder
      const form = yield* Effect.option(receiving(readForm))
      if (Option.isNone(form)) return yield* notNow("Unreachable")
      const response = yield* clocks.within(order, step(order, form.value))
      const { url } = yield* HttpServerRequest.HttpServerRequest
      const isPaying = Option.exists(form.value, ({ step }) => step !== "cancel") && order.status === "pending"
      return isPaying && walletIn(url) === undefined ? marked(response, order) : response
    }).pipe(Effect.catchTags(orNoSuchPage), Effect.withSpan("checkout.step"))

    const notNow = (tag: "Unreachable" | "Uncertain") => respond.with({ _tag: tag }, 503)

    /** The database does not answer. */
    const orNotNow = <E, R>(tag: "Unreachable" | "Uncertain", answer: Effect.Effect<Response, E, R>) =>
      Effect.catchDefect(answer, (defect) => (isDatabaseTrouble(defect) ? notNow(tag) : Effect.die(defect)))

    yield* router.add("GET", path, through(orNotNow("Unreachable", show), notNow("Unreachable")))
    yield* router.add("POST", path, through(orNotNow("Uncertain", take), notNow("Unreachable"), notNow("Uncertain")))
  })
)

// The browser that pays ----------------------------------------------------------
// A browser without a script returns to the shop from the first page that shows the order as paid, and only from that
// one: neither when the address is opened later, nor in another browser. A cookie for a day records that. A script
// knows the tab (`browser/following.ts`). A phone that scans a code is not the browser of the shop.

const cookieOf = ({ tradeNo }: Order) => `coffer_${tradeNo}`

const isMarked = ({ cookies }: HttpServerRequest.HttpServerRequest, order: Order) => cookies[cookieOf(order)] === "1"

const makeMarks = ({ signed }: OrderLinks["Service"]) => {
  const withCookie = (response: Response, order: Order, seconds: number) => {
    const secure = signed.checkout(order).startsWith("https:") ? "; Secure" : ""
    const cookie = `${cookieOf(order)}=1; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
    return HttpServerResponse.setHeader(response, "set-cookie", cookie)
  }
  return {
    marked: (response: Response, order: Order) => withCookie(response, order, Duration.toSeconds(checkoutValidity)),
    unmarked: (order: Order) => (response: Response) => withCookie(response, order, 0)
  }
}

const isMethod = Schema.is(PaymentMethod)

const queryOf = (url: string): URLSearchParams => {
  const query = url.indexOf("?")
  return new URLSearchParams(query < 0 ? "" : url.slice(query))
}

const walletIn = (url: string): PaymentMethod | undefined => {
  const wallet = queryOf(url).get("wallet")
  return isMethod(wallet) && isOnPhone(wallet) ? wallet : undefined
}
