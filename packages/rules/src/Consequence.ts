/**
 * The consequences of one fact beyond the object itself: what the wallet posts and promises, the command for the order,
 * and the event for merchants. `consequences` of each object derives it from the object before the fact, and the fact.
 */
import type { EventType } from "@coffer/model/EventType"
import type { OrderCommand } from "./order/Order.ts"
import type { Entry } from "./wallet/post.ts"

export interface Consequence extends Entry {
  /** Undefined when the order stays as it is; the consequences of an order's own facts have none. */
  readonly order: OrderCommand | undefined
  /** The type of the event; undefined without an event. */
  readonly announced: EventType | undefined
}

export const nothing: Consequence = { movements: [], reserve: 0, order: undefined, announced: undefined }
