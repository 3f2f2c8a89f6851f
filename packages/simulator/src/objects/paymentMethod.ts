/** How a buyer pays: a card, or a wallet that the buyer is redirected to. */
import { createHash } from "node:crypto"
import type Stripe from "stripe"
import type { TestCard } from "../cards/cards.ts"

export type Wallet = "alipay" | "wechat_pay"
export const wallets: ReadonlyArray<string> = ["alipay", "wechat_pay"] satisfies ReadonlyArray<Wallet>

interface MethodFacts {
  readonly id: string
  readonly created: number
  readonly livemode: boolean
  readonly billing?: { readonly email?: string | null; readonly name?: string | null }
  readonly metadata?: Stripe.Metadata
}

export interface CardDates {
  readonly month: number
  readonly year: number
}

const common = (facts: MethodFacts) =>
  ({
    id: facts.id,
    object: "payment_method" as const,
    allow_redisplay: "unspecified" as const,
    billing_details: billing(facts.billing),
    created: facts.created,
    customer: null,
    customer_account: null,
    livemode: facts.livemode,
    metadata: facts.metadata ?? {}
  }) satisfies Partial<Stripe.PaymentMethod>

export const newWallet = (facts: MethodFacts, type: Wallet): Stripe.PaymentMethod =>
  type === "alipay" ? { ...common(facts), type, alipay: {} } : { ...common(facts), type, wechat_pay: {} }

export const newCard = (facts: MethodFacts, card: TestCard, dates: CardDates): Stripe.PaymentMethod => ({
  ...common(facts),
  type: "card",
  card: {
    brand: card.brand,
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" },
    country: card.country,
    display_brand: displayBrand(card.brand),
    exp_month: dates.month,
    exp_year: dates.year,
    fingerprint: fingerprintOf(card.number),
    funding: card.funding,
    generated_from: null,
    last4: card.number.slice(-4),
    networks: { available: [card.brand], preferred: null },
    regulated_status: "unregulated",
    three_d_secure_usage: { supported: card.brand !== "amex" },
    wallet: null
  }
})

const displayBrand = (brand: string) => (brand === "amex" ? "american_express" : brand)

/** Equal for the same card, without revealing its number. */
const fingerprintOf = (number: string) => createHash("sha256").update(number).digest("base64url").slice(0, 16)

const billing = (details: MethodFacts["billing"]): Stripe.PaymentMethod.BillingDetails => ({
  address: null,
  email: details?.email ?? null,
  name: details?.name ?? null,
  phone: null,
  tax_id: null
})
