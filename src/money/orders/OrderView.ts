/** An order as merchants see it, in responses and in events alike: the one encoder (silences: V3). Pure. */
import { isoText } from "@coffer/model/isoText"
import { CreateOrder, type OrderResource } from "@coffer/contract/Orders"
import { camelCase } from "@coffer/resources/listed"
import { orders } from "@coffer/resources/orders"
import type { Camel } from "@coffer/resources/types"
import { makeView } from "@coffer/resources/view"
import { failureOf } from "@coffer/rules/order/attempts"
import { amountPaid, statusOf } from "@coffer/rules/order/Hold"
import { disputeStatusOf, type Order } from "@coffer/rules/order/Order"
import type { OrderUrls } from "../../shared/signedUrls/OrderLinks.ts"

/** The fields that differ from the stored state. All others are shown as they are stored. */
export const orderView: (order: Order, urls: OrderUrls) => OrderResource = makeView<Order, [urls: OrderUrls]>()(
  orders,
  {
    status: statusOf,
    net_amount: (order) => ("paymentId" in order ? amountPaid(order) - order.fee : null),
    refunded_amount: (order) => ("paymentId" in order ? order.refundedAmount : 0),
    payment_method: (order) => ("paymentId" in order ? order.method : null),
    checkout_url: (order, urls) => urls.checkout(order),
    receipt_url: (order, urls) => ("paymentId" in order ? urls.receipt(order) : null),
    receipt_number: ({ receipt }) => receipt?.number ?? null,
    receipt_sent_at: ({ receipt }) => (receipt?.sentAt ? isoText(receipt.sentAt) : null),
    receipt_failure_reason: ({ receipt }) => receipt?.failure ?? null,
    payment_failure_reason: failureOf,
    // API logs redact whatever is called `card`.
    paid_card: (order) => ("paymentId" in order ? order.card : null),
    dispute_status: disputeStatusOf,
    capture: () => "manual" as const,
    capture_by: ({ hold }) => (hold?.payment === undefined ? null : isoText(hold.payment.captureBy)),
    captured_amount: ({ hold }) => hold?.captured ?? null,
    capturing_amount: ({ hold }) => hold?.request?.capture ?? null
  }
)

// What a create sets -------------------------------------------------------------
// A field has the same name in the body of a create, in snake case, and in the state, in camel case. `newOrder` writes
// down only those that are set otherwise.

type Terms = Omit<typeof CreateOrder.Type, "capture">
/** The fields that a create may set, by the names of the state; null where it was left out. */
type Settable = { readonly [Name in keyof Terms & string as Camel<Name>]-?: Exclude<Terms[Name], undefined> | null }

// `capture` is no field of the state: it decides whether the order has a hold.
const settableNames = Object.keys(CreateOrder.from.fields).filter((name) => name !== "capture")
const fieldOf = new Map(settableNames.map((name) => [name, camelCase(name)]))
// Fields are set in a copy of an object that has all of them: to add them one by one takes three times as long.
const blankTerms: Readonly<Record<string, unknown>> = Object.fromEntries(
  Array.from(fieldOf.values(), (field) => [field, null])
)

export const settableOf = (terms: Terms): Settable => {
  const fields = { ...blankTerms }
  for (const [name, value] of Object.entries(terms)) {
    const field = fieldOf.get(name)
    if (field !== undefined) fields[field] = value
  }
  return fields as never
}
