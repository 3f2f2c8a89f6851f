/**
 * Concurrent callers. Their answers, and the objects and books afterwards, must match some order of the calls: each
 * order is tried on a copy of the oracle's state, and the first match is taken.
 */
import type { Call, Oracle } from "../Oracle.ts"
import type { Account, Happening } from "../state.ts"
import type { Answer } from "../values.ts"
import { orderView } from "../views.ts"
import type { Difference } from "./compare.ts"

/** Calls of one account that may use the same objects: names of makers (`programs.ts`). */
export const groups: ReadonlyArray<ReadonlyArray<string>> = [
  ["create", "create", "create"],
  ["pay", "pay"],
  ["pay", "expire"],
  ["capture", "expire"],
  ["capture", "capture"],
  ["expire", "updateOrder", "expire"],
  ["updateOrder", "updateOrder", "updateOrder"],
  ["refund", "refund", "refund"],
  ["refund", "dispute"],
  ["refund", "dispute", "updateOrder"],
  ["dispute", "dispute"],
  ["settle", "settle", "refund"],
  ["evidence", "accept", "resolve"],
  ["resolve", "resolve"],
  ["visit", "visit", "visit"],
  ["visit", "updateLink", "visit"],
  ["payout", "payout", "refund"],
  ["review", "review", "review"],
  ["sendReceipt", "sendReceipt"],
  ["updateEndpoint", "deleteEndpoint"]
]

/** The account reduced to one object of each kind, so that calls conflict. The account itself must not be changed. */
export const focusOn = (account: Account, which: <T>(things: ReadonlyArray<T>) => ReadonlyArray<T>): Account => {
  const orders = which(account.orders)
  const of = <T extends { readonly order: Account["orders"][number] }>(things: ReadonlyArray<T>) =>
    which(things.filter(({ order }) => orders.length === 0 || order === orders[0]))
  return Object.assign(Object.create(Object.getPrototypeOf(account)) as Account, account, {
    orders,
    refunds: of(account.refunds),
    disputes: of(account.disputes),
    links: which(account.links),
    endpoints: which(account.endpoints),
    payouts: which(account.payouts)
  })
}

/** A refusal that only reports a concurrent call, and has changed nothing. */
const stoodBack = ({ reply }: Answered) =>
  (reply.body.error === "idempotency_in_progress" && reply.status === 409) ||
  reply.headers.get("coffer-reason") === "remaining_changed" ||
  reply.headers.get("coffer-reason") === "too_many_keys"

/** What asks the bank: a refund, a decision about a dispute, and one about a hold. */
const asking = [
  /^\/v1\/refunds$/,
  /^\/v1\/disputes\/[^/]+\/(?:accept|evidence)$/,
  /^\/v1\/orders\/[^/]+\/(?:capture|expire)$/
]

/** Refused since another one of its kind was at the bank, whatever became of that. */
const isOvertaken = (calls: ReadonlyArray<Answered>, { call, reply }: Answered) => {
  const isRefused = reply.body.error === "conflict" || reply.body.error === "invalid_request"
  const kind = asking.find((path) => call.method === "POST" && path.test(call.path))
  const isAsked = (other: Answered) =>
    kind?.test(other.call.path) && (other.reply.status < 300 || other.reply.status === 502)
  return isRefused && calls.some((other) => other.call.method === "POST" && isAsked(other))
}

/** A payment goes back to the buyer after the answer, and its event shows the order as it is by then. */
export const isReturning = ({ no, type }: Happening) => no.value === undefined && type === "payment.duplicate_refunded"

export interface Answered {
  readonly call: Call
  readonly reply: {
    readonly status: number
    readonly headers: { readonly get: (name: string) => string | null }
    readonly body: { readonly error?: string }
  }
}

/** Why no order of the calls explains the answers; undefined: one does, and the oracle has adopted it. */
export const noOrderExplains = async <T extends Answered>(
  oracle: Oracle,
  calls: ReadonlyArray<T>,
  reads: ReadonlyArray<T>,
  compare: (expected: Answer, answered: T) => Difference | undefined,
  booksDiffer: () => Promise<Difference | undefined>
): Promise<Difference | undefined> => {
  const before = oracle.accounts
  const tried: Array<Difference> = []
  // At least two ran, or none was refused for concurrency.
  const effective = calls.filter((answered) => !stoodBack(answered))
  const waited = effective.filter((answered) => !isOvertaken(calls, answered))
  const orders = [...ordersOf(effective), ...(waited.length < effective.length ? ordersOf(waited) : [])]
  for (const order of orders) {
    oracle.accounts = copyOf(before)
    const difference = firstOf([...order, ...reads], (answered) => {
      const expected = oracle.answer(answered.call)
      noteLater(oracle)
      return compare(expected, answered)
    })
    const found = difference ?? (await booksDiffer())
    if (found === undefined) return undefined
    tried.push({
      ...found,
      at: `${order.map(({ call }) => `${call.method} ${call.path}`).join(", then ")}: ${found.at}`
    })
  }
  oracle.accounts = before
  const { actual, at } = tried.at(-1) ?? { at: "answers", actual: "all stood back" }
  return { at, actual, expected: { "no order of the calls explains the answers": tried } }
}

const noteLater = ({ accounts }: Oracle) => {
  for (const account of accounts) {
    for (const event of account.events.filter(isReturning)) {
      event.later = [...event.later, orderView(account, event.order)]
    }
  }
}

const firstOf = <T, D>(things: ReadonlyArray<T>, find: (thing: T) => D | undefined): D | undefined => {
  for (const thing of things) {
    const found = find(thing)
    if (found !== undefined) return found
  }
  return undefined
}

const ordersOf = <T>(things: ReadonlyArray<T>): ReadonlyArray<ReadonlyArray<T>> =>
  things.length < 2
    ? [things]
    : things.flatMap((thing, index) =>
        ordersOf([...things.slice(0, index), ...things.slice(index + 1)]).map((rest) => [thing, ...rest])
      )

/** A deep copy that keeps shared and circular references. Functions have no mutable state. */
const copyOf = <T>(value: T, copies = new Map<unknown, unknown>()): T => {
  if (typeof value !== "object" || value === null || value instanceof RegExp) return value
  const known = copies.get(value)
  if (known !== undefined) return known as T
  if (value instanceof Map) {
    const map = new Map<unknown, unknown>()
    copies.set(value, map)
    for (const [key, each] of value) map.set(key, copyOf(each, copies))
    return map as T
  }
  if (value instanceof Set) return new Set(value) as T
  const copy = (Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value))) as Record<string, unknown>
  copies.set(value, copy)
  for (const [name, each] of Object.entries(value)) copy[name] = copyOf(each, copies)
  return copy as T
}
