/**
 * A new order (spec: Orders, rules 3 to 5). An order that does not exist has no state to guard: the unique index on the
 * merchant's number is the guard, not an owner.
 */
import type { CreateOrder } from "@coffer/contract/Orders"
import { createdAtOf, OutTradeNo, prefixes, TradeNo } from "@coffer/model/Ids"
import { checkoutValidity } from "@coffer/model/Limits"
import { merge } from "@coffer/model/Metadata"
import { titleOf } from "@coffer/model/Text"
import { nothing } from "@coffer/rules/Consequence"
import { takes } from "@coffer/rules/delivery/route"
import type { Order } from "@coffer/rules/order/Order"
import { formProblem, termsProblem } from "@coffer/rules/order/termsProblem"
import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { answering } from "../idempotency/Answering.ts"
import type { Merchant } from "../merchants/Merchants.ts"
import type { Account } from "@coffer/model/Account"
import { numbering } from "../platform/commit/Change.ts"
import { span } from "../platform/runtime/span.ts"
import { settableOf } from "./orderFields.ts"
import type { OrderServices } from "./OrderServices.ts"

/** The same out_trade_no was used for an order with other terms (spec: Orders, rule 3). */
export class OrderNumberTaken extends Schema.TaggedError<OrderNumberTaken>()("OrderNumberTaken", {
  outTradeNo: Schema.String,
  differs: Schema.String
}) {}

export const createOrder = (services: OrderServices) => {
  const { commands, ids, merchantOf } = services
  return span("Orders.create")(function* (account: Account, terms: CreateOrder) {
    const merchant = yield* merchantOf(account)
    const order = newOrder(account, terms, yield* ids.next(prefixes.tradeNo[account.mode]))
    const withMetadata = { ...order, metadata: terms.metadata ?? {} }
    const problem = termsProblem(withMetadata, allowanceOf(services, merchant, account))
    if (problem !== undefined) {
      // Settings may have changed since the first request with this number. The form has not, and refuses as before.
      if (formProblem(withMetadata, account) !== undefined) return yield* problem
      return yield* repeated(services, account, order, Effect.fail(problem))
    }
    const lane = `${account.merchantId}/${order.outTradeNo}`
    return yield* answering((answer) => commands.create(order, nothing, { answer, lane })).pipe(
      Effect.as({ order, created: true }),
      Effect.catchTags({
        AlreadyExists: (taken) => repeated(services, account, order, Effect.die(taken)),
        InsufficientBalance: Effect.die
      })
    )
  }, numbering)
}

/** The order that a create asks for, as it begins. Pure. */
export const newOrder = (account: Account, terms: CreateOrder, number: string): Order => ({
  ...settableOf(terms),
  status: "pending",
  tradeNo: TradeNo.make(number),
  // Generated means: the platform's own number (silences: O5).
  outTradeNo: terms.out_trade_no ?? OutTradeNo.make(number),
  merchantId: account.merchantId,
  mode: account.mode,
  amount: terms.amount,
  currency: terms.currency ?? "USD",
  subject: titleOf(terms.subject),
  metadata: merge({}, terms.metadata ?? {}),
  receipt: null,
  createdAt: createdAtOf(number),
  expiresAt: DateTime.addDuration(createdAtOf(number), checkoutValidity),
  declines: 0,
  unappliedPayments: []
})

const allowanceOf = ({ channel, privateAllowed }: OrderServices, merchant: Merchant, { mode }: Account) => ({
  mode,
  privateAllowed,
  liveCurrencies: merchant.live_currencies,
  amountBounds: channel.boundsOf(merchant.modes[mode].channel_accounts),
  otherTarget: "enabled endpoint for payment.succeeded and no default address",
  hasOtherTarget: hasTarget(merchant.modes[mode])
})

/** Whether anyone would hear that an order was paid (spec: General rules, 1). */
const hasTarget = ({ default_notify_url, webhooks }: Merchant["modes"]["live"]) =>
  default_notify_url !== null || webhooks.endpoints.some((endpoint) => takes(endpoint, "payment.succeeded"))

/** The order that has this number already, which must be the one that is wanted. */
const repeated = Effect.fnUntraced(function* <E>(
  { store }: OrderServices,
  account: Account,
  wanted: Order,
  none: Effect.Effect<never, E>
) {
  const stored = yield* store.byOutTradeNo(account, wanted.outTradeNo)
  if (Option.isNone(stored)) return yield* none
  const { order } = stored.value
  const differs = Struct.keys(comparedTerms).find((term) => order[term] !== wanted[term])
  if (differs === undefined) return { order, created: false }
  return yield* new OrderNumberTaken({ outTradeNo: wanted.outTradeNo, differs: comparedTerms[differs] })
})

/** A repeated out_trade_no must agree in these four and in nothing else (silences: O1). */
const comparedTerms = { amount: "amount", currency: "currency", subject: "subject", notifyUrl: "notify_url" } as const
