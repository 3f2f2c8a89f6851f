/**
 * Links the steps of a timeline: a request with what it created, a fact with its ledger rows and events, an event with
 * its deliveries, a delivery with its attempts. Links go both ways. Pure.
 */
import type { TimelineEntry } from "@coffer/contract/Timeline"
import { decoded } from "../parts/address.ts"

export interface Step {
  /** Identifies the step in the timeline and in the address: `ledger-LED_...`. */
  readonly key: string
  readonly entry: TimelineEntry
  /** The keys of related steps, in the order of the timeline. */
  readonly neighbours: ReadonlyArray<string>
}

/** The key of the first step about an object, for links from its page. */
export const stepKey = (kind: TimelineEntry["kind"], id: string): string => `${kind}-${id}`

const text = (entry: TimelineEntry, name: string): string => String(entry.details[name] ?? "")

/** An attempt has the number of its delivery; the end of an object has the number of its beginning. */
const keyed = (entries: ReadonlyArray<TimelineEntry>): ReadonlyArray<readonly [string, TimelineEntry]> => {
  const met = new Map<string, number>()
  return entries.map((entry) => {
    if (entry.kind === "attempt") return [`attempt-${entry.id}-${text(entry, "attempt")}`, entry]
    const key = stepKey(entry.kind, entry.id)
    const count = (met.get(key) ?? 0) + 1
    met.set(key, count)
    return [count === 1 ? key : `${key}-${count}`, entry]
  })
}

/** Movements and events of an object's beginning; all others are of its end. */
const ofBeginning = new Set(["refund_freeze", "dispute_freeze", "dispute.created", "dispute.updated"])

export const stepsOf = (entries: ReadonlyArray<TimelineEntry>): ReadonlyArray<Step> => {
  const steps = keyed(entries)
  const place = new Map(steps.map(([key], index) => [key, index]))
  const pairs = new Map<string, Set<string>>(steps.map(([key]) => [key, new Set()]))
  const join = (one: string | undefined, other: string | undefined) => {
    if (one === undefined || other === undefined || one === other) return
    pairs.get(one)?.add(other)
    pairs.get(other)?.add(one)
  }
  const keysOf = (kind: TimelineEntry["kind"]) => steps.filter(([, entry]) => entry.kind === kind)
  const [order, paid] = keysOf("order").map(([key]) => key)
  const orderId = keysOf("order")[0]?.[1].id

  /** Both steps of an order, a refund or a dispute: beginning and end. */
  const facts = new Map<string, ReadonlyArray<string>>()
  for (const kind of ["order", "refund", "dispute"] as const) {
    for (const [key, { id }] of keysOf(kind)) facts.set(id, [...(facts.get(id) ?? []), key])
  }
  const factOf = (id: string, type: string) => facts.get(id)?.at(ofBeginning.has(type) ? 0 : -1)

  for (const [id, [first, second]] of facts) {
    join(first, second)
    if (id !== orderId) join(first, paid ?? order)
  }
  for (const [key] of [...keysOf("unapplied_payment"), ...keysOf("payment_attempt")]) join(key, order)
  for (const [key] of keysOf("receipt")) join(key, paid ?? order)

  const movements = new Map<string, ReadonlyArray<string>>()
  for (const [key, entry] of keysOf("ledger")) {
    const fact = factOf(text(entry, "reference_id"), text(entry, "type"))
    join(key, fact)
    if (fact !== undefined) movements.set(fact, [...(movements.get(fact) ?? []), key])
  }
  for (const [key, entry] of keysOf("event")) {
    const type = text(entry, "type")
    const fact = factOf(text(entry, "object_id"), type)
    if (type === "payment.duplicate_refunded") for (const [payment] of keysOf("unapplied_payment")) join(key, payment)
    else join(key, fact)
    // An update moves no money, and money that went back was never booked.
    const hasMoved = type !== "dispute.updated" && type !== "payment.duplicate_refunded"
    if (hasMoved && fact !== undefined) for (const movement of movements.get(fact) ?? []) join(key, movement)
  }
  for (const [key, entry] of keysOf("delivery")) {
    join(key, stepKey("event", text(entry, "event_id")))
    join(key, stepKey("delivery", text(entry, "resend_of")))
  }
  for (const [key, entry] of keysOf("attempt")) join(key, stepKey("delivery", entry.id))
  for (const [key, entry] of keysOf("request")) for (const made of madeBy(entry, steps, facts)) join(key, made)

  return steps.map(([key, entry]) => ({
    key,
    entry,
    neighbours: Array.from(pairs.get(key)!)
      .filter((each) => place.has(each))
      .toSorted((a, b) => place.get(a)! - place.get(b)!)
  }))
}

const numberNames = ["out_trade_no", "out_refund_no", "processor_dispute_id"]

/** The steps that a call caused: by the number in its path, or by time if it created an object. */
const madeBy = (
  call: TimelineEntry,
  steps: ReadonlyArray<readonly [string, TimelineEntry]>,
  facts: ReadonlyMap<string, ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const begun = Date.parse(call.at)
  const ended = begun + Number(call.details["duration_ms"] ?? 0) + 1
  const within = (kind: TimelineEntry["kind"]) =>
    steps
      .filter(([, { at, kind: each }]) => each === kind && Date.parse(at) >= begun && Date.parse(at) <= ended)
      .map(([key]) => key)
  const orders = steps.filter(([, { kind }]) => kind === "order").map(([key]) => key)
  const path = text(call, "path")
  if (path === "/v1/orders") return orders.slice(0, 1)
  if (path === "/v1/refunds") return within("refund")
  const [, folder, encoded, step] =
    /^\/v1\/(?:test_helpers\/)?(orders|refunds|disputes)\/([^/]+)(?:\/([a-z_]+))?$/.exec(path) ?? []
  if (folder === undefined) return []
  const number = decoded(encoded!)
  const id = steps.find(
    ([, entry]) => entry.id === number || numberNames.some((name) => entry.details[name] === number)
  )?.[1].id
  const [first, last] = [facts.get(id ?? "")?.[0], facts.get(id ?? "")?.at(-1)]
  const made =
    step === "send_receipt"
      ? within("receipt")
      : step === "dispute"
        ? within("dispute")
        : step === "pay"
          ? [...within("order"), ...within("unapplied_payment")]
          : step === undefined || step === "evidence"
            ? [first]
            : [last]
  const found = made.filter((key) => key !== undefined)
  // A refused call has created nothing: it is linked to the object in its path.
  return found.length > 0 ? found : last === undefined ? [] : [last]
}

/** By the event that tells of it. */
const statusAfter: ReadonlyMap<string, string> = new Map([
  ["payment.failed", "failed"],
  ["payment.expired", "expired"],
  ["payment.authorized", "authorized"],
  ["payment.canceled", "canceled"],
  ["payment.authorization_expired", "expired"]
])

/** The order's status when this call was answered, by the steps of the story up to then. */
export const statusAt = (entries: ReadonlyArray<TimelineEntry>, call: TimelineEntry): string => {
  const until = Date.parse(call.at) + Number(call.details["duration_ms"] ?? 0)
  const refunds = new Map<string, number>()
  let status = "pending"
  let left = 0
  for (const { at, details, id, kind } of entries) {
    if (Date.parse(at) > until) break
    if (kind === "event") status = statusAfter.get(String(details["type"])) ?? status
    if (kind === "order" && details["payment_id"] !== undefined) {
      status = "paid"
      left = Number(details["amount"])
    }
    if (kind === "refund" && details["amount"] !== undefined && !refunds.has(id)) {
      refunds.set(id, Number(details["amount"]))
    }
    if (kind === "refund" && details["status"] === "succeeded") {
      left -= refunds.get(id) ?? 0
      status = left > 0 ? "partially_refunded" : "refunded"
    }
  }
  return status
}
