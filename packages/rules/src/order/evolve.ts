/**
 * The order after a fact. Total over what `decide` can record; anything else is a bug in this program, so it throws
 * instead of guessing.
 */
import { ExpiredOrder, FailedOrder, type Order, OrderEvent, PaidOrder, type PendingOrder } from "./Order.ts"

export const evolve = (order: Order, event: OrderEvent): Order =>
  OrderEvent.match(event, {
    PaymentSucceeded: ({ facts }): Order => {
      const { amount: _, currency: __, ...payment } = facts
      return PaidOrder.make({ ...termsOfPending(order, event), ...payment })
    },
    PaymentDeclined: (): Order => ({ ...order, declines: order.declines + 1 }),
    PaymentFailed: (): Order => FailedOrder.make(termsOfPending(order, event)),
    OrderExpired: (): Order => ExpiredOrder.make(termsOfPending(order, event)),
    StrayPaymentFound: ({ stray }): Order => ({ ...order, strayPayments: [...order.strayPayments, stray] }),
    StrayPaymentReturned: ({ paymentId }): Order => ({
      ...order,
      strayPayments: order.strayPayments.map((stray) =>
        stray.paymentId === paymentId ? { ...stray, state: "returned" } : stray
      )
    }),
    OrderAnnotated: ({ metadata, receiptEmail }): Order => ({ ...order, metadata, receiptEmail })
  })

const termsOfPending = (order: Order, event: OrderEvent): Omit<typeof PendingOrder.Type, "status"> => {
  if (order.status !== "pending") {
    throw new TypeError(`${event._tag} cannot follow ${order.status} (${order.tradeNo})`)
  }
  const { status: _, ...terms } = order
  return terms
}
