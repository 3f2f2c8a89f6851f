/**
 * The checkout's routes without the service behind them: orders, the merchant and the sandbox's buyer are scripted, and
 * what is asked of the bank is written down.
 */
import { ChannelName, type Mode } from "@coffer/model/Ids"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { type Order } from "@coffer/rules/order/Order"
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { type Attempt, type Buyer, Channel, make as makeChannels } from "../../../src/shared/channel/Channel.ts"
import * as CheckoutHttp from "../../../src/door/checkout/CheckoutHttp.ts"
import { OrderLinks } from "../../../src/shared/signedUrls/OrderLinks.ts"
import { Admission, make as makeAdmission } from "../../../src/shared/http/Admission.ts"
import { Clients, make as makeClients } from "../../../src/shared/http/Clients.ts"
import { OrderNotFound } from "../../../src/money/orders/OrderCommands.ts"
import { type Merchant, Merchants } from "../../../src/access/merchants/Merchants.ts"
import { Orders } from "../../../src/money/orders/Orders.ts"
import { RouteStore } from "../../../src/money/orders/RouteStore.ts"
import * as Routing from "../../../src/money/orders/Routing.ts"
import { Refunds } from "../../../src/money/refunds/Refunds.ts"
import * as MerchantClocks from "../../../src/platform/runtime/MerchantClocks.ts"
import { NewIds } from "../../../src/platform/runtime/NewIds.ts"
import { createdAt, pendingOrder } from "../rules/fixtures.ts"

export type BankError = Effect.Error<ReturnType<Buyer["pay"]>>

export interface Script {
  /** The order as the page finds it; none was ever made when null. */
  readonly order?: Order | null
  /** The order after an attempt, or why there was no answer. */
  readonly after?: Order | BankError
  readonly at?: DateTime.Utc
  /** Whether the bank works on a payment when the page is opened. */
  readonly works?: boolean
  /** Whether it takes no attempt, since too many were declined. */
  readonly paused?: boolean
  /** When the newest refund of the order succeeded. */
  readonly refundedAt?: DateTime.Utc
  /** The methods that the merchant offers; every one unless given. */
  readonly offered?: ReadonlyArray<PaymentMethod>
}

/** The number of every form of a page. */
export const attemptNo = "01KB0000000000000000000000"

const noUrls = { checkout: () => "", receipt: () => "" }

const scriptedIds = NewIds.of({
  body: Effect.succeed(attemptNo),
  next: Effect.succeed,
  at: (prefix) => prefix,
  pass: () => {},
  correct: () => {},
  corrected: (millis) => millis
})

const links = { support_email: null, support_url: null, terms_url: null, privacy_url: null }
const shown = { ...links, logo: null, accent_color: null, business_address: null, tax_id: null }
const bareMerchant = { name: "Celadon Teahouse", time_zone: "UTC", ...shown }

/** Takes payments of sandboxes by our forms; it is asked for nothing else. */
const scriptedChannel = Effect.fnUntraced(function* (buyer: Buyer) {
  const channel = makeChannels()
  const { cancel, disputes, giveBack, refund } = channel
  const name = ChannelName.make("scripted")
  const takes = ({ mode }: { readonly mode: Mode }) => Effect.succeed(mode === "sandbox")
  const paymentNumbers = { prefix: "scr_" }
  yield* channel.register({
    name,
    title: "scripted",
    rank: 1,
    takes,
    cancel,
    giveBack,
    refund,
    disputes,
    paymentNumbers
  })
  return { ...channel, buyer }
})

/** The routes over one scripted order, and everything they asked of the bank. */
export const openScripted = Effect.fnUntraced(function* ({
  after,
  at = createdAt,
  offered,
  order = pendingOrder,
  paused = false,
  refundedAt,
  works = false
}: Script = {}) {
  yield* TestClock.setTime(DateTime.toEpochMillis(at))
  const asked: Array<readonly [PaymentMethod, Attempt]> = []
  const numbers: Array<string | undefined> = []
  const scripted = Layer.mergeAll(
    Layer.sync(Admission, () => makeAdmission(() => undefined)),
    Layer.sync(Clients, () => makeClients(Duration.minutes(1), () => undefined)),
    Layer.mock(OrderLinks, {
      unsigned: noUrls,
      cut: noUrls,
      readReceipt: () => Option.none(),
      signed: {
        checkout: () => "https://pay.example/prefix/checkout/good",
        receipt: () => "https://pay.example/prefix/receipts/token"
      },
      readCheckout: (token: string) => (token === "good" ? Option.some(pendingOrder.tradeNo) : Option.none())
    }),
    MerchantClocks.layer,
    Layer.succeed(NewIds, scriptedIds),
    Layer.mock(Merchants, {
      byKey: () => ({ isRecalled: false, account: () => Effect.succeedNone, hasEnded: Effect.succeed(false) }),
      find: () => {
        const mode = { payment_methods: offered ?? null, channel_accounts: {} }
        return Effect.succeed({ ...bareMerchant, modes: { sandbox: mode, live: mode } } as Merchant)
      }
    }),
    Layer.mock(Orders, {
      byTradeNo: (tradeNo) => (order === null ? new OrderNotFound({ ref: tradeNo }) : Effect.succeed(order))
    }),
    Layer.mock(Refunds, { lastAt: () => Effect.succeed(Option.fromUndefinedOr(refundedAt)) }),
    Layer.effect(
      Channel,
      scriptedChannel({
        pausedUntil: () => Effect.succeed(paused ? Option.some(pendingOrder.expiresAt) : Option.none()),
        hasPaid: () => Effect.sync(() => works || asked.some(([, attempt]) => attempt === "succeed_later")),
        pay: (before, method, attempt, options) =>
          Effect.suspend(() => {
            asked.push([method, attempt])
            numbers.push(options?.attemptNo)
            return after === undefined || "status" in after ? Effect.succeed(after ?? before) : Effect.fail(after)
          })
      })
    )
  )
  const routes = yield* HttpRouter.toHttpEffect(
    Layer.provide(
      CheckoutHttp.layer,
      Layer.provideMerge(Routing.layer, Layer.merge(scripted, Layer.mock(RouteStore, {})))
    )
  )
  const call = Effect.fnUntraced(function* (path: string, body?: string, accepted?: string) {
    const request = new Request(`http://localhost${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(accepted === undefined ? {} : { "accept-language": accepted })
      },
      ...(body === undefined ? {} : { body })
    })
    const response = HttpServerResponse.toWeb(
      yield* Effect.provideService(routes, HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request))
    )
    const text = yield* Effect.promise(() => response.text())
    return { status: response.status, headers: response.headers, text }
  })
  const post = (form: Record<string, string>) => call("/checkout/good", new URLSearchParams(form).toString())
  return { asked, numbers, call, get: call("/checkout/good"), post }
})

export const card = (number: string) => ({ step: "pay", method: "card", number, expiry: "12/30", cvc: "123" })
