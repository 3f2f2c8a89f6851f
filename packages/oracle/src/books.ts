/** Wallets, the ledger and the events (spec: Wallet balance; Balance transaction; Events). */
import { disputeView, orderView, refundView } from "./views.ts"
import {
  type Account,
  type Currency,
  type Dispute,
  newNo,
  type Order,
  type Payout,
  type Refund,
  type Wallet
} from "./state.ts"
import { timeOf, type When } from "./values.ts"

export const walletOf = (account: Account, currency: Currency): Wallet => {
  const wallet = account.wallets.get(currency)
  if (wallet !== undefined) return wallet
  const fresh = {
    available: 0,
    frozen: 0,
    revenue: 0,
    fee: 0,
    payout: 0,
    refund: 0,
    updatedAt: timeOf(account.createdAt)
  }
  account.wallets.set(currency, fresh)
  return fresh
}

type Total = Exclude<keyof Wallet, "updatedAt">

/** The factors of a movement for the available and the frozen balance, and the total that counts it. */
const effects: Readonly<Record<string, (amount: number) => Partial<Record<Total, number>>>> = {
  payment_credit: (amount) => ({ available: amount, revenue: amount }),
  fee_debit: (amount) => ({ available: amount, fee: -amount }),
  refund_freeze: (amount) => ({ available: amount, frozen: -amount }),
  refund_debit: (amount) => ({ frozen: amount, refund: -amount }),
  refund_at_once: (amount) => ({ available: amount, refund: -amount }),
  refund_unfreeze: (amount) => ({ available: amount, frozen: -amount }),
  refund_reversed: (amount) => ({ available: amount, refund: -amount }),
  dispute_freeze: (amount) => ({ available: amount, frozen: -amount }),
  dispute_unfreeze: (amount) => ({ available: amount, frozen: -amount }),
  dispute_appealed: (amount) => ({ available: amount }),
  dispute_debit: (amount) => ({ frozen: amount }),
  dispute_fee: (amount) => ({ available: amount, fee: -amount }),
  payout_freeze: (amount) => ({ available: amount, frozen: -amount }),
  payout_unfreeze: (amount) => ({ available: amount, frozen: -amount }),
  payout_success: (amount) => ({ frozen: amount, payout: -amount }),
  payout_fee: (amount) => ({ available: amount, fee: -amount })
}

/** Three movements have no type of their own (silences: R7, R9, D8). */
const typeOf: Readonly<Record<string, string>> = {
  refund_at_once: "refund_debit",
  refund_reversed: "refund_unfreeze",
  dispute_appealed: "dispute_unfreeze"
}

export const post = (
  account: Account,
  when: When,
  of: Order | Refund | Dispute | Payout,
  movements: ReadonlyArray<readonly [effect: string, amount: number]>
) => {
  const at = timeOf(when)
  const order = "taken" in of ? of : "order" in of ? of.order : undefined
  const currency = "currency" in of ? of.currency : of.order.currency
  const wallet = walletOf(account, currency)
  for (const [effect, amount] of movements) {
    const before = wallet.available
    for (const [part, by] of Object.entries(effects[effect]!(amount))) wallet[part as Total] += by
    wallet.updatedAt = at
    const type = typeOf[effect] ?? effect
    account.rows.push({ no: newNo.row(), type, currency, amount, before, after: wallet.available, of, order, at })
  }
}

export const emit = (account: Account, when: When, type: string, of: Order | Refund | Dispute) => {
  const order = "taken" in of ? of : of.order
  const object =
    "taken" in of ? orderView(account, of) : "requested" in of ? refundView(account, of) : disputeView(account, of)
  account.events.push({ no: newNo.event(), type, at: timeOf(when), of, order, object })
}

/** The amount that refunds and payouts may use: the fees of payouts under way are promised (silences: B10). */
export const usable = (account: Account, currency: Currency) =>
  account.payouts
    .filter((payout) => payout.currency === currency && (payout.state === "requested" || payout.state === "approved"))
    .reduce((left, { fee }) => left - fee, walletOf(account, currency).available)
