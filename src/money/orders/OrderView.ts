/** An order as merchants see it, in responses and in events alike: the one encoder (silences: V3). Pure. */
import { isoText } from "@coffer/model/isoText"
import { CreateOrder, OrderResource } from "@coffer/contract/Orders"
import { byKey } from "@coffer/model/Metadata"
import { failureOf } from "@coffer/rules/order/attempts"
import { Order } from "@coffer/rules/order/Order"
import type { OrderUrls } from "../../shared/signedUrls/OrderLinks.ts"

/** The fields that differ from the state. The others are shown as they are stored. */
export const orderView = (order: Order, urls: OrderUrls): OrderResource => {
  const payment = "paymentId" in order ? order : undefined
  return {
    ...keptOf(order),
    object: "order",
    net_amount: payment === undefined ? null : order.amount - payment.fee,
    refunded_amount: payment?.refundedAmount ?? 0,
    payment_method: payment?.method ?? null,
    refundable_until: payment?.refundableUntil ? isoText(payment.refundableUntil) : null,
    checkout_url: urls.checkout(order),
    expires_at: isoText(order.expiresAt),
    metadata: byKey(order.metadata),
    paid_at: payment === undefined ? null : isoText(payment.paidAt),
    created_at: isoText(order.createdAt),
    receipt_url: payment === undefined ? null : urls.receipt(order),
    receipt_number: order.receipt?.number ?? null,
    receipt_sent_at: order.receipt?.sentAt ? isoText(order.receipt.sentAt) : null,
    receipt_failure_reason: order.receipt?.failure ?? null,
    payment_failure_reason: failureOf(order),
    // API logs redact each field called `card`.
    paid_card: payment?.card ?? null
  }
}

// Fields -------------------------------------------------------------------------
// Most fields of an order are the same in its state and on the wire: the contract names them in snake case
// (`CreateOrder`: what may be set; `OrderResource`: what is shown), the schema of the order in camel case.
// `newOrder` and `orderView` write down only the others.

type Snake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Text
type Camel<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

type OfSome<State, Field extends PropertyKey> = State extends Readonly<Record<Field, infer Value>> ? Value : null
type FieldOf<State> = State extends unknown ? keyof State & string : never

/** The fields of the order's state, by the names of the wire; null where a status lacks it. */
type Kept = { readonly [Field in FieldOf<Order> as Snake<Field>]: OfSome<Order, Field> }

type Terms = typeof CreateOrder.Type
/** The fields that a create may set, by the names of the state; null where it was left out. */
type Settable = { readonly [Name in keyof Terms & string as Camel<Name>]-?: Exclude<Terms[Name], undefined> | null }

// Both set fields in a copy of an object that has all of them: to add them one by one takes three times as long.
const nulls = (names: ReadonlyArray<string>): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, null]))

const shown = Object.keys(OrderResource.fields)
const blankView = nulls(shown)
const kept = shown
  .map((name) => [camelCase(name), name] as const)
  .filter(([field]) => Order.members.some(({ fields }) => field in fields))

/** The fields of the resource in its order; null where they are not kept so. */
const keptOf = (order: Order): Pick<Kept, keyof Kept & keyof OrderResource> => {
  const view = { ...blankView }
  for (const [field, name] of kept) {
    const value = order[field as keyof Order]
    if (value !== undefined) view[name] = value
  }
  return view as never
}

const fieldOf = new Map(Object.keys(CreateOrder.from.fields).map((name) => [name, camelCase(name)]))
const blankTerms = nulls([...fieldOf.values()])

export const settableOf = (terms: Terms): Settable => {
  const fields = { ...blankTerms }
  for (const [name, value] of Object.entries(terms)) {
    const field = fieldOf.get(name)
    if (field !== undefined) fields[field] = value
  }
  return fields as never
}
