/**
 * The merchant's side: sales, and the route that Coffer posts events to. An event only says that an order has changed:
 * the order is read, so events may come twice, late and in any order. The sales are in memory; an application of yours
 * has rows.
 */
import type { Order } from "@coffer/sdk"
import { Context, Deferred, Effect, Layer, Option, Ref, Semaphore } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Cart, type PaymentFailed, Payments } from "./Payments.ts"

export interface Sale {
  readonly cart: Cart
  readonly status: "waiting" | "paid" | "given up"
  /** Minor units. */
  readonly refunded: number
}

type Sales = ReadonlyMap<string, Sale>

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
    const sales = yield* Ref.make<Sales>(new Map())
    // One event after the other, so that an older answer never overwrites a newer one.
    const turn = yield* Semaphore.make(1)
    const opened = yield* Deferred.make<Effect.Success<ReturnType<Payments["Service"]["listenAt"]>>>()

    return {
      checkOut: Effect.fnUntraced(function* (cart) {
        yield* Ref.update(sales, (now) => new Map(now).set(cart.number, { cart, status: "waiting", refunded: 0 }))
        const order = yield* payments.order(cart)
        return order.checkout_url
      }),
      giveBack: (number) => Effect.asVoid(payments.giveBack(number)),
      sale: (number) => Effect.map(Ref.get(sales), (now) => Option.fromUndefinedOr(now.get(number))),
      open: (home) =>
        Effect.flatMap(payments.listenAt(`${home}/hook`), (secret) => Deferred.succeed(opened, secret)).pipe(
          Effect.asVoid
        ),
      hear: Effect.fnUntraced(
        function* (body, headers) {
          const { data } = yield* payments.verify(body, headers, yield* Deferred.await(opened))
          const number = data.object.out_trade_no
          if (!(yield* Ref.get(sales)).has(number)) return true
          const refreshed = Effect.flatMap(payments.read(number), (order) =>
            Ref.update(sales, (now) => withOrder(now, order))
          )
          yield* turn.withPermit(refreshed)
          return true
        },
        Effect.catchTags({ PaymentFailed: () => Effect.succeed(false) })
      )
    }
  })
)

/** Pure: the sales when an order is so. */
export const withOrder = (sales: Sales, order: Order): Sales => {
  const sale = sales.get(order.out_trade_no)
  if (sale === undefined) return sales
  const status = order.paid_at !== null ? "paid" : order.status === "pending" ? "waiting" : "given up"
  return new Map(sales).set(order.out_trade_no, { ...sale, status, refunded: order.refunded_amount })
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
