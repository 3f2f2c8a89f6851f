/**
 * The steps of `coffer stripe rehearse` at Stripe and at the simulator. A step is data: a call made from earlier
 * answers, and the part of its answer to compare.
 */
import type { Ask, Body } from "./stripeWorld.ts"

export interface Run {
  /** In lower case, as in Stripe's API. */
  readonly currency: string
  /** A person pays on the page of each session. Otherwise these are expired. */
  readonly byHand: boolean
  /** The account may appeal disputes that it has lost. */
  readonly appeals: boolean
  /** In the metadata of every created object. */
  readonly tag: string
  /** Seconds of Unix time. */
  readonly began: number
}

/** An action by a person at Stripe, repeated at the simulator: pay in a session, or wait for an appeal. */
export interface Hand {
  readonly says: string
  readonly does: "pay" | "appeal"
  readonly about: Body
}

/** The compared answer of an earlier step; undefined if it was not reached. */
export type AnswerOf = (step: string) => Body

export interface Step {
  readonly name: string
  /** Undefined if a required step failed. */
  readonly ask: (answerOf: AnswerOf, run: Run) => Ask | undefined
  /** The part to compare. The call is polled until there is one: at most a minute. */
  readonly pick?: (body: Body, answerOf: AnswerOf) => Body
  /** Fields whose value is not determined yet. */
  readonly loose?: ReadonlyArray<string>
  /** An act that has to be done at Stripe before it is asked. Undefined if a required step failed. */
  readonly hand?: (answerOf: AnswerOf) => Hand | undefined
}

const amount = 2_000
const shop = "https://example.com/coffer-rehearsal"
/** The methods that the service offers. */
export const methods = ["card", "alipay", "wechat_pay"] as const
export type Method = (typeof methods)[number]
const asBrowser = (method: Method) =>
  method === "wechat_pay" ? { payment_method_options: { wechat_pay: { client: "web" } } } : {}

const get = (path: string, params?: object): Ask => ({ method: "GET", path, ...(params && { params }) })
const post = (path: string, params: object = {}): Ask => ({ method: "POST", path, params })
/** Undefined without the id, since the object was not made. */
const at = (id: unknown, ask: (id: string) => Ask) => (typeof id === "string" ? ask(id) : undefined)

/** A day after the start of the run, within the maximum lifetime of a session. */
const openFor = 86_000

const sessionWith = (run: Run, more: object): Ask =>
  post("/v1/checkout/sessions", {
    mode: "payment",
    line_items: [
      { quantity: 1, price_data: { currency: run.currency, unit_amount: amount, product_data: { name: "Rehearsal" } } }
    ],
    ...more,
    metadata: { coffer_rehearsal: run.tag },
    payment_intent_data: { metadata: { coffer_rehearsal: run.tag } },
    expires_at: run.began + openFor,
    success_url: shop,
    cancel_url: shop
  })

export const everyMethod = "session for every method of the account"

/** These steps find the account's methods. */
export const firstSteps: ReadonlyArray<Step> = [
  { name: "balance", ask: () => get("/v1/balance") },
  {
    name: everyMethod,
    ask: (_, run) => sessionWith(run, {}),
    loose: ["payment_method_types", "payment_method_options"]
  }
]

/** The calls that the service makes for a buyer who has chosen a method. */
const session = (method: Method, byHand: boolean): ReadonlyArray<Step> => [
  {
    name: `session for ${method}`,
    ask: (_, run) => sessionWith(run, { allowed_payment_method_types: [method], ...asBrowser(method) })
  },
  {
    name: `session for ${method}, read`,
    ask: (answerOf) => at(answerOf(`session for ${method}`)?.id, (id) => get(`/v1/checkout/sessions/${id}`))
  },
  byHand
    ? {
        name: `session for ${method}, paid`,
        ask: (answerOf) => at(answerOf(`session for ${method}`)?.id, (id) => get(`/v1/checkout/sessions/${id}`)),
        pick: (body) => (body.status === "complete" ? body : undefined),
        hand: (answerOf) => {
          const about = answerOf(`session for ${method}`)
          return about && { says: `open this page and pay: ${about.url}`, does: "pay", about }
        },
        // Entered by the buyer.
        loose: ["customer_details", "collected_information"]
      }
    : {
        name: `session for ${method}, expired`,
        ask: (answerOf) => at(answerOf(`session for ${method}`)?.id, (id) => post(`/v1/checkout/sessions/${id}/expire`))
      }
]

const pay = (name: string, card: string, more: object = {}): Step => ({
  name,
  ask: (_, { currency, tag }) =>
    post("/v1/payment_intents", {
      amount,
      currency,
      confirm: true,
      payment_method: card,
      allowed_payment_method_types: ["card"],
      metadata: { coffer_rehearsal: tag },
      ...more
    })
})

const chargeOf = (name: string, payment: string): Step => ({
  name,
  ask: (answerOf) =>
    at(answerOf(payment)?.latest_charge, (id) => get(`/v1/charges/${id}`, { expand: ["balance_transaction"] })),
  pick: (body) => (body.balance_transaction == null ? undefined : body)
})

/** One amount on hold is captured in part, and one is released. */
const heldOnce: ReadonlyArray<Step> = [
  pay("card payment on hold", "pm_card_visa", { capture_method: "manual" }),
  {
    name: "card payment on hold, captured in part",
    ask: (answerOf) =>
      at(answerOf("card payment on hold")?.id, (id) =>
        post(`/v1/payment_intents/${id}/capture`, { amount_to_capture: 1_500 })
      )
  },
  chargeOf("charge of a capture in part, with its fee", "card payment on hold"),
  pay("card payment on hold that is given up", "pm_card_visa", { capture_method: "manual" }),
  {
    name: "card payment on hold, canceled",
    ask: (answerOf) =>
      at(answerOf("card payment on hold that is given up")?.id, (id) => post(`/v1/payment_intents/${id}/cancel`))
  }
]

const disputeOf = (name: string, payment: string): Step => ({
  name,
  ask: (answerOf) => at(answerOf(payment)?.id, (id) => get("/v1/disputes", { payment_intent: id })),
  pick: (body) => body.data?.[0]
})

const evidence = (name: string, dispute: string, fields: object, submit: boolean): Step => ({
  name,
  ask: (answerOf) => at(answerOf(dispute)?.id, (id) => post(`/v1/disputes/${id}`, { evidence: fields, submit })),
  // Stripe may decide at once or a moment later.
  loose: submit ? ["status", "balance_transactions", "is_charge_refundable", "due_by", "has_evidence"] : []
})

/** An image of one pixel. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64"
)

const fileOfEvidence: ReadonlyArray<Step> = [
  {
    name: "file of evidence",
    ask: () => ({
      ...post("/v1/files", { purpose: "dispute_evidence" }),
      file: new File([picture], "receipt.png", { type: "image/png" })
    })
  },
  {
    name: "evidence with a file, kept",
    ask: (answerOf) => {
      const receipt = answerOf("file of evidence")?.id
      if (receipt === undefined) return undefined
      return at(answerOf("dispute")?.id, (id) => post(`/v1/disputes/${id}`, { evidence: { receipt }, submit: false }))
    }
  }
]

const disputeUntil = (name: string, dispute: string, status: string): Step => ({
  name,
  ask: (answerOf) => at(answerOf(dispute)?.id, (id) => get(`/v1/disputes/${id}`)),
  pick: (body) => (body.status === status ? body : undefined)
})

const event = (type: string, about: string, field = "id"): Step => ({
  name: `event ${type} of ${about}`,
  ask: (answerOf, { began }) =>
    at(answerOf(about)?.[field], () => get("/v1/events", { type, limit: 100, created: { gte: began - 60 } })),
  pick: (body, answerOf) => body.data?.find((each: Body) => each.data?.object?.id === answerOf(about)?.[field])
})

/** A wallet's buyer would confirm on its own page, so these payments are canceled. */
const wallet = (method: Method): ReadonlyArray<Step> => [
  { name: `${method} of a buyer`, ask: () => post("/v1/payment_methods", { type: method }) },
  {
    name: `${method} payment`,
    ask: (answerOf, { currency, tag }) =>
      at(answerOf(`${method} of a buyer`)?.id, (id) =>
        post("/v1/payment_intents", {
          amount,
          currency,
          confirm: true,
          payment_method: id,
          allowed_payment_method_types: [method],
          ...asBrowser(method),
          return_url: shop,
          metadata: { coffer_rehearsal: tag }
        })
      )
  },
  {
    name: `${method} payment, canceled`,
    ask: (answerOf) => at(answerOf(`${method} payment`)?.id, (id) => post(`/v1/payment_intents/${id}/cancel`))
  }
]

/** The address takes no webhooks, so each of them is lost. */
const lostEndpoint: Step = {
  name: "endpoint at which webhooks are lost",
  ask: () => post("/v1/webhook_endpoints", { url: `${shop}/nobody`, enabled_events: ["charge.succeeded"] })
}
/** Its event waits to be sent again, and is in the list: there the service finds it. */
const lostWebhook: ReadonlyArray<Step> = [
  {
    name: "lost webhook, in the list of events",
    ask: (answerOf, { began }) =>
      at(answerOf(lostEndpoint.name)?.id, () =>
        get("/v1/events", { type: "charge.succeeded", limit: 100, created: { gte: began - 60 } })
      ),
    pick: (body, answerOf) =>
      body.data?.find(
        ({ data, pending_webhooks: pending }: Body) =>
          data?.object?.id === answerOf("card payment")?.latest_charge && pending > 0
      )
  },
  {
    name: "endpoint at which webhooks are lost, deleted",
    ask: (answerOf) =>
      at(answerOf(lostEndpoint.name)?.id, (id) => ({ method: "DELETE", path: `/v1/webhook_endpoints/${id}` }))
  }
]

const lost: ReadonlyArray<Step> = [
  pay("payment that is disputed and lost", "pm_card_createDispute"),
  disputeOf("second dispute", "payment that is disputed and lost"),
  evidence("bad evidence, submitted", "second dispute", { uncategorized_text: "losing_evidence" }, true),
  disputeUntil("dispute, lost", "second dispute", "lost")
]

/** With appeals switched on in the settings of the account, a loss may wait for one. */
const appeal: ReadonlyArray<Step> = [
  pay("payment whose loss is appealed", "pm_card_createDispute"),
  disputeOf("third dispute", "payment whose loss is appealed"),
  evidence("third evidence, submitted", "third dispute", { uncategorized_text: "losing_evidence" }, true),
  {
    ...disputeUntil("appeal, offered", "third dispute", "appeal_needs_response"),
    // Whether Stripe reports the loss first varies.
    loose: ["balance_transactions", "is_charge_refundable"],
    hand: (answerOf) => {
      const about = answerOf("third dispute")
      return about && { says: `wait until Stripe offers to appeal ${about.id}`, does: "appeal", about }
    }
  },
  {
    name: "appeal, filed",
    ask: (answerOf) => {
      const file = answerOf("file of evidence")?.id
      if (file === undefined) return undefined
      const card = { reason_for_filing: "Rehearsal", supporting_files: [file] }
      return at(answerOf("appeal, offered")?.id, (id) => post(`/v1/disputes/${id}`, { evidence: { appeal: { card } } }))
    },
    loose: ["balance_transactions", "is_charge_refundable"]
  }
]

/** After the first ones, for an account that has these methods. */
export const stepsOf = ({ appeals, byHand }: Run, found: ReadonlyArray<Method>): ReadonlyArray<Step> => [
  ...found.flatMap((method) => session(method, byHand)),
  lostEndpoint,
  pay("card payment", "pm_card_visa"),
  chargeOf("charge with its fee", "card payment"),
  pay("declined card", "pm_card_visa_chargeDeclined"),
  ...heldOnce,
  {
    name: "partial refund",
    ask: (answerOf, { tag }) =>
      at(answerOf("card payment")?.id, (id) =>
        post("/v1/refunds", { payment_intent: id, amount: 500, metadata: { coffer_rehearsal: tag } })
      )
  },
  {
    name: "partial refund, read",
    ask: (answerOf) => at(answerOf("partial refund")?.id, (id) => get(`/v1/refunds/${id}`))
  },
  {
    name: "refund of too much",
    ask: (answerOf) => at(answerOf("card payment")?.id, (id) => post("/v1/refunds", { payment_intent: id, amount }))
  },
  {
    name: "refund of the rest",
    ask: (answerOf) => at(answerOf("card payment")?.id, (id) => post("/v1/refunds", { payment_intent: id }))
  },
  pay("disputed payment", "pm_card_createDispute"),
  disputeOf("dispute", "disputed payment"),
  evidence("evidence, kept", "dispute", { product_description: "Rehearsal" }, false),
  ...fileOfEvidence,
  evidence("evidence, submitted", "dispute", { uncategorized_text: "winning_evidence" }, true),
  disputeUntil("dispute, won", "dispute", "won"),
  ...(appeals ? appeal : lost),
  pay("payment with an inquiry", "pm_card_createDisputeInquiry"),
  disputeOf("inquiry", "payment with an inquiry"),
  evidence("inquiry, escalated", "inquiry", { uncategorized_text: "escalate_inquiry_evidence" }, true),
  disputeUntil("inquiry, a chargeback", "inquiry", "needs_response"),
  {
    name: "chargeback, accepted",
    ask: (answerOf) => at(answerOf("inquiry, a chargeback")?.id, (id) => post(`/v1/disputes/${id}/close`))
  },
  ...found.filter((method) => method !== "card").flatMap(wallet),
  ...lostWebhook,
  event("payment_intent.succeeded", "card payment"),
  event("charge.refunded", "card payment", "latest_charge"),
  event("charge.captured", "card payment on hold", "latest_charge"),
  event("payment_intent.amount_capturable_updated", "card payment on hold"),
  event("payment_intent.canceled", "card payment on hold that is given up"),
  event("refund.created", "partial refund"),
  event("charge.dispute.created", "dispute"),
  event("charge.dispute.closed", "dispute"),
  event(byHand ? "checkout.session.completed" : "checkout.session.expired", `session for ${found[0] ?? "card"}`)
]

/** Actions that no program can do, whatever its key. */
export const byHandNotes = [
  "Pay on Stripe's own pages, which can't be automated: run with --by-hand, and pay on each page it prints.",
  "Appeal a lost dispute, if the account's dispute settings allow it: run with --appeals.",
  "Check the webhooks: coffer_stripe_webhooks_total counts them, coffer_stripe_events_found_total the lost ones."
] as const
