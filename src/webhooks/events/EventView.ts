/**
 * An event as merchants see it. Its stored JSON is what is signed, delivered and answered, except for the signature of
 * a checkout address, which is not stored. Pure.
 */
import { isoText } from "@coffer/model/isoText"
import type { EventResource } from "@coffer/contract/Events"
import type { EventType } from "@coffer/model/EventType"
import type { Mode } from "@coffer/model/Ids"
import { type DateTime, Predicate } from "effect"

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
  created_at: isoText(at),
  sequence: happening.sequence,
  data: withLegacyFields(happening.object),
  event_id: id,
  event_type: happening.type
})

/**
 * The same event with the signatures of its object. Names keep their places, so the rest of the text is the stored one.
 */
export const shownTo =
  (complete: (object: object) => object) =>
  <Stored>(stored: Stored): Stored =>
    isStored(stored) ? { ...stored, data: { ...stored.data, object: complete(stored.data.object) } } : stored

// By hand, since every delivery asks: a schema takes as long as to parse the text.
const isStored = (stored: unknown): stored is { readonly data: { readonly object: object } } =>
  Predicate.hasProperty(stored, "data") &&
  Predicate.hasProperty(stored.data, "object") &&
  Predicate.isObject(stored.data.object)

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

const withLegacyFields = (object: Readonly<Record<string, unknown>>) => {
  const data: Record<string, unknown> & { readonly object: typeof object } = { object }
  for (const name of legacyNames) if (name in object) data[name] = object[name]
  return data
}
