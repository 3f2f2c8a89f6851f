/**
 * The merchant's side: sales, and the route that Coffer posts events to. An event may come twice and in any order, so
 * each is handled once, and a sale only ever moves forward. The sales are in memory; an application of yours has rows.
 */
import type { Event } from "@coffer/sdk"
import { Context, Deferred, Effect, Layer, Option, Ref } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Cart, type PaymentFailed, Payments } from "./Payments.ts"

export interface Sale {
  readonly cart: Cart
  readonly status: "waiting" | "paid" | "given up"
  /** Minor units. */
  readonly refunded: number
}

interface State {
  readonly sales: ReadonlyMap<string, Sale>
  readonly handled: ReadonlySet<string>
}

export class Shop extends Context.Service<
  Shop,
  {
    /** Answers where the buyer pays. */
    readonly checkOut: (cart: Cart) => Effect.Effect<string, PaymentFailed>
    readonly giveBack: (number: string) => Effect.Effect<void, PaymentFailed>
    readonly sale: (number: string) => Effect.Effect<Option.Option<Sale>>
    /** Opens the shop to events, at the address where Coffer reaches it. */
    readonly open: (home: string) => Effect.Effect<void, PaymentFailed>
    /** The answer to a post of Coffer. */
    readonly hear: (body: string, headers: Readonly<Record<string, string | undefined>>) => Effect.Effect<boolean>
  }
>()("example/Shop") {}

export const layer = Layer.effect(
  Shop,
  Effect.gen(function* () {
    const payments = yield* Payments
    const state = yield* Ref.make<State>({ sales: new Map(), handled: new Set() })
    const opened = yield* Deferred.make<Effect.Success<ReturnType<Payments["Service"]["listenAt"]>>>()

    return {
      checkOut: Effect.fnUntraced(function* (cart) {
        yield* Ref.update(state, (now) => withSale(now, { cart, status: "waiting", refunded: 0 }))
        const order = yield* payments.order(cart)
        return order.checkout_url
      }),
      giveBack: (number) => Effect.asVoid(payments.giveBack(number)),
      sale: (number) => Effect.map(Ref.get(state), ({ sales }) => Option.fromUndefinedOr(sales.get(number))),
      open: (home) =>
        Effect.flatMap(payments.listenAt(`${home}/hook`), (secret) => Deferred.succeed(opened, secret)).pipe(
          Effect.asVoid
        ),
      hear: Effect.fnUntraced(
        function* (body, headers) {
          const event = yield* payments.verify(body, headers, yield* Deferred.await(opened))
          yield* Ref.update(state, (now) => heard(now, event))
          return true
        },
        Effect.catchTags({ PaymentFailed: () => Effect.succeed(false) })
      )
    }
  })
)

const withSale = ({ handled, sales }: State, sale: Sale): State => ({
  handled,
  sales: new Map(sales).set(sale.cart.number, sale)
})

/** Pure: what an event changes. */
export const heard = (state: State, event: Event): State => {
  const sale = state.sales.get(event.data.object.out_trade_no)
  if (state.handled.has(event.id) || sale === undefined) return state
  const next = { ...state, handled: new Set(state.handled).add(event.id) }
  switch (event.type) {
    case "payment.succeeded":
      return withSale(next, { ...sale, status: "paid" })
    case "payment.failed":
    case "payment.expired":
      return withSale(next, { ...sale, status: "given up" })
    case "refund.succeeded":
      return withSale(next, { ...sale, refunded: sale.refunded + event.data.object.amount })
    default:
      return next
  }
}

/** `POST /hook`. An answer that is no success makes Coffer send the event again. */
export const routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const shop = yield* Shop
    const hear = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const isTaken = yield* shop.hear(yield* request.text, request.headers)
      return HttpServerResponse.empty({ status: isTaken ? 200 : 400 })
    })
    yield* router.add("POST", "/hook", hear)
  })
)
