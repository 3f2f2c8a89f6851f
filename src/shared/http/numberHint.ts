/**
 * What a number that was not found looks like: one of another kind of object, of the other environment, or a
 * placeholder that was not filled in. Only its beginning tells, so it says nothing about objects that exist. Pure.
 */
import { isNumbered, prefixes } from "@coffer/model/Ids"

/** Kinds of objects, by the beginning of their numbers, and where they are read. */
const kinds = [
  [prefixes.tradeNo.sandbox, "an order", "/v1/orders"],
  [prefixes.tradeNo.live, "an order", "/v1/orders"],
  [prefixes.refund, "a refund", "/v1/refunds"],
  [prefixes.dispute, "a dispute", "/v1/disputes"],
  [prefixes.link, "a payment link", "/v1/payment_links"],
  [prefixes.event, "an event", "/v1/events"],
  [prefixes.endpoint, "a webhook endpoint", "/v1/webhook_endpoints"],
  [prefixes.delivery, "a delivery", "/v1/webhook_deliveries"],
  [prefixes.payout, "a payout", "/v1/payouts"],
  [prefixes.merchant, "a merchant", undefined],
  [prefixes.payment, "a payment", undefined],
  [prefixes.request, "a request", "/v1/logs"],
  [prefixes.ledger, "a line of the ledger", "/v1/balance_transactions"]
] as const

const kindAt = (text: string) => kinds.find(([prefix]) => isNumbered(prefix, text))

/** `a refund`; undefined for a text that is no number of ours. */
export const kindOfNumber = (text: string): string | undefined => kindAt(text)?.[1]

/** `No order {ref}.`, and what to do. `list`: where these objects are listed. */
export const notFoundMessage = (kind: string, ref: string, list: string): string => {
  const [, what] = /^(?:an?) (.*)$/.exec(kind) ?? []
  return `No ${what ?? kind} ${ref}. ${hintOf(kind, ref, list)}`
}

const hintOf = (kind: string, ref: string, list: string): string => {
  if (/^(?:undefined|null|None|nil|NaN|\[object Object\]|[{:<$].*)$/.test(ref.slice(0, 100)))
    return "A variable of the path was not filled in."
  const found = kindAt(ref)
  if (found !== undefined && found[1] !== kind)
    return `This is the number of ${found[1]}${found[2] === undefined ? "." : `: read it at ${found[2]}/${ref}.`}`
  if (found?.[0] === prefixes.tradeNo.sandbox)
    return `Orders of the sandbox are read with a key svc_test_…; list them: GET ${list}.`
  if (found?.[0] === prefixes.tradeNo.live) return `Live orders are read with a key svc_live_…; list them: GET ${list}.`
  return `Check the number and the key's environment; list what there is: GET ${list}.`
}
