/** The buyer's pages: `/c/pay/<session>`, and `/authorize/<payment intent>` for a bank or a wallet. */
import { Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Stripe } from "stripe"
import { type Obstacle, payInSession } from "../acts/checkout.ts"
import { makeCard, makeWallet } from "../acts/methods.ts"
import { authenticate } from "../acts/pay.ts"
import { sessionOf } from "../acts/sessionEnds.ts"
import { checkDates } from "../api/methods.ts"
import { cardOfNumber } from "../cards/cards.ts"
import type { Parts } from "../control/Command.ts"
import { type Wallet, wallets } from "../objects/paymentMethod.ts"
import { type Html, page } from "../pages/html.ts"
import { authorisePage, messagePage, sessionPage } from "../pages/views.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"
import { targetOf } from "./request.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Undefined for a path without a page. */
export const makePages = ({ keep, world }: Parts) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const [, kind, id] = /^\/(c\/pay|authorize)\/(\w+)$/.exec(targetOf(request.url).path) ?? []
    if (kind === undefined || id === undefined) return undefined
    const isPost = request.method === "POST"
    const form = new URLSearchParams(isPost ? yield* request.text : "")
    const response = kind === "c/pay" ? checkout(world, id, isPost, form) : authorise(world, id, isPost, form)
    keep()
    return response
  })

const show = (title: string, content: Html, status = 200): Response =>
  HttpServerResponse.text(page(title, content), {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    }
  })

const notFound = show("Nothing here", messagePage("Nothing here", "There is no such payment."), 404)

const seeOther = (location: string): Response => HttpServerResponse.empty({ status: 303, headers: { location } })

const checkout = (world: World, id: string, isPost: boolean, form: URLSearchParams): Response => {
  const book = world.find("checkout.session", id)
  const session = book?.get("checkout.session", id)
  if (book === undefined || session === undefined) return notFound
  if (session.status === "complete") return thanks(session)
  if (session.status === "expired") return show("Expired", messagePage("Expired", "This page has expired."), 410)
  const intent = book.get("payment_intent", String(session.payment_intent))
  const problem = intent?.last_payment_error?.message
  return isPost ? submit(world, book, session, form) : formPage(book, session, problem)
}

const formPage = (book: Book, session: Stripe.Checkout.Session, problem: string | undefined, status = 200): Response =>
  show("Pay", sessionPage({ session, problem, items: book.get("x.lines", session.id)!.items }), status)

const obstacles: Readonly<Record<Obstacle, string>> = {
  complete: "This was paid already.",
  expired: "This page has expired.",
  processing: "Your payment is being processed.",
  method_not_offered: "This method is not offered here.",
  currency_not_offered: "This currency is not offered here."
}

const submit = (world: World, book: Book, session: Stripe.Checkout.Session, form: URLSearchParams): Response => {
  const method = chosen(world, book, session, form)
  if (typeof method === "string") return formPage(book, session, method, 422)
  const begun = payInSession(world, book, session, { method })
  if (Result.isFailure(begun)) return formPage(book, session, obstacles[begun.failure], 409)
  const intent = begun.success
  if (intent.status === "requires_action") return seeOther(`${world.settings.url}/authorize/${intent.id}`)
  return after(world, book, session.id, intent)
}

const after = (world: World, book: Book, sessionId: string, intent: Stripe.PaymentIntent): Response => {
  const session = book.get("checkout.session", sessionId)!
  if (session.status === "complete") return thanks(session)
  if (intent.status === "processing") return show("Processing", messagePage("Processing", obstacles.processing))
  return seeOther(`${world.settings.url}/c/pay/${sessionId}`)
}

const thanks = ({ id, success_url }: Stripe.Checkout.Session): Response =>
  seeOther((success_url ?? "/").replaceAll("{CHECKOUT_SESSION_ID}", id))

/** The payment method in the form, or its problem. */
const chosen = (world: World, book: Book, session: Stripe.Checkout.Session, form: URLSearchParams) => {
  const text = (name: string) => (form.get(name) ?? "").trim()
  const billing = { email: session.customer_email ?? (text("email") || null) }
  const method = text("method") || "card"
  if (wallets.includes(method)) return makeWallet(world, book, method as Wallet, { billing })
  const card = cardOfNumber(text("number"))
  if (card === undefined) return "Your card number is invalid. The simulator knows Stripe's test cards only."
  const [, month, year] = /^(\d{1,2})\s*\/\s*(\d{2,4})$/.exec(text("expiry")) ?? []
  const dates = checkDates(world, Number(month ?? 0), Number(year ?? 0))
  if (Result.isFailure(dates)) return dates.failure.error.message
  if (!/^\d{3,4}$/.test(text("cvc"))) return "Your card's security code is incomplete."
  const name = text("name")
  return makeCard(world, book, card, dates.success, { billing: { ...billing, ...(name !== "" && { name }) } })
}

const authorise = (world: World, id: string, isPost: boolean, form: URLSearchParams): Response => {
  const book = world.find("payment_intent", id)
  const intent = book?.get("payment_intent", id)
  if (book === undefined || intent === undefined) return notFound
  const session = sessionOf(book, id)
  if (intent.status !== "requires_action") {
    if (session?.status === "complete") return thanks(session)
    return show("Over", messagePage("Over", "This payment is no longer waiting for you."), 410)
  }
  const method = book.get("payment_method", intent.payment_method as string)!
  if (!isPost) return show("Authorise", authorisePage(intent, method.type))
  const done = authenticate(world, book, intent, { succeeds: form.get("outcome") === "authorise" })
  return session === undefined ? backToCaller(intent, done) : after(world, book, session.id, done)
}

/** For a payment without a session: the return URL of its confirmation. */
const backToCaller = ({ next_action: nextAction }: Stripe.PaymentIntent, done: Stripe.PaymentIntent): Response => {
  const back = nextAction?.redirect_to_url?.return_url ?? nextAction?.alipay_handle_redirect?.return_url
  const outcome = done.status === "succeeded" ? "succeeded" : "failed"
  if (!back) return show("Done", messagePage("Done", `The payment ${outcome}.`))
  const mark = back.includes("?") ? "&" : "?"
  return seeOther(`${back}${mark}payment_intent=${done.id}&redirect_status=${outcome}`)
}
