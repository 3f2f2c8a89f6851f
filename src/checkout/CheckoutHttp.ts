/**
 * The checkout's two routes, for buyers: GET shows the order, POST takes a step towards paying it. They are not part of
 * the API: they have no key and no envelope, and the signed address is all that a buyer needs (spec: Order,
 * checkout_url; silences: K).
 */
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order } from "@coffer/rules/order/Order"
import { Effect, type Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Channel } from "../channel/Channel.ts"
import * as PublicAdmission from "../edge/PublicAdmission.ts"
import type { Admission } from "../http/Admission.ts"
import { makeReceiving } from "../http/Body.ts"
import type { Clients } from "../http/Clients.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { Orders } from "../orders/Orders.ts"
import { MerchantClocks } from "../platform/runtime/MerchantClocks.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { isDatabaseTrouble } from "../platform/postgres/trouble.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import { currentPage } from "./currentPage.ts"
import { choosable } from "./checkoutForms.ts"
import { looksAhead } from "./looksAhead.ts"
import { isScanned, makeAtOnce, takeStep } from "./paying.ts"
import { readForm } from "./readForm.ts"
import { type Response, respondAs } from "./respondAs.ts"

/** The address does not carry our signature. */
class LinkNotValid extends Schema.TaggedError<LinkNotValid>()("LinkNotValid", {}) {}

const path = "/checkout/:token"

/** That nothing but these is needed and nothing can fail is checked here: an error left out does not compile. */
type Routes = Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Admission | Channel | Clients | OrderLinks | MerchantClocks | Merchants | NewIds | Orders
>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const links = yield* OrderLinks
    const orders = yield* Orders
    const clocks = yield* MerchantClocks
    const channel = yield* Channel
    const respond = respondAs({ channel, links, merchants: yield* Merchants, ids: yield* NewIds })
    const step = takeStep({ channel, links, respond })
    const atOnce = makeAtOnce(channel)
    const through = yield* PublicAdmission.makePage
    const receiving = yield* makeReceiving

    const openOrder = Effect.gen(function* () {
      const { token } = yield* HttpRouter.params
      const tradeNo = links.readCheckout(token ?? "")
      return Option.isSome(tradeNo) ? yield* orders.byTradeNo(tradeNo.value) : yield* new LinkNotValid()
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
      const page = yield* currentPage(channel, order)
      // With one method there is nothing to choose. A buyer who comes back, or changes the language, sees the page.
      if (page._tag === "Pay" && page.hosted === true && new URL(url, "http://page").search === "") {
        const only = looksAhead(request, { isLimited: false, isSecure: false }) ? undefined : yield* onlyMethod(order)
        const left = only === undefined ? undefined : yield* atOnce(order, only)
        if (left !== undefined) return left
      }
      const method = walletIn(url)
      // A phone has read the code that another screen shows.
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
      return yield* clocks.within(order, step(order, form.value))
    }).pipe(Effect.catchTags(orNoSuchPage), Effect.withSpan("checkout.step"))

    const notNow = (tag: "Unreachable" | "Uncertain") => respond.with({ _tag: tag }, 503)

    /** The database does not answer. */
    const orNotNow = <E, R>(tag: "Unreachable" | "Uncertain", answer: Effect.Effect<Response, E, R>) =>
      Effect.catchDefect(answer, (defect) => (isDatabaseTrouble(defect) ? notNow(tag) : Effect.die(defect)))

    yield* router.add("GET", path, through(orNotNow("Unreachable", show), notNow("Unreachable")))
    yield* router.add("POST", path, through(orNotNow("Uncertain", take), notNow("Unreachable"), notNow("Uncertain")))
  })
)

const isMethod = Schema.is(PaymentMethod)

const queryOf = (url: string): URLSearchParams => {
  const query = url.indexOf("?")
  return new URLSearchParams(query < 0 ? "" : url.slice(query))
}

const walletIn = (url: string): PaymentMethod | undefined => {
  const wallet = queryOf(url).get("wallet")
  return isMethod(wallet) && isScanned(wallet) ? wallet : undefined
}
