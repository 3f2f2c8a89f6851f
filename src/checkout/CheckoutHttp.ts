/**
 * The checkout's two routes, for buyers: GET shows the order, POST takes a step towards paying it. They are not part of
 * the API: they have no key and no envelope, and the signed address is all that a buyer needs (spec: Order,
 * checkout_url; silences: K).
 *
 * A card number exists only as long as the request, and is written nowhere.
 */
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order } from "@coffer/rules/order/Order"
import { checkoutFormBytesMax, checkoutFormFieldsMax } from "@coffer/model/Limits"
import { ByteSize, DateTime, Effect, type Layer, Option, Schema } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import type { Attempt } from "../sandbox/SandboxBank.ts"
import { SandboxBuyer } from "../sandbox/SandboxBuyer.ts"
import { isDatabaseTrouble } from "../platform/postgres/trouble.ts"
import type { Admission } from "../http/Admission.ts"
import { decodeUtf8, isCompressed, isUtf8 } from "../http/Body.ts"
import * as PublicAdmission from "../edge/PublicAdmission.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { Orders } from "../orders/Orders.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import { headersIn, respondWith } from "../pages/respond.ts"
import { type CardOutcome, checkCard } from "./checkCard.ts"
import { CheckoutForm } from "./checkoutForms.ts"
import { type Page, pageOf, render } from "./CheckoutPage.ts"
import { choiceOf, seenBy } from "./frame.ts"
import { checkoutHeaders as headers } from "./script.ts"
import { shopOf } from "./shopOf.ts"
import type { Notice } from "./texts.ts"

/** The address does not carry our signature. */
class LinkNotValid extends Schema.TaggedError<LinkNotValid>()("LinkNotValid", {}) {}

const path = "/checkout/:token"

/** That nothing but these is needed and nothing can fail is checked here: an error left out does not compile. */
type Routes = Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Admission | OrderLinks | Merchants | NewIds | Orders | SandboxBuyer
>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const links = yield* OrderLinks
    const orders = yield* Orders
    const buyer = yield* SandboxBuyer
    const through = yield* PublicAdmission.make

    const respond = respondAs(yield* Merchants, yield* NewIds)

    const openOrder = Effect.gen(function* () {
      const { token } = yield* HttpRouter.params
      const tradeNo = links.readCheckout(token ?? "")
      return Option.isSome(tradeNo) ? yield* orders.byTradeNo(tradeNo.value) : yield* new LinkNotValid()
    })

    /** Without a host, so that the buyer stays on the same one: the page's policy forbids forms to leave it. */
    const pathOf = ({ expiresAt, tradeNo }: Order) => {
      const { pathname } = new URL(links.signed.checkout(tradeNo, expiresAt))
      return pathname
    }

    const noSuchPage = () => respond({ _tag: "InvalidLink" }, 404)

    const show = Effect.gen(function* () {
      const order = yield* openOrder
      const page = pageOf(order, yield* currentTime)
      const { url } = yield* HttpServerRequest.HttpServerRequest
      const wallet = walletIn(url)
      // A phone has read the code that another screen shows.
      return yield* respond(
        page._tag === "Pay" && wallet !== undefined ? { _tag: "Away", order, method: wallet } : page
      )
    }).pipe(Effect.catchTags({ LinkNotValid: noSuchPage, OrderNotFound: noSuchPage }), Effect.withSpan("checkout.show"))

    /** Makes one attempt at the sandbox's bank, and shows the page that follows from it. */
    const attempt = Effect.fnUntraced(
      function* (order: Order, { attempt_no, method }: CheckoutForm, how: Attempt, notice: Notice) {
        const after = yield* buyer.pay(order, method, how, { attemptNo: attempt_no })
        const request = yield* HttpServerRequest.HttpServerRequest
        // Seen through GET, the success can be reloaded without paying again.
        if (after.status === "paid")
          return HttpServerResponse.redirect(pathOf(after) + choiceOf(seenBy(request, null)), { status: 303, headers })
        const page = pageOf(after, yield* currentTime)
        if (page._tag !== "Pay") return yield* respond(page)
        switch (how) {
          case "redirect":
            return yield* respond({ _tag: "Away", order: after, method, ...scanned(after, method) })
          case "succeed_later":
            return yield* respond({ _tag: "Processing", order: after })
          default:
            return yield* respond({ ...page, method, notice })
        }
      },
      (effect, order) => Effect.catchTags(effect, noAnswer(respond, order))
    )

    const scanned = ({ expiresAt, tradeNo }: Order, method: PaymentMethod) =>
      isScanned(method) ? { scanned: `${links.signed.checkout(tradeNo, expiresAt)}?wallet=${method}` } : {}

    const payByCard = Effect.fnUntraced(function* (order: Order, form: CheckoutForm) {
      const { cvc = "", expiry = "", method, number = "" } = form
      const checked = checkCard({ number, expiry, cvc }, DateTime.toPartsUtc(yield* currentTime))
      switch (checked._tag) {
        case "Mistaken":
          return yield* respond({ _tag: "Pay", order, method, notice: "mistaken", mistakes: checked.fields }, 422)
        case "NotATestCard":
          return yield* respond({ _tag: "Pay", order, method, notice: "notATestCard" })
        case "TestCard":
          return yield* attempt(order, form, ...attemptOf(checked.outcome))
      }
    })

    const step = Effect.gen(function* () {
      const order = yield* openOrder
      const form = yield* readForm
      const page = pageOf(order, yield* currentTime)
      if (page._tag !== "Pay") {
        if (Option.isSome(form)) yield* endRedirect(order, form.value)
        return yield* respond(page)
      }
      if (Option.isNone(form)) return yield* respond({ ...page, notice: "unreadable" }, 422)
      const { method, step } = form.value
      switch (step) {
        case "pay":
          return method === "card"
            ? yield* payByCard(order, form.value)
            : yield* attempt(order, form.value, "redirect", "declined")
        case "confirm":
          return yield* attempt(order, form.value, "succeed", "declined")
        case "cancel":
          return yield* attempt(order, form.value, "decline", method === "card" ? "unverified" : "cancelled")
      }
    }).pipe(Effect.catchTags({ LinkNotValid: noSuchPage, OrderNotFound: noSuchPage }), Effect.withSpan("checkout.step"))

    /** The buyer came back from the wallet too late to pay. Until the bank knows that, the order cannot be closed. */
    const endRedirect = (order: Order, form: CheckoutForm) =>
      order.status === "pending" && order.mode === "sandbox" && form.step !== "pay"
        ? Effect.ignore(buyer.pay(order, form.method, "decline", { attemptNo: form.attempt_no }))
        : Effect.void

    const notNow = (tag: "Unreachable" | "Uncertain") => respond({ _tag: tag }, 503)

    /** The database does not answer. */
    const orNotNow = <E, R>(tag: "Unreachable" | "Uncertain", answer: Effect.Effect<Response, E, R>) =>
      Effect.catchDefect(answer, (defect) => (isDatabaseTrouble(defect) ? notNow(tag) : Effect.die(defect)))

    yield* router.add("GET", path, through(orNotNow("Unreachable", show), notNow("Unreachable")))
    yield* router.add("POST", path, through(orNotNow("Uncertain", step), notNow("Unreachable")))
  })
)

type Response = HttpServerResponse.HttpServerResponse

/** A page in the language of the request, with the name of the order's merchant. Its forms make one attempt. */
const respondAs = (merchants: Merchants["Service"], ids: NewIds["Service"]) =>
  Effect.fnUntraced(function* (page: Page, status = 200) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const order = "order" in page ? page.order : undefined
    const { chosen, language } = seenBy(request, order?.locale ?? null)
    const seen = { chosen, language, shop: yield* shopOf(merchants, order), attemptNo: yield* ids.body }
    return respondWith(render(page, seen), status, { ...headers, ...headersIn(language) })
  })

/** When the channel is unreachable, nothing was paid. Otherwise it may have been, so the page must not ask again. */
const noAnswer = (respond: ReturnType<typeof respondAs>, order: Order) => {
  const uncertain = () => respond({ _tag: "Uncertain", order }, 503)
  return {
    ChannelUnreachable: () => respond({ _tag: "Unreachable", order }, 502),
    NotCommitted: uncertain,
    ActorUnavailable: uncertain,
    OrderConflict: uncertain
  }
}

/** What the bank does with a test card, and what the page says after a decline. */
const attemptOf = (outcome: CardOutcome): readonly [how: Attempt, notice: Notice] => {
  switch (outcome) {
    case "succeed":
    case "redirect":
      return [outcome, "declined"]
    case "processing":
      return ["succeed_later", "declined"]
    default:
      return ["decline", outcome]
  }
}

/** Wallets that live on the phone: a desktop shows their code. */
const isScanned = (method: PaymentMethod) => method === "alipay" || method === "wechat_pay"

const isMethod = Schema.is(PaymentMethod)

const walletIn = (url: string): PaymentMethod | undefined => {
  const query = url.indexOf("?")
  const wallet = query < 0 ? null : new URLSearchParams(url.slice(query)).get("wallet")
  return isMethod(wallet) && isScanned(wallet) ? wallet : undefined
}

/** None for what our forms do not send. No error keeps the text either, since it may contain a card number. */
const readForm = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ arrayBuffer, headers }) => {
  const contentType = headers["content-type"]
  if (!isForm(contentType) || !isUtf8(contentType) || isCompressed(headers)) return Effect.succeedNone
  if (Number(headers["content-length"] ?? 0) > checkoutFormBytesMax) return Effect.succeedNone
  return arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(checkoutFormBytesMax)),
    Effect.map((bytes) => Option.flatMap(decodeUtf8(bytes), formOf)),
    Effect.catch(() => Effect.succeedNone)
  )
})

const isForm = (contentType = "") => /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)

const asForm = Schema.decodeUnknownOption(CheckoutForm)
const decodePart = Option.liftThrowable(decodeURIComponent)

/** Our forms send each field once. */
const formOf = (text: string): Option.Option<CheckoutForm> => {
  const fields = text.split("&", checkoutFormFieldsMax + 1)
  if (fields.length > checkoutFormFieldsMax || Option.isNone(decodePart(text))) return Option.none()
  const form = new Map(new URLSearchParams(text))
  return form.size < fields.length ? Option.none() : asForm(Object.fromEntries(form))
}
