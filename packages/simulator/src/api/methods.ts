/** Payment methods: created from Stripe's test cards, by number or by Stripe's name. */
import { Result } from "effect"
import type Stripe from "stripe"
import { aYearAhead, makeCard, makeWallet } from "../acts/methods.ts"
import { cardOfName, cardOfNumber } from "../cards/cards.ts"
import { type CardDates, type Wallet, wallets } from "../objects/paymentMethod.ts"
import type { World } from "../state/World.ts"
import { noSuch, notSimulated, type Outcome, refuse } from "../wire/failure.ts"
import type { Call, Operations } from "./Call.ts"
import { find, newMetadata, onlySimulated } from "./common.ts"

type Create = Stripe.PaymentMethodCreateParams

export const methods: Operations<"POST /v1/payment_methods" | "GET /v1/payment_methods/:id"> = {
  "POST /v1/payment_methods": {
    simulates: ["alipay", "billing_details", "card", "expand", "metadata", "type", "wechat_pay"],
    run: (call, params) => create(call, params)
  },
  "GET /v1/payment_methods/:id": { simulates: ["expand"], run: (call) => methodOfName(call, call.id, "id") }
}

const create = (call: Call, params: Create): Outcome<Stripe.PaymentMethod> =>
  Result.gen(function* () {
    const metadata = yield* newMetadata(params.metadata)
    const billing = params.billing_details ?? {}
    yield* onlySimulated(billing, ["email", "name"], "billing_details")
    const { email, name } = billing
    const about = { metadata, billing: { email: email || null, ...(name !== undefined && { name }) } }
    if (params.type !== undefined && wallets.includes(params.type)) {
      return makeWallet(call.world, call.book, params.type as Wallet, about)
    }
    if (params.type !== "card") return yield* notSimulated(`payment methods of type ${params.type}`, "type")
    const card: { number?: string; exp_month?: number; exp_year?: number; token?: string } = params.card ?? {}
    if (card.token !== undefined) return yield* notSimulated("tokens", "card[token]")
    const known = cardOfNumber(card.number ?? "")
    if (known === undefined || known.behaviour === "declined:incorrect_number") {
      return yield* refuse("Your card number is incorrect.", {
        code: "incorrect_number",
        param: "card[number]",
        status: 402
      })
    }
    const dates = yield* checkDates(call.world, card.exp_month, card.exp_year)
    return makeCard(call.world, call.book, known, dates, about)
  })

/** A card is good until the end of its month. */
export const checkDates = (world: World, month = 0, year = 0): Outcome<CardDates> => {
  const full = year < 100 ? 2000 + year : year
  if (month < 1 || month > 12) {
    return refuse("Your card's expiration month is invalid.", {
      code: "invalid_expiry_month",
      param: "card[exp_month]",
      status: 402
    })
  }
  if (Date.UTC(full, month) <= world.clock.millis() || full > 2100) {
    return refuse("Your card's expiration year is invalid.", {
      code: "invalid_expiry_year",
      param: "card[exp_year]",
      status: 402
    })
  }
  return Result.succeed({ month, year: full })
}

/** A payment method by its id, or a new one by Stripe's name of a test card, such as `pm_card_visa`. */
export const methodOfName = (call: Call, name: string, param: string): Outcome<Stripe.PaymentMethod> => {
  const known = cardOfName(name)
  if (known === undefined) {
    return call.book.get("payment_method", name) === undefined
      ? noSuch("PaymentMethod", name, param)
      : find(call, "payment_method", name)
  }
  return Result.succeed(makeCard(call.world, call.book, known, aYearAhead(call.world)))
}
