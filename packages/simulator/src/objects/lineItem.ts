/** A line item of a session, with its inline price. */
import type Stripe from "stripe"

export interface LineFacts {
  readonly id: string
  readonly priceId: string
  readonly productId: string
  readonly created: number
  readonly livemode: boolean
  readonly currency: string
  readonly name: string
  readonly unitAmount: number
  readonly quantity: number
}

export const newLineItem = (facts: LineFacts): Stripe.LineItem => ({
  id: facts.id,
  object: "item",
  adjustable_quantity: null,
  amount_discount: 0,
  amount_subtotal: facts.unitAmount * facts.quantity,
  amount_tax: 0,
  amount_total: facts.unitAmount * facts.quantity,
  currency: facts.currency,
  description: facts.name,
  metadata: {},
  price: newPrice(facts),
  quantity: facts.quantity
})

/** Stripe's client parses this text as a decimal number. */
const newPrice = (facts: LineFacts): Stripe.Price => ({
  id: facts.priceId,
  object: "price",
  active: false,
  billing_scheme: "per_unit",
  created: facts.created,
  currency: facts.currency,
  custom_unit_amount: null,
  livemode: facts.livemode,
  lookup_key: null,
  metadata: {},
  nickname: null,
  product: facts.productId,
  recurring: null,
  tax_behavior: "unspecified",
  tiers_mode: null,
  transform_quantity: null,
  type: "one_time",
  unit_amount: facts.unitAmount,
  unit_amount_decimal: String(facts.unitAmount) as unknown as Stripe.Price["unit_amount_decimal"]
})
