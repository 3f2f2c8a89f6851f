/** The movements of an account's balance. */
import type Stripe from "stripe"

/** Days until money that came in may be paid out. */
const daysPending = 2

export interface TransactionFacts {
  readonly id: string
  readonly created: number
  /** Minor units; negative for outgoing money. */
  readonly amount: number
  readonly fee: number
  readonly feeFor?: string
  readonly currency: string
  /** The exchange rate from the source's currency; null if the balance has the same. */
  readonly exchangeRate: number | null
  readonly type: "charge" | "payment" | "refund" | "payment_refund" | "refund_failure" | "adjustment"
  readonly category: string
  readonly source: string
  readonly description: string | null
  /** It may be paid out at once. */
  readonly isAvailable?: boolean
}

export const newTransaction = (facts: TransactionFacts): Stripe.BalanceTransaction => ({
  id: facts.id,
  object: "balance_transaction",
  amount: facts.amount,
  available_on: facts.created + (facts.isAvailable === true ? 0 : daysPending * 86_400),
  balance_type: "payments",
  created: facts.created,
  currency: facts.currency,
  description: facts.description,
  exchange_rate: facts.exchangeRate,
  fee: facts.fee,
  fee_details:
    facts.fee === 0
      ? []
      : [
          {
            amount: facts.fee,
            application: null,
            currency: facts.currency,
            description: facts.feeFor ?? "Stripe processing fees",
            type: "stripe_fee"
          }
        ],
  net: facts.amount - facts.fee,
  reporting_category: facts.category,
  source: facts.source,
  status: "pending",
  type: facts.type
})

/** Money becomes available by itself. */
export const asOf = (transaction: Stripe.BalanceTransaction, now: number): Stripe.BalanceTransaction => ({
  ...transaction,
  status: transaction.available_on <= now ? "available" : "pending"
})

export const newBalance = (
  transactions: Iterable<Stripe.BalanceTransaction>,
  now: number,
  livemode: boolean
): Stripe.Balance => {
  const sums = { available: new Map<string, number>(), pending: new Map<string, number>() }
  for (const { available_on, currency, net } of transactions) {
    const sum = sums[available_on <= now ? "available" : "pending"]
    sum.set(currency, (sum.get(currency) ?? 0) + net)
  }
  const amounts = (sum: Map<string, number>) =>
    Array.from(sum, ([currency, amount]) => ({ amount, currency, source_types: { card: amount } }))
  return {
    object: "balance",
    available: amounts(sums.available),
    connect_reserved: [],
    livemode,
    pending: amounts(sums.pending)
  }
}

export const newAccount = (id: string, currency: string): Stripe.Account => ({
  id,
  object: "account",
  business_type: "company",
  charges_enabled: true,
  country: "US",
  default_currency: currency,
  details_submitted: true,
  email: "account@example.com",
  metadata: {},
  payouts_enabled: true,
  type: "standard"
})
