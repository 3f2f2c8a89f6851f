/** The payments of the sandbox's bank (`sandbox_payments`). */
import { PaymentId, TradeNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Schema } from "effect"
import type { ChannelPayment } from "../../channel/payments.ts"
import { refundableUntil } from "../../channel/refundWindows.ts"
import { type ChangeSet, insert } from "../../platform/commit/Change.ts"
import { table } from "../../platform/commit/Table.ts"
import { instructionKind } from "../../wallets/Instructions.ts"
import { sandboxChannel } from "./name.ts"

const SandboxPayment = Schema.Struct({
  paymentId: PaymentId,
  tradeNo: TradeNo,
  method: PaymentMethod,
  amount: Minor,
  currency: Currency,
  state: Schema.String,
  createdAt: Schema.DateTimeUtc
})
export type SandboxPayment = typeof SandboxPayment.Type

export const sandboxPayments = table("sandbox_payments", {
  place: 130,
  of: SandboxPayment,
  /** When the bank reports a payment that it has not reported yet. */
  extra: { merchantId: Schema.String, reportDueAt: Schema.NullOr(Schema.DateTimeUtc) },
  key: "paymentId"
})

const Booked = Schema.Struct({
  payment: SandboxPayment,
  merchantId: Schema.String,
  reportDueAt: Schema.NullOr(Schema.DateTimeUtc)
})

/** A payment that the bank writes down with the change of its order. */
export const bankPayment = instructionKind("sandbox_payment", Booked)

export const bookedRows = ({ merchantId, payment, reportDueAt }: typeof Booked.Type): ChangeSet => [
  insert(sandboxPayments, payment, { merchantId, reportDueAt })
]

export const paymentOf = ({ amount, createdAt, currency, method, paymentId }: SandboxPayment): ChannelPayment => ({
  channel: sandboxChannel,
  paymentId,
  method,
  amount,
  currency,
  paidAt: createdAt,
  refundableUntil: refundableUntil(method, createdAt)
})
