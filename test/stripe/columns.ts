/** The faults at a call to Stripe, and at a webhook: the columns of the table of faults. */
import type { Simulator } from "@coffer/simulator/start"

import { isSoak } from "../kit/run/soak.ts"

type Rule = Parameters<Simulator["control"]["fault"]>[0]

export interface Call {
  /** For instance `POST /v1/refunds`, or `webhook refund.updated`. */
  readonly name: string
  /** The how-manieth of this name, from 1. */
  readonly nth: number
}

export interface Column {
  readonly name: string
  readonly kind: Rule["kind"]
  /** The client retries a cut connection on its own. */
  readonly times: number
  /** Neither side is reached from then on, until the step is over. */
  readonly thenAway?: true
  /** Its end is a day away: Stripe keeps its failure under the key. */
  readonly isLong?: true
}

const ofCalls: ReadonlyArray<Column> = [
  { name: "500", kind: "error_before", times: 1 },
  { name: "done, 500", kind: "error_after", times: 1 },
  { name: "cut", kind: "cut_before", times: 2 },
  { name: "done, cut", kind: "cut_after", times: 2 },
  { name: "time-out", kind: "timeout_before", times: 2 },
  { name: "done, time-out", kind: "timeout_after", times: 2 },
  { name: "429", kind: "rate_limited", times: 1 },
  { name: "away", kind: "cut_before", times: 2, thenAway: true },
  { name: "done, away", kind: "cut_after", times: 1, thenAway: true },
  { name: "500 for the key", kind: "error_kept_before", times: 1, isLong: true },
  { name: "done, 500 for the key", kind: "error_kept_after", times: 1, isLong: true }
]

const ofWebhooks: ReadonlyArray<Column> = [
  { name: "lost", kind: "lose", times: 1 },
  { name: "twice", kind: "twice", times: 1 },
  { name: "late", kind: "late", times: 1 },
  { name: "swapped", kind: "swap", times: 1 },
  { name: "lost with all later ones", kind: "lose", times: 1_000 }
]

export const columns = [...ofCalls, ...ofWebhooks]

/** Only a call that changes something has a key. */
export const columnsOf = ({ name }: Call): ReadonlyArray<Column> =>
  name.startsWith("webhook ")
    ? ofWebhooks
    : ofCalls.filter(({ isLong }) => isLong === undefined || name.startsWith("POST "))

/** The simulator's rules for a cell of the table. */
export const ruleOf = ({ name, nth }: Call, { kind, times }: Column): Rule => ({
  on: name,
  kind,
  skip: nth - 1,
  times,
  seconds: 45
})

/** A call without the numbers of its objects. */
export const nameOf = (call: string) => call.replaceAll(/\/(?:cs|re|du|pi|ch|file|evt)_\w+/g, "/*")

/**
 * Calls that the clock makes again and again: those that come first stand for all, and in `npm test` in one scenario.
 */
const polls: ReadonlySet<string> = new Set(["GET /v1/events", "GET /v1/balance_transactions"])
export const isCovered = ({ name, nth }: Call, isFirst: boolean) =>
  !polls.has(name) || (nth <= 2 && (isSoak || isFirst))

/**
 * The calls of `src/channels/stripe` by the names of the official client, and what they are on the wire. A call that
 * is not here
 * fails the test that reads the sources.
 */
export const callsOfSource: Readonly<Record<string, string>> = {
  "balance.retrieve": "GET /v1/balance",
  "balanceTransactions.list": "GET /v1/balance_transactions",
  "charges.retrieve": "GET /v1/charges/*",
  "checkout.sessions.create": "POST /v1/checkout/sessions",
  "checkout.sessions.expire": "POST /v1/checkout/sessions/*/expire",
  "checkout.sessions.list": "GET /v1/checkout/sessions",
  "checkout.sessions.retrieve": "GET /v1/checkout/sessions/*",
  "disputes.close": "POST /v1/disputes/*/close",
  "disputes.retrieve": "GET /v1/disputes/*",
  "disputes.update": "POST /v1/disputes/*",
  "events.list": "GET /v1/events",
  "events.retrieve": "GET /v1/events/*",
  "files.create": "POST /v1/files",
  "paymentIntents.cancel": "POST /v1/payment_intents/*/cancel",
  "paymentIntents.capture": "POST /v1/payment_intents/*/capture",
  "paymentIntents.retrieve": "GET /v1/payment_intents/*",
  "refunds.create": "POST /v1/refunds",
  "refunds.list": "GET /v1/refunds",
  "refunds.retrieve": "GET /v1/refunds/*"
}
