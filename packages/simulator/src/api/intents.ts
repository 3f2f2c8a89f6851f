/** PaymentIntents: created and confirmed by the API, or by a buyer on a session's page. */
import { Result } from "effect"
import type Stripe from "stripe"
import { asksBuyer, attempt, capture } from "../acts/pay.ts"
import { cancelIntent, isCancelable, sessionOf } from "../acts/sessionEnds.ts"
import { methods as methodsOffered } from "../facts/currencies.ts"
import { methodsFor } from "../state/accounts.ts"
import { makeIntent } from "../acts/makeIntent.ts"
import { type Failure, notSimulated, type Outcome, refuse } from "../wire/failure.ts"
import type { Call, Operations } from "./Call.ts"
import { changedMetadata, checkAmount, checkCurrency, find, newMetadata, onlySimulated } from "./common.ts"
import { list } from "./list.ts"
import { methodOfName } from "./methods.ts"
import { canWait } from "./sessions.ts"

export const intents: Operations<
  | "GET /v1/payment_intents"
  | "POST /v1/payment_intents"
  | "GET /v1/payment_intents/:id"
  | "POST /v1/payment_intents/:id"
  | "POST /v1/payment_intents/:id/cancel"
  | "POST /v1/payment_intents/:id/capture"
  | "POST /v1/payment_intents/:id/confirm"
> = {
  "POST /v1/payment_intents": {
    simulates: [
      "allowed_payment_method_types",
      "amount",
      "automatic_payment_methods",
      "capture_method",
      "confirm",
      "confirmation_method",
      "currency",
      "description",
      "expand",
      "metadata",
      "off_session",
      "payment_method",
      "payment_method_options",
      "receipt_email",
      "return_url",
      "shipping",
      "statement_descriptor",
      "statement_descriptor_suffix"
    ],
    run: (call, params) => create(call, params)
  },
  "GET /v1/payment_intents": {
    simulates: ["created", "ending_before", "expand", "limit", "starting_after"],
    run: (call, params) => list(call, "payment_intent", params)
  },
  "GET /v1/payment_intents/:id": { simulates: ["expand"], run: (call) => find(call, "payment_intent") },
  "POST /v1/payment_intents/:id": {
    simulates: ["description", "expand", "metadata"],
    run: (call, params) =>
      Result.gen(function* () {
        const intent = yield* find(call, "payment_intent")
        const metadata = yield* changedMetadata(intent.metadata, params.metadata)
        return call.book.put("payment_intent", {
          ...intent,
          metadata,
          description: params.description ?? intent.description
        })
      })
  },
  "POST /v1/payment_intents/:id/confirm": {
    simulates: ["expand", "payment_method", "return_url"],
    run: (call, params) =>
      Result.flatMap(find(call, "payment_intent"), (intent) =>
        confirm(call, intent, params.payment_method, params.return_url)
      )
  },
  "POST /v1/payment_intents/:id/cancel": {
    simulates: ["cancellation_reason", "expand"],
    run: (call, params) =>
      Result.flatMap(find(call, "payment_intent"), (intent) => cancel(call, intent, params.cancellation_reason ?? null))
  },
  "POST /v1/payment_intents/:id/capture": {
    simulates: ["amount_to_capture", "expand"],
    run: (call, params) =>
      Result.flatMap(find(call, "payment_intent"), (intent) => captureOf(call, intent, params.amount_to_capture))
  }
}

const create = (call: Call, params: Stripe.PaymentIntentCreateParams): Outcome<object> =>
  Result.gen(function* () {
    const currency = yield* checkCurrency(params.currency, "currency")
    yield* checkAmount(params.amount, currency, "amount")
    const metadata = yield* newMetadata(params.metadata)
    const allowed = params.allowed_payment_method_types ?? methodsOffered
    const other = allowed.find((method) => !methodsOffered.some((each) => each === method))
    if (other !== undefined) return yield* notSimulated(`the method ${other}`, "allowed_payment_method_types")
    const options = params.payment_method_options ?? {}
    yield* onlySimulated(options, ["wechat_pay"], "payment_method_options")
    const wechat = options.wechat_pay || undefined
    yield* onlySimulated(wechat ?? {}, ["client"], "payment_method_options[wechat_pay]")
    const offered = methodsFor(call.world.accountOf(call.book), currency, allowed)
    const methods = canWait(offered, params.capture_method)
    const { description, receipt_email, statement_descriptor, statement_descriptor_suffix } = params
    const intent = makeIntent(call.world, call.book, {
      amount: params.amount,
      currency,
      methods,
      isAutomatic: params.allowed_payment_method_types === undefined,
      ...(params.capture_method && { capture: params.capture_method }),
      ...(params.confirmation_method && { confirmation: params.confirmation_method }),
      shipping: shippingOf(params.shipping),
      options: wechat === undefined ? {} : { wechat_pay: { app_id: null, client: wechat.client ?? null } },
      data: {
        metadata,
        ...(description && { description }),
        ...(receipt_email && { receipt_email }),
        ...(statement_descriptor && { statement_descriptor }),
        ...(statement_descriptor_suffix && { statement_descriptor_suffix })
      }
    })
    if (params.confirm === true) return yield* confirm(call, intent, params.payment_method, params.return_url)
    if (params.payment_method === undefined) return intent
    const method = yield* methodOfName(call, params.payment_method, "payment_method")
    return call.book.put("payment_intent", { ...intent, payment_method: method.id, status: "requires_confirmation" })
  })

const captureOf = (
  { book, world }: Call,
  intent: Stripe.PaymentIntent,
  amount = intent.amount_capturable
): Outcome<object> => {
  if (intent.status !== "requires_capture") return unexpected(intent, "capture")
  const param = "amount_to_capture"
  if (amount < 1) return refuse("Invalid positive integer", { code: "parameter_invalid_integer", param })
  if (amount > intent.amount_capturable) {
    const message = `The amount to capture is greater than the authorized amount (${intent.amount_capturable}).`
    return refuse(message, { code: "amount_too_large", param })
  }
  return Result.succeed(capture(world, book, intent, amount))
}

const shippingOf = (shipping: Stripe.PaymentIntentCreateParams["shipping"]): Stripe.PaymentIntent.Shipping | null => {
  if (shipping === undefined) return null
  const { address, carrier = null, name, phone = null, tracking_number = null } = shipping
  const { city = null, country = null, line1 = null, line2 = null, postal_code = null, state = null } = address
  return { address: { city, country, line1, line2, postal_code, state }, carrier, name, phone, tracking_number }
}

const confirm = (
  call: Call,
  intent: Stripe.PaymentIntent,
  name: string | undefined,
  returnUrl: string | undefined
): Outcome<object> =>
  Result.gen(function* () {
    const { book, world } = call
    if (sessionOf(book, intent.id) !== undefined) {
      return yield* refuse("This PaymentIntent belongs to a Checkout Session, which confirms it.", { param: "intent" })
    }
    if (intent.status !== "requires_payment_method" && intent.status !== "requires_confirmation") {
      return yield* unexpected(intent, "confirm")
    }
    const chosen = name ?? (intent.payment_method as string | null)
    if (chosen === null) {
      const message = "You cannot confirm this PaymentIntent because it's missing a payment method."
      return yield* refuse(message, { code: "payment_intent_unexpected_state" })
    }
    const method = yield* methodOfName(call, chosen, "payment_method")
    if (!intent.payment_method_types.includes(method.type)) {
      return yield* refuse(`The PaymentMethod provided (${method.type}) is not allowed for this PaymentIntent.`, {
        param: "payment_method"
      })
    }
    if (method.type === "wechat_pay" && intent.payment_method_options?.wechat_pay?.client == null) {
      const param = "payment_method_options[wechat_pay][client]"
      return yield* refuse(`Missing required param: ${param}.`, { code: "parameter_missing", param })
    }
    if (intent.confirmation_method === "manual" && asksBuyer(book, method)) {
      return yield* notSimulated("a second confirmation after the buyer was asked", "confirmation_method")
    }
    const after = attempt(world, book, intent, { method, returnUrl: returnUrl ?? null })
    return after.last_payment_error === null ? after : yield* Result.fail(declined(after))
  })

/** Stripe answers a declined card with 402, after the attempt has been recorded. */
const declined = (intent: Stripe.PaymentIntent): Failure => {
  const {
    source: _,
    setup_intent: __,
    payment_intent: ___,
    payment_method_type: ____,
    ...error
  } = intent.last_payment_error!
  return { status: 402, error: { ...error, type: "card_error", message: error.message ?? "", payment_intent: intent } }
}

const unexpected = (intent: Stripe.PaymentIntent, verb: string) =>
  refuse(`You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`, {
    code: "payment_intent_unexpected_state"
  })

const cancel = (
  { book, world }: Call,
  intent: Stripe.PaymentIntent,
  reason: Stripe.PaymentIntent["cancellation_reason"]
): Outcome<object> => {
  const session = sessionOf(book, intent.id)
  if (session?.status === "open") {
    return refuse(
      "You cannot cancel this PaymentIntent because it belongs to a Checkout Session. Expire the session instead.",
      {
        code: "payment_intent_unexpected_state"
      }
    )
  }
  if (!isCancelable(intent)) return unexpected(intent, "cancel")
  return Result.succeed(cancelIntent(world, book, intent, reason))
}
