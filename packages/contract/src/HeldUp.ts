/**
 * Objects that need attention: they wait for a person or a program (docs/architecture.md, section 7). For operators,
 * not for merchants.
 */
import { Mode } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, StraySessionNotFound } from "./Errors.ts"
import { closingNote, instant, int, kind, merchantId, minorOrNull, orNull, text, withExample } from "./fields.ts"
import { ListQuery } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

export const heldKinds = [
  "refund",
  "dispute",
  "payout",
  "delivery",
  "hold",
  "unapplied_payment",
  "stray_session",
  "mail",
  "report"
] as const
export type HeldKind = (typeof heldKinds)[number]

/** Counts stop here. */
export const heldCountMax = 10_000

const HeldKind = Schema.Literals(heldKinds)

export const HeldUpResource = withExample(
  Schema.Struct({
    object: kind("held_up"),
    kind: HeldKind.annotate({ description: "The kind of object." }),
    id: text("Its number; for an unmatched payment and a hold, the `trade_no` of its order."),
    merchant_id: merchantId,
    mode: Mode.annotate({ description: "The environment." }),
    trade_no: orNull(Schema.String, "The order that it belongs to; null for payouts, deliveries and reports."),
    amount: minorOrNull("The amount that is on hold", "of deliveries and mails, and of payments in several currencies"),
    currency: orNull(Currency, "The currency of `amount`; null where that is."),
    due_by: orNull(Schema.String, "Deadline for action, such as a dispute's. Null if there is none."),
    status: text(
      "The status of the object itself; for an unmatched payment, `due` or `parked`; for a hold, `capturing`, " +
        "`releasing` or `refused`."
    ),
    waits_for: Schema.Literals(["channel", "bank", "merchant", "operator", "receiver", "mail_server"]).annotate({
      description: "The party whose turn it is. Merchant and operator are people."
    }),
    text: text("The next step, for people to read; do not parse it."),
    since: instant("Since when it waits."),
    attempts: orNull(Schema.Int, "Number of attempts or polls; null if not applicable."),
    last_error: orNull(Schema.String, "Why the last attempt failed; null if it did not fail or there was none."),
    next_attempt_at: orNull(Schema.String, "When the service retries or polls next; null if it waits for a person.")
  }).annotate({ identifier: "HeldUp", description: "An object that needs attention." }),
  {
    object: "held_up",
    kind: "dispute",
    id: sampleIds.dispute,
    merchant_id: sampleIds.merchant,
    mode: "live",
    trade_no: sampleIds.order,
    amount: 1999,
    currency: "USD",
    due_by: "2026-11-29T23:59:59.000Z",
    status: "needs_response",
    waits_for: "merchant",
    text: "the merchant has to respond to the bank until 2026-11-29T23:59:59.000Z",
    since: "2026-11-22T09:00:00.000Z",
    attempts: 0,
    last_error: null,
    next_attempt_at: null
  }
)
export type HeldUpResource = typeof HeldUpResource.Encoded

const counted = (kind: HeldKind) =>
  int(`Those of the kind \`${kind}\`.`).annotate({ examples: [kind === "dispute" ? 1 : 0] })

export const HeldCounts = Schema.Struct(
  Object.fromEntries(heldKinds.map((kind) => [kind, counted(kind)])) as Record<HeldKind, Schema.Int>
).annotate({
  description:
    "How many there are of each kind for the merchant and environment in the query, regardless of its other filters. " +
    `${heldCountMax} means that many or more.`
})

export const HeldUpQuery = Schema.Struct({
  ...ListQuery,
  kind: Schema.optionalKey(HeldKind.annotate({ description: "Only of this kind." })),
  merchant_id: Schema.optionalKey(text("Only of this merchant.")),
  mode: Schema.optionalKey(Mode.annotate({ description: "Only in this environment." }))
})
export type HeldUpQuery = typeof HeldUpQuery.Type

export class HeldUpGroup extends HttpApiGroup.make("held_up")
  .add(
    HttpApiEndpoint.get("list", "/operator/v1/held_up", {
      query: HeldUpQuery,
      success: listed(HeldUpResource, { counts: HeldCounts }),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Objects that wait for a person or a program, newest first",
        description:
          "Refunds that the channel has not settled, undecided disputes, payouts in progress, unmatched payments, " +
          "holds that the channel has refused to capture or owes an answer about, sessions at a channel that name an " +
          "order but are missing here (after a restore), deliveries and mails that are being retried, and reports of " +
          "which a step fails. A delivery or mail without further attempts is not listed: deliveries of which all " +
          "attempts failed are listed by `webhook_deliveries?status=failed`."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Objects that wait for a person or a program.") {}

const ClosedSession = withExample(
  Schema.Struct({
    object: kind("stray_session"),
    id: text("Its number here."),
    channel: text("The name of its channel."),
    merchant_id: merchantId,
    mode: Mode.annotate({ description: "The environment." }),
    trade_no: text("The order that it names."),
    session_id: text("The channel's number of the session."),
    payment_id: orNull(Schema.String, "The channel's number of its payment; null if there was none."),
    amount: minorOrNull("The amount to be paid there", "if the channel's currency is not supported here"),
    currency: orNull(Currency, "The currency of `amount`; null where that is."),
    status: Schema.Literal("closed").annotate({ description: "No decision is needed any more." }),
    note: text("The note on what was done about it. The first note is kept."),
    closed_at: instant("When it was closed.")
  }).annotate({
    identifier: "StraySession",
    description: "A session at a channel that names an order but is not recorded here."
  }),
  {
    object: "stray_session",
    id: sampleIds.straySession,
    channel: "acme",
    merchant_id: sampleIds.merchant,
    mode: "live",
    trade_no: sampleIds.order,
    session_id: "cs_live_a1B2c3D4",
    payment_id: "pi_3QxYz1",
    amount: 1999,
    currency: "USD",
    status: "closed",
    note: "Settled with the merchant by hand.",
    closed_at: "2026-11-22T10:00:00.000Z"
  }
)
export type ClosedSession = typeof ClosedSession.Encoded

export class StraySessionsGroup extends HttpApiGroup.make("stray_sessions")
  .add(
    HttpApiEndpoint.post("close", "/operator/v1/stray_sessions/:id/close", {
      params: { id: text("Its number, as `held_up` has it.") },
      payload: Schema.Struct({ note: closingNote }).annotate({
        examples: [{ note: "Settled with the merchant by hand." }]
      }),
      success: enveloped(ClosedSession),
      error: [InvalidRequest, StraySessionNotFound, Conflict]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Close a session at a channel that has been dealt with",
        description:
          "The note says how. No money moves. Repeating the request changes nothing. 409: it has ended without an " +
          "operator. A session that was closed while a buyer could still pay in it is listed again if one does."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Sessions at a channel that name an order but are not recorded here.") {}
