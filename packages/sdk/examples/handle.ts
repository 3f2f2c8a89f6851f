/** A shop's work for an event. An event may come more than once, and events may overtake one another. */
import type { Event } from "@coffer/sdk"

/** Orders to be shipped, by their number. A shop has a database for it. */
export const shipped = new Map<string, number>()

const handled = new Set<string>()

export const handle = async (event: Event): Promise<void> => {
  // In a database: insert the id and what follows from the event in one transaction.
  if (handled.has(event.id)) return
  if (event.type === "payment.succeeded") shipped.set(event.data.object.out_trade_no, event.data.object.amount)
  handled.add(event.id)
}
