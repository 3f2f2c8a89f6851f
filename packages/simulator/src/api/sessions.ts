/** Checkout Sessions of mode `payment`, whose page this server shows. */
import { Result } from "effect"
import type Stripe from "stripe"
import { expireSession } from "../acts/sessionEnds.ts"
import { methods as methodsOffered } from "../facts/currencies.ts"
import { newLineItem } from "../objects/lineItem.ts"
import { newSession } from "../objects/session.ts"
import { methodsFor } from "../state/accounts.ts"
import type { IntentData } from "../state/kinds.ts"
import { notSimulated, type Outcome, refuse } from "../wire/failure.ts"
import type { Call, Operations } from "./Call.ts"
import { changedMetadata, checkAmount, checkCurrency, checkLength, find, newMetadata, onlySimulated } from "./common.ts"
import { list } from "./list.ts"

type Params = Stripe.Checkout.SessionCreateParams
type Line = Stripe.Checkout.SessionCreateParams.LineItem

const linesMax = 100
const referenceLengthMax = 200
const nameLengthMax = 250
const descriptionLengthMax = 1_000
const descriptorLengthMax = 22
/** Seconds that a session may be open. */
const openMin = 30 * 60
const openMax = 24 * 60 * 60

export const sessions: Operations<
  | "GET /v1/checkout/sessions"
  | "POST /v1/checkout/sessions"
  | "GET /v1/checkout/sessions/:id"
  | "POST /v1/checkout/sessions/:id"
  | "POST /v1/checkout/sessions/:id/expire"
  | "GET /v1/checkout/sessions/:id/line_items"
> = {
  "POST /v1/checkout/sessions": {
    simulates: [
      "adaptive_pricing",
      "allowed_payment_method_types",
      "billing_address_collection",
      "cancel_url",
      "client_reference_id",
      "customer_email",
      "expand",
      "expires_at",
      "line_items",
      "locale",
      "metadata",
      "mode",
      "payment_intent_data",
      "payment_method_options",
      "submit_type",
      "success_url",
      "ui_mode",
      "wallet_options"
    ],
    run: (call, params) => create(call, params)
  },
  "GET /v1/checkout/sessions": {
    simulates: ["created", "ending_before", "expand", "limit", "payment_intent", "starting_after", "status"],
    run: (call, params) =>
      list(call, "checkout.session", params, {
        parent: params.payment_intent,
        where: ({ status }) => params.status === undefined || status === params.status
      })
  },
  "GET /v1/checkout/sessions/:id": { simulates: ["expand"], run: (call) => find(call, "checkout.session") },
  "POST /v1/checkout/sessions/:id": {
    simulates: ["expand", "metadata"],
    run: (call, params) =>
      Result.gen(function* () {
        const session = yield* find(call, "checkout.session")
        const metadata = yield* changedMetadata(session.metadata, params.metadata)
        return call.book.put("checkout.session", { ...session, metadata })
      })
  },
  "POST /v1/checkout/sessions/:id/expire": {
    simulates: ["expand"],
    run: (call) => Result.flatMap(find(call, "checkout.session"), (session) => expire(call, session))
  },
  "GET /v1/checkout/sessions/:id/line_items": {
    simulates: ["ending_before", "expand", "limit", "starting_after"],
    run: (call) =>
      Result.map(find(call, "checkout.session"), ({ id }) => ({
        object: "list",
        data: call.book.get("x.lines", id)!.items,
        has_more: false,
        url: call.path
      }))
  }
}

const create = (call: Call, params: Params): Outcome<object> =>
  Result.gen(function* () {
    const { book, world } = call
    if (params.mode === undefined)
      return yield* refuse("Missing required param: mode.", { code: "parameter_missing", param: "mode" })
    if (params.mode !== "payment") return yield* notSimulated(`mode ${params.mode}`, "mode")
    if (params.ui_mode !== undefined && params.ui_mode !== "hosted_page") {
      return yield* notSimulated(`ui_mode ${params.ui_mode}`, "ui_mode")
    }
    if (params.success_url === undefined) {
      return yield* refuse("Missing required param: success_url.", { code: "parameter_missing", param: "success_url" })
    }
    for (const param of ["success_url", "cancel_url"] as const) yield* checkUrl(params[param], param)
    yield* checkMethods(params)
    yield* checkLength(params.client_reference_id, referenceLengthMax, "client_reference_id")
    const expiresAt = params.expires_at ?? world.seconds() + openMax
    if (expiresAt < world.seconds() + openMin || expiresAt > world.seconds() + openMax) {
      const message =
        "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation."
      return yield* refuse(message, { param: "expires_at" })
    }
    const items = yield* linesOf(call, params.line_items ?? [])
    const currency = items[0]!.currency
    const amount = items.reduce((sum, { amount_total }) => sum + amount_total, 0)
    yield* checkAmount(amount, currency, "line_items")
    const methods = yield* methodsOf(call, currency, params)
    const metadata = yield* newMetadata(params.metadata)
    const intent = yield* intentDataOf(params)
    const id = world.newId(book.livemode ? "cs_live" : "cs_test", 58)
    const session = newSession({
      id,
      created: world.seconds(),
      livemode: book.livemode,
      currency,
      amount,
      expiresAt,
      methods,
      isAdaptive: params.adaptive_pricing?.enabled ?? world.accountOf(book).adaptive_pricing,
      url: `${world.settings.url}/c/pay/${id}`,
      params: { ...params, metadata }
    })
    book.put("x.lines", { id, items, intent })
    book.put("checkout.session", session)
    world.schedule(book, expiresAt * 1000, { do: "expireSession", session: id })
    return session
  })

const checkUrl = (url: string | undefined, param: string): Outcome<void> =>
  url === undefined || /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(url)
    ? Result.void
    : refuse("Not a valid URL", { code: "url_invalid", param })

const checkMethods = (params: Params): Outcome<void> =>
  Result.gen(function* () {
    const allowed: ReadonlyArray<string> = params.allowed_payment_method_types ?? []
    const other = allowed.find((method) => !methodsOffered.some((each) => each === method))
    if (other !== undefined) return yield* notSimulated(`the method ${other}`, "allowed_payment_method_types")
    const options = params.payment_method_options ?? {}
    yield* onlySimulated(options, methodsOffered, "payment_method_options")
    const own = "payment_method_options[card][capture_method]"
    if (options.card?.capture_method !== undefined) return yield* notSimulated(`the parameter ${own}`, own)
    if (allowed.includes("wechat_pay") && options.wechat_pay?.client === undefined) {
      const param = "payment_method_options[wechat_pay][client]"
      return yield* refuse(`Missing required param: ${param}.`, { code: "parameter_missing", param })
    }
  })

/** A wallet charges when its buyer confirms. */
export const canWait = (methods: ReadonlyArray<string>, capture: string | undefined): ReadonlyArray<string> =>
  methods.filter((method) => capture !== "manual" || method === "card")

/** An unsuitable method is omitted silently, as at Stripe since 2026-09-30. */
const methodsOf = (
  { book, world }: Call,
  currency: string,
  { allowed_payment_method_types: allowed, payment_intent_data: data }: Params
): Outcome<ReadonlyArray<string>> => {
  const account = world.accountOf(book)
  const left = canWait(methodsFor(account, currency, allowed), data?.capture_method)
  return left.length === 0 && account.without_methods === "refusal"
    ? refuse("No payment method that is allowed for this Checkout Session can be used in its currency.")
    : Result.succeed(left)
}

const linesOf = (call: Call, lines: ReadonlyArray<Line>): Outcome<ReadonlyArray<Stripe.LineItem>> =>
  Result.gen(function* () {
    if (lines.length === 0)
      return yield* refuse("Missing required param: line_items.", { code: "parameter_missing", param: "line_items" })
    if (lines.length > linesMax)
      return yield* refuse(`A session has at most ${linesMax} line items.`, { param: "line_items" })
    const items = yield* Result.all(lines.map((line, index) => lineOf(call, line, `line_items[${index}]`)))
    if (new Set(items.map(({ currency }) => currency)).size > 1) {
      return yield* refuse("All line items must have the same currency.", { param: "line_items" })
    }
    return items
  })

const lineOf = ({ book, world }: Call, line: Line, path: string): Outcome<Stripe.LineItem> =>
  Result.gen(function* () {
    yield* onlySimulated(line, ["price_data", "quantity"], path)
    const price = line.price_data
    if (price === undefined)
      return yield* refuse(`Missing required param: ${path}[price_data].`, {
        code: "parameter_missing",
        param: `${path}[price_data]`
      })
    yield* onlySimulated(price, ["currency", "product_data", "tax_behavior", "unit_amount"], `${path}[price_data]`)
    const unitAmount = price.unit_amount
    if (unitAmount === undefined || unitAmount < 0) {
      return yield* refuse("Invalid non-negative integer", { param: `${path}[price_data][unit_amount]` })
    }
    const quantity = line.quantity ?? 1
    if (quantity < 1) return yield* refuse("Quantity must be at least 1.", { param: `${path}[quantity]` })
    const currency = yield* checkCurrency(price.currency, `${path}[price_data][currency]`)
    const product = `${path}[price_data][product_data]`
    const { description, name } = price.product_data ?? {}
    // Stripe treats a blank name like an empty one.
    if (name !== undefined && name.trim() === "") {
      const message = `You passed an empty string for '${product}[name]'.`
      return yield* refuse(message, { code: "parameter_invalid_empty", param: `${product}[name]` })
    }
    yield* checkLength(name, nameLengthMax, `${product}[name]`)
    yield* checkLength(description, descriptionLengthMax, `${product}[description]`)
    return newLineItem({
      id: world.newId("li"),
      priceId: world.newId("price"),
      productId: world.newId("prod", 14),
      created: world.seconds(),
      livemode: book.livemode,
      currency,
      name: name ?? "",
      unitAmount,
      quantity
    })
  })

const intentFields = [
  "capture_method",
  "description",
  "metadata",
  "receipt_email",
  "statement_descriptor",
  "statement_descriptor_suffix"
]

const intentDataOf = ({ payment_intent_data: data = {} }: Params): Outcome<IntentData> =>
  Result.gen(function* () {
    yield* onlySimulated(data, intentFields, "payment_intent_data")
    yield* checkLength(data.description, descriptionLengthMax, "payment_intent_data[description]")
    for (const field of ["statement_descriptor", "statement_descriptor_suffix"] as const) {
      yield* checkLength(data[field], descriptorLengthMax, `payment_intent_data[${field}]`)
    }
    const metadata = yield* newMetadata(data.metadata, "payment_intent_data[metadata]")
    return { ...(data as IntentData), metadata }
  })

const expire = ({ book, world }: Call, session: Stripe.Checkout.Session): Outcome<object> => {
  if (session.status !== "open") {
    return refuse(
      `Only Checkout Sessions with a status in ["open"] can be expired. This one has a status of ${session.status}.`
    )
  }
  const intent =
    typeof session.payment_intent === "string" ? book.get("payment_intent", session.payment_intent) : undefined
  if (intent?.status === "processing") {
    return refuse("This Checkout Session cannot be expired, because its payment is being processed.")
  }
  return Result.succeed(expireSession(world, book, session))
}
