/**
 * The checkout's two routes, for buyers: GET shows the order, POST takes a step towards paying it. They are not part of
 * the API: they have no key and no envelope, and the signed address is all that a buyer needs (spec: Order,
 * checkout_url; silences: K).
 *
 * A card number exists only as long as the request, and is written nowhere.
 */
import type { Order } from "@coffer/rules/order/Order"
import { checkoutFormBytesMax, checkoutFormFieldsMax } from "@coffer/model/Limits"
import { ByteSize, DateTime, Effect, type Layer, Option, Schema } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { currentTime } from "../platform/runtime/clock.ts"
import type { Attempt } from "../sandbox/SandboxBank.ts"
import { SandboxBuyer } from "../sandbox/SandboxBuyer.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { isDatabaseTrouble } from "../platform/postgres/trouble.ts"
import type { Admission } from "../http/Admission.ts"
import { decodeUtf8, isCompressed, isUtf8 } from "../http/Body.ts"
import * as PublicAdmission from "../edge/PublicAdmission.ts"
import { pathOf } from "../edge/routing.ts"
import { Orders } from "../orders/Orders.ts"
import { checkCard } from "./checkCard.ts"
import { CheckoutForm } from "./checkoutForms.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import { type Page, pageOf, render } from "./CheckoutPage.ts"
import { headers, respondWith } from "../pages/respond.ts"
import type { Notice } from "./texts.ts"

/** The address does not carry our signature. */
class LinkNotValid extends Schema.TaggedError<LinkNotValid>()("LinkNotValid", {}) {}

const path = "/checkout/:token"

/** That nothing but these is needed and nothing can fail is checked here: an error left out does not compile. */
type Routes = Layer.Layer<never, never, HttpRouter.HttpRouter | Admission | OrderLinks | NewIds | Orders | SandboxBuyer>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const links = yield* OrderLinks
    const orders = yield* Orders
    const buyer = yield* SandboxBuyer
    const ids = yield* NewIds
    const through = yield* PublicAdmission.make

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

    /** Each page has a form for an attempt of its own. */
    const nextPageOf = Effect.fnUntraced(function* (order: Order) {
      return pageOf(order, yield* currentTime, yield* ids.body)
    })

    const show = Effect.gen(function* () {
      const order = yield* openOrder
      return respond(yield* nextPageOf(order))
    }).pipe(Effect.catchTags({ LinkNotValid: noSuchPage, OrderNotFound: noSuchPage }), Effect.withSpan("checkout.show"))

    /** Makes one attempt at the sandbox's bank, and shows the page that follows from it. */
    const attempt = Effect.fnUntraced(
      function* (order: Order, { attempt_no, method }: CheckoutForm, how: Attempt, notice: Notice) {
        const after = yield* buyer.pay(order, method, how, { attemptNo: attempt_no })
        // Seen through GET, the success can be reloaded without paying again.
        if (after.status === "paid") return HttpServerResponse.redirect(pathOf(after), { status: 303, headers })
        const page = yield* nextPageOf(after)
        if (page._tag !== "Pay") return respond(page)
        return respond(how === "redirect" ? { ...page, _tag: "Away", method } : { ...page, method, notice })
      },
      (effect, order) => Effect.catchTags(effect, noAnswer(pathOf(order)))
    )

    const step = Effect.gen(function* () {
      const order = yield* openOrder
      const form = yield* readForm
      const page = yield* nextPageOf(order)
      if (page._tag !== "Pay") {
        if (Option.isSome(form)) yield* endRedirect(order, form.value)
        return respond(page)
      }
      if (Option.isNone(form)) return respond({ ...page, notice: "unreadable" }, 422)
      const { method, step } = form.value
      switch (step) {
        case "pay":
          return method === "card"
            ? yield* payByCard(page, form.value, attempt)
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

    yield* router.add("GET", path, through(orNotNow("Unreachable", show), notNow("Unreachable")))
    yield* router.add("POST", path, through(orNotNow("Uncertain", step), notNow("Unreachable")))
  })
)

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

const payByCard = Effect.fnUntraced(function* <E>(
  page: PayPage,
  form: CheckoutForm,
  attempt: (order: Order, form: CheckoutForm, how: Attempt, notice: Notice) => Effect.Effect<Response, E>
) {
  const { cvc = "", expiry = "", method, number = "" } = form
  const checked = checkCard({ number, expiry, cvc }, DateTime.toPartsUtc(yield* currentTime))
  switch (checked._tag) {
    case "Mistaken":
      return respond({ ...page, method, notice: "mistaken", mistakes: checked.fields }, 422)
    case "NotATestCard":
      return respond({ ...page, method, notice: "notATestCard" })
    case "TestCard":
      return yield* attempt(page.order, form, checked.attempt, "declined")
  }
})

type PayPage = Extract<Page, { readonly _tag: "Pay" }>
type Response = HttpServerResponse.HttpServerResponse

/** When the channel is unreachable, nothing was paid. Otherwise it may have been, so the page must not ask again. */
const noAnswer = (address: string) => {
  const uncertain = () => Effect.succeed(respond({ _tag: "Uncertain", address }, 503))
  return {
    ChannelUnreachable: () => Effect.succeed(respond({ _tag: "Unreachable", address }, 502)),
    NotCommitted: uncertain,
    ActorUnavailable: uncertain,
    OrderConflict: uncertain
  }
}

/** A page for people, that leads back to where they are. */
const notNow = (tag: "Unreachable" | "Uncertain") =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => respond({ _tag: tag, address: pathOf(url) }, 503))

/** The database does not answer. */
const orNotNow = <E, R>(tag: "Unreachable" | "Uncertain", answer: Effect.Effect<Response, E, R>) =>
  Effect.catchDefect(answer, (defect) => (isDatabaseTrouble(defect) ? notNow(tag) : Effect.die(defect)))

const noSuchPage = () => Effect.succeed(respond({ _tag: "InvalidLink" }, 404))

const respond = (page: Page, status = 200) => respondWith(render(page), status)
