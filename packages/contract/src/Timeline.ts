/** An order's timeline on the wire (docs/architecture.md, section 7; silences: O35). */
import { Mode } from "@coffer/model/Ids"
import type { Scope } from "@coffer/model/Scopes"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, MerchantKey, OperatorToken, Quotas } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { InvalidRequest, MerchantNotFound, OrderNotFound } from "./Errors.ts"
import { instant, int, kind, mode, ofMerchant, text, withExample } from "./fields.ts"
import { sampleIds } from "./sampleIds.ts"

/**
 * The maximum of each kind except payment attempts, of which an order keeps fewer: requests, refunds, disputes, ledger
 * rows, events, deliveries, attempts and mails.
 */
export const timelineRowsMax = 1_000

/** In this order if several have the same time. */
export const entryKinds = [
  "request",
  "order",
  "payment_attempt",
  "unapplied_payment",
  "refund",
  "dispute",
  "ledger",
  "event",
  "delivery",
  "attempt",
  "receipt"
] as const

export type EntryKind = (typeof entryKinds)[number]

/** Reading an entry needs the scope for its kind of object, in addition to the timeline's. */
export const entryScopes: Readonly<Record<EntryKind, Scope>> = {
  request: "logs:read",
  order: "orders:read",
  payment_attempt: "orders:read",
  unapplied_payment: "orders:read",
  refund: "refunds:read",
  dispute: "disputes:read",
  ledger: "balance:read",
  event: "events:read",
  delivery: "webhooks:read",
  attempt: "webhooks:read",
  receipt: "orders:read"
}

const Entry = Schema.Struct({
  at: instant("When it happened."),
  after_ms: int("Time since the previous entry, in milliseconds; 0 for the first."),
  kind: Schema.Literals(entryKinds).annotate({ description: "The kind of object that it belongs to." }),
  id: text("Number of the object: the request, the ledger row, the event and so on."),
  text: text("The step, for people to read; do not parse it."),
  details: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Null])).annotate({
    description:
      "The fields of the object, named as elsewhere in this API: `ip` and `idempotency_key` of a request, the " +
      "balances of a ledger row, `status_code` of an attempt. More may be added."
  })
}).annotate({ identifier: "TimelineEntry", description: "One thing that happened." })
export type TimelineEntry = typeof Entry.Encoded

export const TimelineResource = withExample(
  Schema.Struct({
    object: kind("timeline"),
    trade_no: text("The order's number."),
    mode,
    duration_ms: int("From the first entry to the last, in milliseconds."),
    truncated: Schema.Boolean.annotate({
      description:
        `Whether there are more than ${timelineRowsMax} entries of a kind, in which case the newest of them are ` +
        "left out."
    }),
    omitted_kinds: Schema.Array(Schema.Literals(entryKinds)).annotate({
      description:
        "Kinds of entries that are left out because the key does not have their scopes: `logs:read` for requests, " +
        "`balance:read` for the ledger, `webhooks:read` for deliveries and attempts, and so on."
    }),
    entries: Schema.Array(Entry).annotate({ description: "Oldest first." })
  }).annotate({ identifier: "Timeline", description: "One order's whole story." }),
  {
    object: "timeline",
    trade_no: sampleIds.order,
    mode: "sandbox",
    duration_ms: 0,
    truncated: false,
    omitted_kinds: [],
    entries: [
      {
        at: "2026-11-21T09:31:12.502Z",
        after_ms: 0,
        kind: "ledger",
        id: sampleIds.ledger,
        text: "payment_credit of 1999",
        details: { type: "payment_credit", amount: 1999, balance_before: 0, balance_after: 1999, frozen_after: 0 }
      }
    ]
  }
)
export type TimelineResource = typeof TimelineResource.Encoded

const TimelineReply = enveloped(TimelineResource)
const ref = text("The order's `trade_no`, or your own `out_trade_no`.")

export class TimelineGroup extends HttpApiGroup.make("timelines")
  .add(
    HttpApiEndpoint.get("get", "/v1/orders/:ref/timeline", {
      params: { ref },
      success: TimelineReply,
      error: OrderNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read an order's complete timeline",
        description:
          "Your requests, changes of the order, failed payment attempts (the newest 50), unmatched payments, its " +
          "refunds and disputes, each ledger row with its balances, each event, each delivery with every attempt, " +
          "and receipts. It is compiled from the stored objects, so it agrees with them. Requests are included " +
          "for as long as logs are kept. A key with scopes gets the kinds that its scopes let it read."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "The timeline of an order, from the request to the webhook.") {}

/** The same for the operator, of any merchant. */
export class OperatorTimelineGroup extends HttpApiGroup.make("timelines")
  .add(
    HttpApiEndpoint.get("get", "/operator/v1/merchants/:merchant_id/orders/:ref/timeline", {
      params: { ...ofMerchant, ref },
      query: { mode: Mode.annotate({ description: "Which environment." }) },
      success: TimelineReply,
      error: [InvalidRequest, MerchantNotFound, OrderNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the complete timeline of a merchant's order",
        description: "As the merchant sees it, plus the channel's fees."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "An order's whole story.") {}
