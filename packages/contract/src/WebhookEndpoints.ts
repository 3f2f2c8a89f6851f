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
  description: "Types of events that it takes; `*` stands for all of them, also for those that are added later."
})

const Status = Schema.Literals(["enabled", "paused", "disabled"])

const fields = {
  object: kind("webhook_endpoint"),
  id: text("Number of the endpoint; begins with `whe_`."),
  mode,
  url: text("Where events are posted to."),
  description: orNull(Schema.String, "Your own words about it; null when there are none."),
  enabled_events: enabledEvents,
  status: Status.annotate({
    description:
      "Nothing is delivered to a disabled endpoint, and what falls due meanwhile is skipped. Deliveries to a " +
      "paused one wait, and are sent when it is enabled again."
  }),
  disable_when_failing: Schema.Boolean.annotate({
    description: "Whether it is disabled when it has taken nothing for five days."
  }),
  is_default: Schema.Boolean.annotate({
    description: "The account's single address, which takes what no endpoint is subscribed to. It is set elsewhere."
  }),
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
  created_at: "2026-11-21T09:31:12.502Z",
  updated_at: "2026-11-21T09:31:12.502Z"
} as const

export const EndpointResource = withExample(
  Schema.Struct(fields).annotate({ identifier: "WebhookEndpoint", description: "The endpoint." }),
  sample
)
export type EndpointResource = typeof EndpointResource.Encoded

const secret = text("Signs what is delivered here. It is shown this once, and never again.")

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
  }).annotate({ identifier: "DeletedWebhookEndpoint", description: "The rest of a deleted endpoint." }),
  { object: "webhook_endpoint", id: sampleIds.endpoint, deleted: true }
)

const disabling = "Disable it when it has taken nothing for five days; not unless you say so."

const Url = OneLine(1, urlLengthMax).annotate({
  description: "Live: public HTTPS. Sandbox: http too, and private addresses where the operator allows them."
})
const Description = OneLine(1, endpointDescriptionLengthMax)
const Types = enabledEvents.check(Schema.isMinLength(1), Schema.isMaxLength(SubscribedType.literals.length))

export const CreateEndpoint = withoutNulls(
  withExample(
    Schema.Struct({
      url: Url,
      description: optional(Description, "Your own words about it."),
      enabled_events: optional(Types, "Types of events that it takes; all of them unless given."),
      disable_when_failing: optional(Schema.Boolean, disabling)
    }).annotate({ identifier: "CreateWebhookEndpoint", description: "A new endpoint." }),
    { url: sample.url, description: sample.description, enabled_events: sample.enabled_events }
  )
)
export type CreateEndpoint = typeof CreateEndpoint.Type

export const UpdateEndpoint = withoutNulls(
  withExample(
    Schema.Struct({
      url: optional(Url, "A new address; what is still to be delivered goes there."),
      description: Schema.optionalKey(orNull(Description, "Your own words about it; null removes them.")),
      enabled_events: optional(Types, "Replaces the types that it takes."),
      status: optional(
        Status,
        "`disabled` stops deliveries, `paused` lets them wait, `enabled` lets those through that wait and new ones."
      ),
      disable_when_failing: optional(Schema.Boolean, disabling),
      disabled: optional(Schema.Boolean, "The same as `status`, for who likes it better; not both at once.")
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
    secret: text("Signs what goes to an order's `notify_url` and to the account's single address."),
    rotated_at: orNull(Schema.String, "When it was last rotated; null when never."),
    previous_until: orNull(Schema.String, "Until when the secret before it signs as well; null when it no longer does.")
  }).annotate({ identifier: "WebhookSigningSecret", description: "The account's secret." }),
  {
    object: "webhook_signing_secret",
    mode: "sandbox",
    secret: sampleIds.secret,
    rotated_at: null,
    previous_until: null
  }
)
export type SigningSecretResource = typeof SigningSecretResource.Encoded

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
        "The answer holds the signing secret, this once. A merchant has at most 16 endpoints in each environment: " +
          "one more is 409 `conflict`."
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
        "Fields that are not sent stay. Deliveries that fall due while it is disabled are skipped, later ones stay. " +
          "Those that fall due while it is paused wait until it is enabled. " +
          "The account's single address is set elsewhere: 409 `conflict`."
      )
    ),
    HttpApiEndpoint.delete("delete", one, {
      params,
      success: enveloped(DeletedEndpoint),
      error: [EndpointNotFound, Conflict, Unavailable]
    }).annotateMerge(described("Delete a webhook endpoint", "Deliveries that are still to be made are skipped.")),
    HttpApiEndpoint.post("rotateSecret", `${one}/rotate_secret`, {
      params,
      success: enveloped(EndpointWithSecret),
      error: [EndpointNotFound, DefaultEndpointSecretManaged, Unavailable]
    }).annotateMerge(
      described(
        "Rotate an endpoint's signing secret",
        "The answer holds the new secret, this once. For 24 hours the old one signs as well: both signatures are in " +
          "one header, and one that fits is enough."
      )
    ),
    HttpApiEndpoint.post("rotateSigningSecret", "/v1/webhook_signing_secret/rotate", {
      success: enveloped(SigningSecretResource),
      error: [Unavailable]
    }).annotateMerge(
      described(
        "Rotate the account's signing secret",
        "It signs what goes to an order's `notify_url` and to the account's single address. For 24 hours the old one " +
          "signs as well."
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
      described("List webhook endpoints, newest first", "With the account's single address, where there is one.")
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
        "It signs what goes to an order's `notify_url` and to the account's single address."
      )
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Where events are delivered to, and the secrets that sign them.") {}
