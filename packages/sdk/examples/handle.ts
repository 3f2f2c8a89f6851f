/** A shop's handling of an event. An event may be delivered more than once, and out of order. */
import type { Event } from "@coffer/sdk"

/** Orders to ship, by number. A real shop uses a database. */
export const shipped = new Map<string, number>()

const handled = new Set<string>()

export const handle = async (event: Event): Promise<void> => {
  // With a database: insert the id and apply the event in one transaction.
  if (handled.has(event.id)) return
  if (event.type === "payment.succeeded") shipped.set(event.data.object.out_trade_no, event.data.object.amount)
  handled.add(event.id)
}
