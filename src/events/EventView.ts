/** An event as merchants see it; its JSON is stored, signed, delivered and answered as it is. Pure. */
import type { EventResource, EventType } from "@coffer/contract/Events"
import type { Mode } from "@coffer/model/Ids"
import { DateTime } from "effect"

export interface Happening {
  readonly type: EventType
  readonly mode: Mode
  /** The object after the change, as its query endpoint would answer it (spec: Event). */
  readonly object: Readonly<Record<string, unknown>>
  readonly sequence: number
}

export const eventView = (id: string, at: DateTime.Utc, happening: Happening): EventResource => ({
  object: "event",
  id,
  type: happening.type,
  mode: happening.mode,
  created_at: DateTime.formatIso(at),
  sequence: happening.sequence,
  data: { object: happening.object, ...legacyFields(happening.object) },
  event_id: id,
  event_type: happening.type
})

/** Flat copies beside `data.object`, of those fields that the object has (silences: E2). */
const legacyNames = [
  "trade_no",
  "out_trade_no",
  "refund_no",
  "out_refund_no",
  "dispute_no",
  "amount",
  "currency",
  "status"
]

const legacyFields = (object: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(legacyNames.filter((name) => name in object).map((name) => [name, object[name]]))
