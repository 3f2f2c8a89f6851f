/**
 * The calls of stripe-cli's triggers for payments, refunds and disputes that need no products, as the simulator answers
 * them. A call that it does not simulate is refused by name, and packages/simulator/README.md lists it.
 */
import { start } from "@coffer/simulator/start"
import { apiVersion } from "../../packages/simulator/src/facts/table.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

/** `$x.y` is field `y` of the answer to call `x`. */
interface Call {
  readonly as: string
  readonly post?: string
  readonly get?: string
  readonly with?: Readonly<Record<string, string>>
  readonly error?: string
}

const pay = (amount: number, card: string, more: Readonly<Record<string, string>> = {}, error?: string): Call => ({
  as: "intent",
  post: "/v1/payment_intents",
  with: {
    amount: String(amount),
    currency: "usd",
    confirm: "true",
    payment_method: card,
    "payment_method_types[0]": "card",
    ...more
  },
  ...(error && { error })
})
const refund: Call = { as: "refund", post: "/v1/refunds", with: { payment_intent: "$intent.id" } }
const inquiry = pay(100, "pm_card_createDisputeInquiry")
const disputes: Call = { as: "disputes", get: "/v1/disputes", with: { payment_intent: "$intent.id" } }
const unconfirmed: Call = {
  as: "intent",
  post: "/v1/payment_intents",
  with: { amount: "2000", currency: "usd", description: "of a trigger" }
}

/** The event that each makes, and its calls. */
const triggers: ReadonlyArray<readonly [event: string, ...calls: ReadonlyArray<Call>]> = [
  ["charge.succeeded", pay(100, "pm_card_visa")],
  ["charge.failed", pay(100, "pm_card_visa_chargeDeclined", {}, "card_error")],
  ["charge.refunded", pay(100, "pm_card_visa"), refund],
  [
    "charge.refund.updated",
    pay(100, "pm_card_visa"),
    refund,
    { as: "updated", post: "/v1/refunds/$refund.id", with: { "metadata[order]": "7" } }
  ],
  ["charge.dispute.created", inquiry],
  [
    "charge.dispute.updated",
    inquiry,
    disputes,
    { as: "updated", post: "/v1/disputes/$disputes.data.0.id", with: { "metadata[a]": "b" } }
  ],
  ["charge.dispute.closed", inquiry, disputes, { as: "closed", post: "/v1/disputes/$disputes.data.0.id/close" }],
  ["payment_intent.created", { ...unconfirmed, with: { ...unconfirmed.with, "payment_method_types[0]": "card" } }],
  [
    "payment_intent.canceled",
    unconfirmed,
    {
      as: "canceled",
      post: "/v1/payment_intents/$intent.id/cancel",
      with: { cancellation_reason: "requested_by_customer" }
    }
  ],
  ["payment_intent.payment_failed", pay(2_000, "pm_card_chargeDeclined", {}, "card_error")],
  ["payment_intent.requires_action", pay(2_000, "pm_card_authenticationRequired")],
  [
    "payment_intent.succeeded",
    pay(2_000, "pm_card_visa", { "shipping[name]": "A", "shipping[address][line1]": "1 A St" })
  ],
  [
    "balance.available",
    pay(2_000, "pm_card_bypassPending", { "shipping[name]": "A", "shipping[address][line1]": "1 A St" })
  ],
  [
    "charge.captured",
    pay(2_000, "pm_card_visa", { capture_method: "manual" }),
    { as: "captured", post: "/v1/payment_intents/$intent.id/capture" }
  ],
  [
    "payment_intent.amount_capturable_updated",
    pay(2_000, "pm_card_visa", {
      capture_method: "manual",
      confirmation_method: "manual",
      return_url: "https://shop.example"
    })
  ]
]

// oxlint-disable-next-line no-explicit-any -- what the simulator answers
type Body = any

/**
 * As stripe-cli sends it, which names no version of the API; or with the pinned version and its name of the methods.
 * How it ends: the event is there, or the first refusal that no trigger expects.
 */
const play = Effect.fnUntraced(function* (event: string, calls: ReadonlyArray<Call>, isPinned: boolean) {
  const { all, url } = yield* start({ port: 0, chargeBookedAfter: 0 })
  const seen: Record<string, Body> = {}
  const filled = (text: string) =>
    text.replace(/\$([\w.]+)/g, (_, path: string) =>
      String(path.split(".").reduce((value: Body, step) => value?.[step], seen))
    )
  for (const { as, error, get, post, with: params = {} } of calls) {
    const form = new URLSearchParams(
      Object.entries(params).map(([name, value]): [string, string] => [
        isPinned ? name.replace(/^payment_method_types/, "allowed_payment_method_types") : name,
        filled(value)
      ])
    )
    const path = filled(post ?? get!)
    const answer = yield* Effect.promise(() =>
      fetch(post === undefined ? `${url}${path}?${form}` : `${url}${path}`, {
        headers: { authorization: "Bearer sk_test_triggers", ...(isPinned && { "stripe-version": apiVersion }) },
        ...(post !== undefined && { method: "POST", body: form })
      })
    )
    const body: Body = yield* Effect.promise(() => answer.json())
    if (body.error?.type !== error)
      return `${as}: ${body.error?.code ?? "refused"} ${body.error?.param ?? path.replace(/\w+_\w{20,}/, ":id")}`
    seen[as] = body
  }
  return all("event").some(({ type }) => type === event) ? "event" : "no event"
})

describe("a trigger of stripe-cli", () => {
  for (const [event, ...calls] of triggers) {
    it.live(`${event}, with the pinned version's name of the methods, ends with its event`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* play(event, calls, true), "event")
      })
    )

    it.live(`${event}, as it is, ends with its event`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* play(event, calls, false), "event")
      })
    )
  }

  it.live("whose program names the pinned version is refused the earlier name", () =>
    Effect.gen(function* () {
      const { url } = yield* start({ port: 0 })
      const body = new URLSearchParams({ amount: "100", currency: "usd", "payment_method_types[0]": "card" })
      const headers = { authorization: "Bearer sk_test_triggers", "stripe-version": apiVersion }
      const answer = yield* Effect.promise(() => fetch(`${url}/v1/payment_intents`, { method: "POST", headers, body }))
      const { error } = yield* Effect.promise(() => answer.json() as Promise<Body>)
      assert.deepStrictEqual([error.code, error.param], ["parameter_unknown", "payment_method_types"])
    })
  )
})
