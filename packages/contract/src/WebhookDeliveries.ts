/** Deliveries of events with their attempts, and resends (silences: W5, W11, W15). */
import { filterFields, wireFields } from "@coffer/resources/listed"
import { deliveries } from "@coffer/resources/webhooks"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, OperatorToken, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, DeliveryNotFound, InvalidRequest, MerchantNotFound, RateLimited, Unavailable } from "./Errors.ts"
import { instant, int, mode, ofMerchant, orNull, text, withExample } from "./fields.ts"
import { ListQuery, waitParameter } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

const Attempt = Schema.Struct({
  attempt: int("Its number, from 1."),
  kind: Schema.Literals(["automatic", "manual"]).annotate({ description: "`manual`: sent again on request." }),
  at: instant("When it was made."),
  duration_ms: int("Duration in milliseconds."),
  status_code: orNull(Schema.Int, "HTTP status of the receiver's answer; null if there was none."),
  failure: orNull(Schema.String, "Why there was no answer; null if there was one."),
  response_excerpt: orNull(
    Schema.String,
    "The first kilobyte of the receiver's answer. Null if there was none, and in a sandbox after 600 in a minute."
  )
}).annotate({ identifier: "WebhookAttempt", description: "An attempt." })

const sample = {
  object: "webhook_delivery",
  id: sampleIds.delivery,
  mode: "sandbox",
  event_id: sampleIds.event,
  event_type: "payment.succeeded",
  endpoint_id: sampleIds.endpoint,
  url: "https://shop.example/hooks",
  status: "pending",
  next_attempt_at: "2026-11-21T09:31:43.011Z",
  resend_of: null,
  attempts: [
    {
      attempt: 1,
      kind: "automatic",
      at: "2026-11-21T09:31:12.911Z",
      duration_ms: 100,
      status_code: 500,
      failure: null,
      response_excerpt: "database is away"
    }
  ],
  created_at: "2026-11-21T09:31:12.502Z"
} as const

const { created_at, ...head } = wireFields(deliveries, {
  next_attempt_at: orNull(Schema.String, deliveries.fields.next_attempt_at.says)
})

export const DeliveryResource = withExample(
  Schema.Struct({
    ...head,
    attempts: Schema.Array(Attempt).annotate({ description: "The attempts, in order." }),
    created_at
  }).annotate({ identifier: "WebhookDelivery", description: "The delivery." }),
  sample
)
export type DeliveryResource = typeof DeliveryResource.Encoded

const filtered = { ...ListQuery, ...filterFields(deliveries) }
export const DeliveryQuery = Schema.Struct({ ...filtered, ...waitParameter })
export type DeliveryQuery = typeof DeliveryQuery.Type

const collection = "/v1/webhook_deliveries"
const params = { delivery_id: text("The delivery's `id`.") }

export class WebhookDeliveriesGroup extends HttpApiGroup.make("webhook_deliveries")
  .add(
    HttpApiEndpoint.post("resend", `${collection}/:delivery_id/resend`, {
      params,
      success: enveloped(DeliveryResource).pipe(HttpApiSchema.status(202)),
      error: [DeliveryNotFound, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Send a delivery again",
        description:
          "Creates a new delivery of the same event: one immediate attempt with the same event id, also while " +
          "automatic attempts go on. It is marked `manual` and not retried automatically. 409: its endpoint is " +
          "disabled or deleted, or an attempt is under way at this moment."
      })
    )
  )
  // The middleware added first is innermost: the key is claimed before the body is decoded (silences: G10).
  .middleware(Decoding)
  .middleware(Idempotency)
  .add(
    HttpApiEndpoint.get("list", collection, {
      query: DeliveryQuery,
      success: listed(DeliveryResource),
      error: [InvalidRequest, RateLimited, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List deliveries, newest first",
        description: "The delivery of each event to each URL, with every attempt and the receiver's answer."
      })
    ),
    HttpApiEndpoint.get("get", `${collection}/:delivery_id`, {
      params,
      success: enveloped(DeliveryResource),
      error: DeliveryNotFound
    }).annotateMerge(OpenApi.annotations({ summary: "Retrieve a delivery", description: "With all of its attempts." }))
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Deliveries of events to webhook URLs.") {}

const ofOne = "/operator/v1/merchants/:merchant_id/webhook_deliveries"
const operatorOne = "/operator/v1/webhook_deliveries/:delivery_id"

/** Each environment has its own list. */
export const OperatorDeliveryQuery = Schema.Struct({ ...filtered, mode })
export type OperatorDeliveryQuery = typeof OperatorDeliveryQuery.Type

/** The same for the operator, who may see those of every merchant. */
export class OperatorDeliveriesGroup extends HttpApiGroup.make("webhook_deliveries")
  .add(
    HttpApiEndpoint.get("list", ofOne, {
      params: ofMerchant,
      query: OperatorDeliveryQuery,
      success: listed(DeliveryResource),
      error: [InvalidRequest, MerchantNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List a merchant's deliveries, newest first",
        description: "As the merchant sees them, in the environment that `mode` names."
      })
    ),
    HttpApiEndpoint.get("get", operatorOne, {
      params,
      success: enveloped(DeliveryResource),
      error: DeliveryNotFound
    }).annotateMerge(OpenApi.annotations({ summary: "Read a delivery", description: "With all of its attempts." })),
    HttpApiEndpoint.post("resend", `${operatorOne}/resend`, {
      params,
      success: enveloped(DeliveryResource).pipe(HttpApiSchema.status(202)),
      error: [DeliveryNotFound, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Send a delivery again",
        description:
          "Creates a new delivery of the same event: one immediate attempt with the same event id, also while " +
          "automatic attempts go on. 409: its endpoint is disabled or deleted, or an attempt is under way at this " +
          "moment."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Deliveries of events to webhook URLs.") {}
