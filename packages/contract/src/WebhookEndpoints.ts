/**
 * A merchant's webhook endpoints, and the secrets that sign deliveries (spec: Webhook endpoint; Endpoints, Webhook
 * endpoints; silences: W1 to W6, W9, W10).
 */
import { EventType, everyType } from "@coffer/model/EventType"
import { endpointDescriptionLengthMax, urlLengthMax } from "@coffer/model/Limits"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, DefaultEndpointSecretManaged, EndpointNotFound, InvalidRequest, Unavailable } from "./Errors.ts"
import { instant, kind, mode, orNull, text, withExample } from "./fields.ts"
import { ListQuery } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

const SubscribedType = Schema.Literals([...EventType.literals, everyType])

const enabledEvents = Schema.Array(SubscribedType).annotate({
  description: "Event types to which it is subscribed; `*` means all of them, including those added later."
})

const Status = Schema.Literals(["enabled", "paused", "disabled"])

/** When a secret was rotated, and until when each one before it signs as well. */
const rotation = {
  rotated_at: orNull(Schema.String, "When its secret was last rotated; null: never."),
  previous_until: orNull(Schema.String, "Until when a previous secret signs as well; null if none does."),
  previous_ends: Schema.Array(Schema.String).annotate({
    description: "When each previous secret ends that still signs, the next end first; empty if none does."
  })
}
const unrotated = { rotated_at: null, previous_until: null, previous_ends: [] }

const fields = {
  object: kind("webhook_endpoint"),
  id: text("Number of the endpoint; begins with `whe_`."),
  mode,
  url: text("The URL to which events are posted."),
  description: orNull(Schema.String, "Your description; null if there is none."),
  enabled_events: enabledEvents,
  status: Status.annotate({
    description:
      "Nothing is delivered to a disabled endpoint, and deliveries that fall due in the meantime are skipped. " +
      "Deliveries to a paused one wait until it is enabled again."
  }),
  disable_when_failing: Schema.Boolean.annotate({
    description: "Whether it is disabled automatically after five days without a successful delivery."
  }),
  is_default: Schema.Boolean.annotate({
    description: "The account's default URL, for events to which no endpoint is subscribed. It is set elsewhere."
  }),
  ...rotation,
  created_at: instant("When it was created."),
  updated_at: instant("When it last changed.")
}

const sample = {
  object: "webhook_endpoint",
  id: sampleIds.endpoint,
  mode: "sandbox",
  url: "https://shop.example/hooks",
  description: "Warehouse",
  enabled_events: ["payment.succeeded", "refund.succeeded"],
  status: "enabled",
  disable_when_failing: false,
  is_default: false,
  ...unrotated,
  created_at: "2026-11-21T09:31:12.502Z",
  updated_at: "2026-11-21T09:31:12.502Z"
} as const

export const EndpointResource = withExample(
  Schema.Struct(fields).annotate({ identifier: "WebhookEndpoint", description: "The endpoint." }),
  sample
)
export type EndpointResource = typeof EndpointResource.Encoded

const secret = text("Signs deliveries to this endpoint. It is shown only this once.")

export const EndpointWithSecret = withExample(
  Schema.Struct({ ...fields, secret }).annotate({
    identifier: "WebhookEndpointWithSecret",
    description: "The endpoint with its secret."
  }),
  { ...sample, secret: sampleIds.secret }
)
export type EndpointWithSecret = typeof EndpointWithSecret.Encoded

/** The answer for a deleted endpoint. */
export const DeletedEndpoint = withExample(
  Schema.Struct({
    object: kind("webhook_endpoint"),
    id: fields.id,
    deleted: Schema.Literal(true).annotate({ description: "Always `true`." })
  }).annotate({ identifier: "DeletedWebhookEndpoint", description: "A deleted endpoint." }),
  { object: "webhook_endpoint", id: sampleIds.endpoint, deleted: true }
)

const disabling = "Disable it automatically after five days without a successful delivery. Default: `false`."

const Url = OneLine(1, urlLengthMax).annotate({
  description:
    "In live, public HTTPS only. The sandbox also accepts http, and private addresses if the operator allows them."
})
const Description = OneLine(1, endpointDescriptionLengthMax)
const Types = enabledEvents.check(Schema.isMinLength(1), Schema.isMaxLength(SubscribedType.literals.length))

export const CreateEndpoint = withoutNulls(
  withExample(
    Schema.Struct({
      url: Url,
      description: optional(Description, "Your description."),
      enabled_events: optional(Types, "Event types to subscribe to. Default: all of them."),
      disable_when_failing: optional(Schema.Boolean, disabling)
    }).annotate({ identifier: "CreateWebhookEndpoint", description: "A new endpoint." }),
    { url: sample.url, description: sample.description, enabled_events: sample.enabled_events }
  )
)
export type CreateEndpoint = typeof CreateEndpoint.Type

export const UpdateEndpoint = withoutNulls(
  withExample(
    Schema.Struct({
      url: optional(Url, "The new URL; pending deliveries go there, too."),
      description: Schema.optionalKey(orNull(Description, "Your description; null removes it.")),
      enabled_events: optional(Types, "Replaces the event types to which it is subscribed."),
      status: optional(
        Status,
        "`disabled` stops deliveries, `paused` holds them, `enabled` sends waiting and new ones."
      ),
      disable_when_failing: optional(Schema.Boolean, disabling),
      disabled: optional(Schema.Boolean, "An alternative to `status`; do not send both.")
    }).annotate({ identifier: "UpdateWebhookEndpoint", description: "The fields to change." }),
    { status: "disabled" }
  ),
  ["description"]
)
export type UpdateEndpoint = typeof UpdateEndpoint.Type

export const SigningSecretResource = withExample(
  Schema.Struct({
    object: kind("webhook_signing_secret"),
    mode,
    secret: text("Signs deliveries to an order's `notify_url` and to the account's default URL."),
    ...rotation
  }).annotate({ identifier: "WebhookSigningSecret", description: "The account's secret." }),
  { object: "webhook_signing_secret", mode: "sandbox", secret: sampleIds.secret, ...unrotated }
)
export type SigningSecretResource = typeof SigningSecretResource.Encoded

/** The account's secret without its text. */
export const SigningSecretRotation = withExample(
  Schema.Struct({ object: kind("webhook_signing_secret"), mode, ...rotation }).annotate({
    identifier: "WebhookSigningSecretRotation",
    description: "The account's secret, without its text."
  }),
  { object: "webhook_signing_secret", mode: "sandbox", ...unrotated }
)
export type SigningSecretRotation = typeof SigningSecretRotation.Encoded

const collection = "/v1/webhook_endpoints"
const one = "/v1/webhook_endpoints/:endpoint_id"
const params = { endpoint_id: text("The endpoint's `id`.") }

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

export class WebhookEndpointsGroup extends HttpApiGroup.make("webhook_endpoints")
  .add(
    HttpApiEndpoint.post("create", collection, {
      payload: CreateEndpoint,
      success: enveloped(EndpointWithSecret).pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, Conflict, Unavailable]
    }).annotateMerge(
      described(
        "Create a webhook endpoint",
        "The signing secret is shown only in this answer. A merchant has at most 16 endpoints in each " +
          "environment: one more is 409 `conflict`."
      )
    ),
    HttpApiEndpoint.post("update", one, {
      params,
      payload: UpdateEndpoint,
      success: enveloped(EndpointResource),
      error: [InvalidRequest, EndpointNotFound, Conflict, Unavailable]
    }).annotateMerge(
      described(
        "Change a webhook endpoint, pause or disable it",
        "Omitted fields are unchanged. Deliveries that fall due while it is disabled are skipped, later ones are " +
          "kept. Those that fall due while it is paused wait until it is enabled. The account's default URL is set " +
          "elsewhere: 409 `conflict`."
      )
    ),
    HttpApiEndpoint.delete("delete", one, {
      params,
      success: enveloped(DeletedEndpoint),
      error: [EndpointNotFound, Conflict, Unavailable]
    }).annotateMerge(described("Delete a webhook endpoint", "Pending deliveries are skipped.")),
    HttpApiEndpoint.post("rotateSecret", `${one}/rotate_secret`, {
      params,
      success: enveloped(EndpointWithSecret),
      error: [EndpointNotFound, DefaultEndpointSecretManaged, Unavailable]
    }).annotateMerge(
      described(
        "Rotate an endpoint's signing secret",
        "The new secret is shown only in this answer. For 24 hours the old one signs as well: both signatures are " +
          "in one header, and either of them is enough."
      )
    ),
    HttpApiEndpoint.post("endPreviousSecrets", `${one}/end_previous_secrets`, {
      params,
      success: enveloped(EndpointResource),
      error: [EndpointNotFound, DefaultEndpointSecretManaged, Unavailable]
    }).annotateMerge(
      described(
        "End an endpoint's previous signing secrets",
        "Only the present secret signs from now on. Without a previous one nothing changes."
      )
    ),
    HttpApiEndpoint.post("rotateSigningSecret", "/v1/webhook_signing_secret/rotate", {
      success: enveloped(SigningSecretResource),
      error: [Unavailable]
    }).annotateMerge(
      described(
        "Rotate the account's signing secret",
        "It signs deliveries to an order's `notify_url` and to the account's default URL. For 24 hours the old " +
          "one signs as well."
      )
    ),
    HttpApiEndpoint.post("endPreviousSigningSecrets", "/v1/webhook_signing_secret/end_previous", {
      success: enveloped(SigningSecretRotation),
      error: [Unavailable]
    }).annotateMerge(
      described(
        "End the account's previous signing secrets",
        "Only the present secret signs from now on. Without a previous one nothing changes."
      )
    )
  )
  // The middleware added first is innermost: the key is claimed before the body is decoded (silences: G10).
  .middleware(Decoding)
  .middleware(Idempotency)
  .add(
    HttpApiEndpoint.get("list", collection, {
      query: Schema.Struct(ListQuery),
      success: listed(EndpointResource),
      error: InvalidRequest
    }).annotateMerge(
      described("List webhook endpoints, newest first", "Including the account's default URL, if there is one.")
    ),
    HttpApiEndpoint.get("get", one, {
      params,
      success: enveloped(EndpointResource),
      error: EndpointNotFound
    }).annotateMerge(described("Retrieve a webhook endpoint", "Without its secret.")),
    HttpApiEndpoint.get("signingSecret", "/v1/webhook_signing_secret", {
      success: enveloped(SigningSecretResource)
    }).annotateMerge(
      described(
        "Read the account's signing secret",
        "It signs deliveries to an order's `notify_url` and to the account's default URL."
      )
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "URLs to which events are delivered, and the secrets that sign them.") {}
