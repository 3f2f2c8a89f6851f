/** The order that a create describes, as it begins. Pure. */
import { titleOf } from "@coffer/model/Text"
import type { CreateOrder } from "@coffer/contract/Orders"
import { createdAtOf, OutTradeNo, TradeNo } from "@coffer/model/Ids"
import { checkoutValidity } from "@coffer/model/Limits"
import { merge } from "@coffer/model/Metadata"
import type { Account } from "@coffer/model/Account"
import type { Order } from "@coffer/rules/order/Order"
import { DateTime } from "effect"
import { settableOf } from "./orderFields.ts"

/** Here are the fields that are not taken as the create sets them. */
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
