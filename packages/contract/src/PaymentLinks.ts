/** Payment links on the wire: the resource and its endpoints (spec: Payment link; silences: L1 to L11). */
import { subjectLengthMax, urlLengthMax } from "@coffer/model/Limits"
import { MetadataKeys, MetadataPatch } from "@coffer/model/Metadata"
import { Currency, OrderAmount } from "@coffer/model/Money"
import { CaptureMethod } from "@coffer/model/PaymentMethod"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { wireFields } from "@coffer/resources/listed"
import { paymentLinks } from "@coffer/resources/links"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, Quotas } from "./Caller.ts"
import { channelBoundsText } from "./Channels.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, PaymentLinkNotFound, RateLimited, Unavailable } from "./Errors.ts"
import { merchantId, orNull, text, withExample } from "./fields.ts"
import { ListQuery, waitParameter } from "./Lists.ts"
import { captureText } from "./Orders.ts"
import { sampleIds } from "./sampleIds.ts"

const Instant = Schema.String.annotate({ format: "date-time" })
const Status = paymentLinks.columns.status.schema

export const PaymentLinkResource = withExample(
  Schema.Struct(wireFields(paymentLinks, { merchant_id: merchantId })).annotate({
    identifier: "PaymentLink",
    description: "The payment link."
  }),
  {
    object: "payment_link",
    link_id: sampleIds.link,
    merchant_id: sampleIds.merchant,
    url: `https://pay.example.com/pay/${sampleIds.link}`,
    mode: "sandbox",
    amount: 1999,
    currency: "USD",
    subject: "Two books",
    status: "active",
    max_uses: 30,
    used_count: 2,
    notify_url: null,
    return_url: "https://shop.example.com/thanks?order={OUT_TRADE_NO}",
    expires_at: "2026-12-24T18:00:00.000Z",
    metadata: { campaign: "advent" },
    created_at: "2026-11-21T09:30:00.000Z"
  }
)
export type PaymentLinkResource = typeof PaymentLinkResource.Encoded

const Url = OneLine(1, urlLengthMax)
const Subject = OneLine(0, subjectLengthMax)
const Uses = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))

export const CreatePaymentLink = withoutNulls(
  withExample(
    Schema.Struct({
      amount: OrderAmount.annotate({
        description: `The amount that each buyer pays, in minor units. It cannot be changed. ${channelBoundsText}`
      }),
      currency: optional(Currency, "Default: `USD`. In live, it must be enabled for you. It cannot be changed."),
      subject: optional(Subject, "The title that the buyer sees at checkout, one line of at most 255 characters."),
      max_uses: optional(Uses, "How many orders visits may create. Default: no limit."),
      expires_at: optional(Instant, "From when on visits create no order, in the future. Default: never."),
      notify_url: optional(
        Url,
        "URL for the events of the orders, instead of your endpoints. In live, public HTTPS only."
      ),
      return_url: optional(
        Url,
        "URL to which buyers are sent after the payment; `{TRADE_NO}` and `{OUT_TRADE_NO}` are filled in."
      ),
      metadata: optional(MetadataKeys, "At most 50 keys of 1 to 40 characters, with values of at most 500."),
      capture: optional(CaptureMethod, captureText)
    }).annotate({ identifier: "CreatePaymentLink", description: "The terms of each order that a visit creates." }),
    { amount: 1999, subject: "Two books", max_uses: 30, metadata: { campaign: "advent" } }
  )
)
export type CreatePaymentLink = typeof CreatePaymentLink.Type

/** Amount and currency never change (spec: Payment links). */
export const UpdatePaymentLink = withoutNulls(
  withExample(
    Schema.Struct({
      status: optional(Status, "`inactive` closes the link, `active` opens it."),
      subject: Schema.optionalKey(orNull(Subject, "Null removes the title.")),
      max_uses: Schema.optionalKey(orNull(Uses, "Null removes the limit. A value below `used_count` closes the link.")),
      expires_at: Schema.optionalKey(orNull(Instant, "Null: never. A time that has passed closes the link.")),
      metadata: Schema.optionalKey(
        MetadataPatch.annotate({
          description: "Keys to set; null deletes a key, and null instead of an object deletes all of them."
        })
      )
    }).annotate({ identifier: "UpdatePaymentLink", description: "The fields to change." }),
    { status: "inactive" }
  ),
  ["subject", "max_uses", "expires_at", "metadata"]
)
export type UpdatePaymentLink = typeof UpdatePaymentLink.Type

const PaymentLinkQuery = Schema.Struct({ ...ListQuery, ...waitParameter })
export type PaymentLinkQuery = typeof PaymentLinkQuery.Type

const Reply = enveloped(PaymentLinkResource)
const collection = "/v1/payment_links"
const one = "/v1/payment_links/:link_id"
const params = { link_id: text("The link's `link_id`.") }

export class PaymentLinksGroup extends HttpApiGroup.make("payment_links")
  .add(
    HttpApiEndpoint.post("create", collection, {
      payload: CreatePaymentLink,
      success: Reply.pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Create a payment link",
        description: "Give its `url` to as many buyers as you like: each visit creates a separate order."
      })
    ),
    HttpApiEndpoint.post("update", one, {
      params,
      payload: UpdatePaymentLink,
      success: Reply,
      error: [InvalidRequest, PaymentLinkNotFound, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Change a payment link, close it or open it",
        description: "Omitted fields are unchanged. Amount and currency cannot be changed: create another link."
      })
    )
  )
  // The middleware added first is innermost: the key is claimed before the body is decoded (silences: G10).
  .middleware(Decoding)
  .middleware(Idempotency)
  .add(
    HttpApiEndpoint.get("list", collection, {
      query: PaymentLinkQuery,
      success: listed(PaymentLinkResource),
      error: [InvalidRequest, RateLimited, Unavailable]
    }).annotateMerge(OpenApi.annotations({ summary: "List payment links, newest first", description: "In pages." })),
    HttpApiEndpoint.get("get", one, {
      params,
      query: Schema.Struct({
        format: Schema.optionalKey(
          Schema.Literals(["svg"]).annotate({ description: "`svg` returns the link's QR code as an image." })
        )
      }),
      success: [Reply, HttpApiSchema.StreamUint8Array({ contentType: "image/svg+xml" })],
      error: [InvalidRequest, PaymentLinkNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Retrieve a payment link, or its QR code",
        description: "`format=svg` returns an image to print or display; a phone's camera opens the link."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "A URL for many buyers: each visit creates a new order.") {}
