/**
 * Random programs. A step has a kind and its own seed; the call is derived from these and the state at its turn, so
 * that a program with steps removed is still valid.
 */
import { isKept } from "../disputes.ts"
import type { Call, Oracle } from "../Oracle.ts"
import type { Account } from "../state.ts"
import { days, hours, minutes, seconds } from "../values.ts"
import { channel, hasErasedTerms, type Made, makers } from "./makers.ts"
import { type Draw, drawFrom } from "./random.ts"
import { focusOn, groups } from "./together.ts"

export interface Step {
  readonly does: string
  readonly merchant: number
  readonly seed: number
}

export interface Meeting {
  readonly calls: ReadonlyArray<Call>
  /** Calls that show the order of concurrent calls. */
  readonly reads: ReadonlyArray<Call>
}

export type Act = { readonly call: Call } | { readonly together: Meeting }

/** The weight of each. */
const weights: Readonly<Record<string, number>> = {
  create: 13,
  createAgain: 4,
  pay: 18,
  authorize: 5,
  capture: 8,
  captureAtBank: 2,
  expire: 5,
  readOrder: 3,
  updateOrder: 5,
  sendReceipt: 4,
  refund: 16,
  readRefund: 2,
  updateRefund: 2,
  settle: 6,
  dispute: 5,
  readDispute: 2,
  evidence: 6,
  readEvidence: 2,
  accept: 3,
  resolve: 5,
  createLink: 3,
  readLink: 1,
  updateLink: 3,
  createEndpoint: 2,
  readEndpoint: 1,
  updateEndpoint: 2,
  deleteEndpoint: 1,
  rotate: 1,
  payout: 4,
  readPayout: 1,
  review: 5,
  readEvent: 2,
  list: 8,
  balance: 3,
  channel: 2,
  badCall: 2,
  upload: 2,
  signing: 2,
  report: 2,
  listOfOperator: 3,
  visit: 4,
  timeline: 1,
  timelineByKey: 2,
  dryErase: 1,
  readErasure: 1,
  archive: 1,
  merchantArchive: 1,
  settings: 3,
  stand: 2,
  createKey: 3,
  actOnKey: 2,
  keyByPerson: 3,
  actByPerson: 2,
  again: 8,
  together: 8
}
const drawn = Object.entries(weights).flatMap(([does, weight]) => Array.from({ length: weight }, () => does))

/** Programs that are played abreast: their seeds begin at a multiple of it, and time passes in all of them alike. */
export const abreast = 32
/** Steps from one pass of time to the next; the one before it may be an erasure, which needs some minutes. */
export const stepsOfTime = 14

export const programOf = (seed: number, length: number, merchants: number): ReadonlyArray<Step> => {
  const draw = drawFrom(seed)
  const time = drawFrom(Math.floor(seed / abreast) + 1_000_003)
  return Array.from({ length }, (_, index): Step => {
    const place = index % stepsOfTime
    if (place === stepsOfTime - 1) return { does: "pass", merchant: 0, seed: time.int(2 ** 31) }
    const does = draw.of(drawn)
    return {
      does: place === stepsOfTime - 2 && draw.once(5) ? "erase" : does,
      // Mostly one merchant, so that objects interact; the others check isolation.
      merchant: draw.once(8) ? draw.int(merchants) : 0,
      seed: draw.int(2 ** 31)
    }
  })
}

/** The call of a step. `earlier`: earlier calls with a key. */
export const actOf = (step: Step, oracle: Oracle, earlier: ReadonlyArray<Call>): Act => {
  const draw = drawFrom(step.seed)
  const known = step.does === "again" ? earlier.slice(-12).filter((call) => areFilesKnown(call, oracle)) : []
  if (known.length > 0) return { call: repeated(draw.of(known), draw) }
  const account = oracle.accounts[step.merchant]!
  // What a person may still do for a merchant that was suspended or closed.
  if ((account.suspended || account.closedAt !== undefined) && draw.once(3)) {
    const made = makers[account.keys.length === 0 ? "keyByPerson" : draw.of(["keyByPerson", "actByPerson"])]!
    return { call: { merchant: step.merchant, ...made(account, draw, oracle), key: "owner" } as Call }
  }
  const back = draw.once(3) ? backToWork(account) : undefined
  if (back !== undefined) return { call: { merchant: step.merchant, key: "operator", ...back } }
  if (step.does === "together") return { together: meeting(account, step.merchant, draw, oracle) }
  const [needed, maker] = needs[step.does] ?? []
  const isBare = needed !== undefined && account[needed].length === 0 && !draw.once(10)
  const isRepeated = step.does === "create" && draw.once(3) && account.orders.some(hasErasedTerms)
  const does = isRepeated ? "createAgain" : isBare && maker !== undefined ? maker : step.does
  const made = (makers[account.orders.length === 0 && makesOfOrders.has(does) ? "create" : does] ?? makers["create"]!)(
    account,
    draw,
    oracle
  )
  // Stored answers are gone after an erasure.
  const idempotencyKey =
    draw.once(4) && made.method !== "GET" && made.key === undefined
      ? `key-${account.erasures.length}-${draw.int(6)}`
      : undefined
  const ofSandbox = account.keys.flatMap(({ mode }, index) => (mode === "sandbox" ? [index] : []))
  const key = ofSandbox.length > 0 && draw.once(6) ? draw.of(ofSandbox) : "sandbox"
  const path = draw.once(150) ? spelledOtherwise(made.path) : made.path
  return { call: { merchant: step.merchant, key, idempotencyKey, ...made, path } as Call }
}

/** An escape that routers undo. */
const spelledOtherwise = (path: string) =>
  path.replace(/\/v1\/(\w)/, (_, letter: string) => `/v1/%${letter.charCodeAt(0).toString(16)}`)

/** Calls on the same object; sometimes one call twice, with one key. */
const meeting = (account: Account, merchant: number, draw: Draw, oracle: Oracle): Meeting => {
  const group = draw.of(groups)
  const focused = focusOn(account, (things) => (things.length === 0 ? [] : [draw.of(things.slice(-6))]))
  const calls = group.map((does): Call => {
    const made = makers[does]!(focused, draw, oracle)
    return { merchant, key: "sandbox", ...made } as Call
  })
  const isDoubled = draw.once(4) && calls[0]!.key === "sandbox"
  const idempotencyKey = `key-${account.erasures.length}-${draw.int(6)}`
  const kinds = { orders: "orders", refunds: "refunds", disputes: "disputes", links: "payment_links" } as const
  const reads = Object.entries(kinds).flatMap(([name, path]) =>
    focused[name as keyof typeof kinds].map(({ no }): Call => ({
      merchant,
      key: "sandbox",
      method: "GET",
      path: `/v1/${path}/${no.value}`
    }))
  )
  return { calls: isDoubled ? [1, 2, 3].map(() => ({ ...calls[0]!, idempotencyKey })) : calls.map(asUnseen), reads }
}

/** Nothing shows which of two unreported payments was first, until it is reported: so both are by one method. */
const asUnseen = (call: Call): Call => {
  const { outcome } = (call.body ?? {}) as { readonly outcome?: string }
  return outcome === "succeed_unreported" ? { ...call, body: { outcome, payment_method: "alipay" } } : call
}

/** Acts that make a merchant's key work again. */
const backToWork = (account: Account): Made | undefined => {
  const path = `/operator/v1/merchants/${account.merchantId}`
  if (account.suspended) return { method: "POST", path: `${path}/resume` }
  return account.allowlist === "" ? undefined : { method: "POST", path, body: { sandbox: { ip_allowlist: "" } } }
}

const makesOfOrders: ReadonlySet<string> = new Set([
  "createAgain",
  "pay",
  "authorize",
  "capture",
  "captureAtBank",
  "refund",
  "dispute",
  "expire",
  "updateOrder",
  "sendReceipt"
])

/** The object that a step needs, and the step that creates one if there is none. */
const needs: Readonly<
  Record<string, readonly ["refunds" | "disputes" | "links" | "endpoints" | "payouts" | "keys" | "erasures", string]>
> = {
  readRefund: ["refunds", "refund"],
  updateRefund: ["refunds", "refund"],
  settle: ["refunds", "refund"],
  readDispute: ["disputes", "dispute"],
  evidence: ["disputes", "dispute"],
  readEvidence: ["disputes", "dispute"],
  accept: ["disputes", "dispute"],
  resolve: ["disputes", "dispute"],
  readLink: ["links", "createLink"],
  updateLink: ["links", "createLink"],
  readEndpoint: ["endpoints", "createEndpoint"],
  updateEndpoint: ["endpoints", "createEndpoint"],
  rotate: ["endpoints", "createEndpoint"],
  readPayout: ["payouts", "payout"],
  review: ["payouts", "payout"],
  visit: ["links", "createLink"],
  actOnKey: ["keys", "createKey"],
  actByPerson: ["keys", "keyByPerson"],
  readErasure: ["erasures", "dryErase"]
}

/** The next call that brings back a bank, or the merchant that has to call; undefined: all answer. */
export const backOf = (oracle: Oracle, calls: number | undefined): Call | undefined => {
  const away = oracle.accounts.findIndex(
    (account, index) => !account.reachable || (index === calls && backToWork(account) !== undefined)
  )
  if (away === -1) return undefined
  const back = backToWork(oracle.accounts[away]!)
  if (back !== undefined) return { merchant: away, key: "operator", ...back }
  return { merchant: away, key: "sandbox", method: "POST", path: channel, body: { reachable: true } }
}

/** How much time passes. */
export const spanOf = ({ seed }: Step): number => {
  const draw = drawFrom(seed)
  // Long ones are rare: the service works at each hour of them.
  if (draw.once(400)) return 91 * days
  if (draw.once(12)) return 8 * days
  return draw.of([1 * seconds, 5 * seconds, 1 * minutes, 11 * minutes, 31 * minutes, 1 * hours, 1 * hours, 1 * days])
}

/** Whether it is known which of its files the service still has. */
const areFilesKnown = ({ body, merchant }: Call, { accounts, now }: Oracle) => {
  const account = accounts[merchant]!
  const { files } = (body ?? {}) as { readonly files?: ReadonlyArray<{ readonly url: string }> | null }
  const isKnown = ({ url }: { readonly url: string }) =>
    account.files.every((file) => file.no.value !== url || isKept(account, now, file) !== undefined)
  return files?.every(isKnown) ?? true
}

const repeated = (call: Call, draw: Draw): Call => {
  if (!draw.once(4)) return call
  return { ...call, body: { ...(call.body as object), amount: 1 + draw.int(900) } }
}
