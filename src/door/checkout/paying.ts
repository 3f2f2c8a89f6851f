/**
 * A step towards paying an order: the channel's call for a form of the page, and the page that follows (silences: K,
 * O14, O32). A card number exists only as long as the request, and is written nowhere.
 */
import { Email } from "@coffer/contract/fields"
import { paymentDeclinesMax } from "@coffer/model/Limits"
import { isOnPhone, type PaidCard, type PaymentMethod } from "@coffer/model/PaymentMethod"
import { triesLeft } from "@coffer/rules/order/attempts"
import type { Order } from "@coffer/rules/order/Order"
import { takesAddress } from "@coffer/rules/order/receipt"
import { DateTime, Effect, Option, Schema } from "effect"
import type { Attempt, Buyer, Channel } from "../../shared/channel/Channel.ts"
import { HttpServerRequest } from "effect/http"
import type { ChannelUnreachable } from "../../shared/channel/payments.ts"
import type { Routing } from "../../money/orders/Routing.ts"
import type { Orders } from "../../money/orders/Orders.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import type { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { type CardCheck, type CardOutcome, checkCard } from "./checkCard.ts"
import type { CheckoutForm, Field } from "./checkoutForms.ts"
import type { Page } from "./CheckoutPage.ts"
import { currentPage } from "./currentPage.ts"
import { languageFor } from "./frame.ts"
import type { Respond, Response } from "./respondAs.ts"
import type { Notice } from "./texts.ts"

interface Services {
  readonly orders: Orders["Service"]
  readonly channel: Channel["Service"]
  readonly links: OrderLinks["Service"]
  readonly routing: Routing["Service"]
  readonly respond: Respond
}

interface Try {
  readonly how: Attempt
  /** The bank's code of a refusal. */
  readonly reason?: string
  /** The card that was typed. */
  readonly card?: PaidCard
}

export const takeStep = (services: Services) => {
  const { channel, respond } = services
  const { buyer } = channel
  const attempt = makeAttempt(services)
  const leave = makeLeave(services)
  const keeping = makeKeeping(services)
  const payByCard = makePayByCard(services, keeping, attempt)

  return Effect.fnUntraced(function* (order: Order, form: Option.Option<CheckoutForm>) {
    const page = yield* currentPage(services, order)
    if (page._tag === "Processing") return yield* respond.byGet(order)
    if (page._tag !== "Pay") {
      if (Option.isSome(form) && page._tag === "Closed") yield* endRedirect(buyer, order, form.value)
      return yield* respond.with(page)
    }
    if (Option.isNone(form)) return yield* respond.with({ ...page, notice: "unreadable" }, 422)
    const { method, step } = form.value
    const { offered, sold } = yield* respond.methods(order)
    const isOffered = offered.includes(method)
    const address = addressIn(order, form.value)
    const mistyped: Page = { ...page, method, notice: "mistaken", mistakes: new Set(["email"]) }
    if (page.hosted === true) {
      if (step !== "pay") return yield* respond.byGet(order)
      if (isOffered && address === "mistaken") return yield* respond.with(mistyped, 422)
      if (isOffered) return yield* keeping(order, address, leave(order, page, method))
      return yield* respond.with({ ...page, notice: sold.includes(method) ? "notTaken" : "notOffered" }, 422)
    }
    if (step === "cancel") return yield* attempt(order, form.value, ...cancelOf(method))
    // A buyer who comes back from a wallet that is no longer offered pays nothing, and the attempt is ended at the
    // bank.
    if (step === "confirm") {
      return yield* isOffered
        ? attempt(order, form.value, { how: "succeed" }, "declined")
        : attempt(order, form.value, { how: "cancel" }, "notOffered")
    }
    if (!isOffered) return yield* respond.with({ ...page, notice: "notOffered" }, 422)
    if (order.declines >= paymentDeclinesMax && Option.isSome(yield* buyer.pausedUntil(order))) {
      return yield* respond.with({ ...page, method, notice: "tooManyDeclines" }, 429)
    }
    if (method === "card") return yield* payByCard(order, form.value, address)
    if (address === "mistaken") return yield* respond.with(mistyped, 422)
    return yield* keeping(order, address, attempt(order, form.value, { how: "redirect" }, "declined"))
  })
}

const notices = { method: "notTaken", amount: "amountNotTaken" } as const satisfies Record<string, Notice>

/** The channel's own page has the language of ours. */
const languageTo = (order: Order) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => languageFor(request, order.locale).language)

/** Leads to the channel's own page. */
const makeLeave = ({ respond, routing }: Services) =>
  Effect.fnUntraced(
    function* (order: Order, page: Extract<Page, { readonly _tag: "Pay" }>, method: PaymentMethod) {
      const taker = yield* routing.takerOf(order)
      // The order was changed since the page was chosen.
      if (Option.isNone(taker) || taker.value.page === undefined) return yield* respond.byGet(order)
      const begun = yield* routing.begin(order, method, yield* languageTo(order))
      switch (begun._tag) {
        case "Redirect":
          return yield* respond.with({ _tag: "Leaving", order, url: begun.url })
        case "Settled":
          return yield* respond.byGet(order)
        case "Unknown":
          return yield* respond.with({ _tag: "Uncertain", order }, 503)
        case "NotTaken":
          return yield* respond.with({ ...page, method, notice: notices[begun.because] }, 422)
      }
    },
    (effect, order) =>
      Effect.catchTags(effect, {
        ...noAnswer(respond, order),
        OrderNotFound: () => respond.with({ _tag: "InvalidLink" }, 404)
      })
  )

/**
 * Leads a buyer who opens the page to the channel's own. None if that fails now: the page shows why. By a page, not by
 * a redirect: browsers check each redirect after a form against the policy of the form's page, and a buyer may come
 * from a form of ours or of a shop.
 */
export const makeAtOnce = ({ respond, routing }: Pick<Services, "respond" | "routing">) =>
  Effect.fnUntraced(function* (order: Order, method: PaymentMethod) {
    const begun = yield* Effect.option(routing.begin(order, method, yield* languageTo(order)))
    return Option.isSome(begun) && begun.value._tag === "Redirect"
      ? yield* respond.with({ _tag: "Leaving", order, url: begun.value.url })
      : undefined
  })

/** Makes one attempt at the sandbox's bank, and shows the page that follows from it. */
const makeAttempt = (services: Services) => {
  const { channel, links, respond } = services
  const scanned = (order: Order, method: PaymentMethod) =>
    isOnPhone(method) ? { scanned: `${links.signed.checkout(order)}?wallet=${method}` } : {}

  return Effect.fnUntraced(
    function* (order: Order, { attempt_no, method }: CheckoutForm, { card, how, reason }: Try, notice: Notice) {
      const after = yield* channel.buyer.pay(order, method, how, { attemptNo: attempt_no, card, reason })
      const page = yield* currentPage(services, after)
      if (after.status === "paid" || page._tag === "Held" || page._tag === "Processing")
        return yield* respond.byGet(after)
      if (page._tag !== "Pay") return yield* respond.with(page)
      return yield* respond.with(
        how === "redirect"
          ? { _tag: "Away", order: after, method, ...scanned(after, method) }
          : { ...page, method, ...noticeAfter(notice, triesLeft(after, yield* currentTime)) }
      )
    },
    (effect, order) => Effect.catchTags(effect, noAnswer(respond, order))
  )
}

/** The last decline before the lockout is told as the lockout: trying again does not help. */
const noticeAfter = (notice: Notice, left: number): { readonly notice: Notice; readonly triesLeft: number } => ({
  notice: left === 0 && notice !== "cancelled" && notice !== "notOffered" ? "tooManyDeclines" : notice,
  triesLeft: left
})

const makePayByCard = (
  { respond }: Services,
  keeping: ReturnType<typeof makeKeeping>,
  attempt: ReturnType<typeof makeAttempt>
) =>
  Effect.fnUntraced(function* (order: Order, form: CheckoutForm, address: Address) {
    const { cvc = "", expiry = "", method, number = "" } = form
    const checked = checkCard({ number, expiry, cvc }, DateTime.toPartsUtc(yield* currentTime))
    const page: Page = { _tag: "Pay", order, method }
    const mistakes = new Set<Field>(checked._tag === "Mistaken" ? checked.fields : [])
    if (address === "mistaken") {
      const empty = checked._tag === "Mistaken" ? checked.empty : new Set<Field>()
      return yield* respond.with({ ...page, notice: "mistaken", mistakes: mistakes.add("email"), empty }, 422)
    }
    switch (checked._tag) {
      case "Mistaken":
        return yield* respond.with({ ...page, notice: "mistaken", mistakes, empty: checked.empty }, 422)
      case "NotATestCard":
        return yield* respond.with({ ...page, notice: "notATestCard" })
      case "TestCard":
        return yield* keeping(order, address, attempt(order, form, ...attemptOf(checked)))
    }
  })

// Where the receipt goes ---------------------------------------------------------

/** The address that a buyer has typed; undefined if there is none, or no field for it. */
type Address = string | "mistaken" | undefined

const isAddress = Schema.is(Email)

/** Chinese keyboards type some characters in full width. */
const addressIn = (order: Order, { email = "", step }: CheckoutForm): Address => {
  const typed = email.normalize("NFKC").trim()
  if (typed === "" || step !== "pay" || !takesAddress(order)) return undefined
  return isAddress(typed) ? typed : "mistaken"
}

/**
 * Keeps the address with the order before anything is charged, since the payment's own commit sends the mail. If it
 * cannot be stored, nothing is charged either: the buyer tries again.
 */
const makeKeeping =
  ({ orders, respond }: Services) =>
  <E, R>(order: Order, address: string | undefined, pay: Effect.Effect<Response, E, R>) => {
    if (address === undefined) return pay
    const unreachable = () => Effect.asSome(respond.with({ _tag: "Unreachable", order }, 503))
    const kept = Effect.catchTags(Effect.as(orders.takeBuyersAddress(order, address), Option.none<Response>()), {
      NotCommitted: unreachable,
      OrderConflict: unreachable,
      OwnerUnavailable: unreachable,
      OrderNotFound: () => Effect.asSome(respond.with({ _tag: "InvalidLink" }, 404))
    })
    return Effect.flatMap(kept, Option.match({ onNone: () => pay, onSome: (response) => Effect.succeed(response) }))
  }

/** The buyer came back from the wallet too late to pay. Until the bank knows that, the order cannot be closed. */
const endRedirect = (buyer: Buyer, order: Order, form: CheckoutForm) =>
  order.status === "pending" && order.mode === "sandbox" && form.step !== "pay"
    ? Effect.ignore(buyer.pay(order, form.method, "cancel", { attemptNo: form.attempt_no }))
    : Effect.void

/**
 * When the channel is unreachable, nothing was paid. Otherwise it may have been paid, so the page must not offer to pay
 * again.
 */
const noAnswer = (respond: Respond, order: Order) => {
  const uncertain = () => respond.with({ _tag: "Uncertain", order }, 503)
  return {
    ChannelUnreachable: ({ because, retryAfterMillis }: ChannelUnreachable) =>
      retryAfterMillis === undefined
        ? respond.with({ _tag: "Unreachable", order }, because === "closed" ? 503 : 502)
        : respond.with({ _tag: "Unreachable", order }, 503, {
            "retry-after": String(Math.ceil(retryAfterMillis / 1_000))
          }),
    NotCommitted: uncertain,
    OwnerUnavailable: uncertain,
    OrderConflict: uncertain
  }
}

/** The bank's act for a test card, and the page's notice after a decline. */
const attemptOf = ({ card, outcome }: Extract<CardCheck, { readonly _tag: "TestCard" }>): readonly [Try, Notice] => {
  switch (outcome) {
    case "succeed":
    case "redirect":
      return [{ card, how: outcome }, "declined"]
    case "processing":
      return [{ card, how: "succeed_later" }, "declined"]
    default:
      return [{ card, how: "decline", reason: reasons[outcome] }, outcome]
  }
}

/** The bank's codes of its refusals. */
const reasons = {
  declined: "generic_decline",
  insufficientFunds: "insufficient_funds",
  cardExpired: "expired_card",
  callBank: "call_issuer"
} as const satisfies Partial<Record<CardOutcome, string>>

/** For a card: the bank could not verify the buyer, and refuses. For a wallet: the buyer cancels. */
const cancelOf = (method: PaymentMethod): readonly [how: Try, notice: Notice] =>
  method === "card"
    ? [{ how: "decline", reason: "authentication_failed" }, "unverified"]
    : [{ how: "cancel" }, "cancelled"]
