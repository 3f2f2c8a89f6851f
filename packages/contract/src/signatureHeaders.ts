/**
 * The headers of a delivery as the published document describes them: the specification's `X-Service-*`, and those of
 * Standard Webhooks 1.0 over the same body (spec: Events). The signing itself is not part of the contract.
 */
import { sampleIds } from "./sampleIds.ts"

const header = (name: string, description: string, example: string, required = true) => ({
  name,
  in: "header",
  required,
  description,
  schema: { type: "string" },
  example
})

const hex = "5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"

/** By their names in `components.parameters`. */
export const signatureHeaders = {
  XServiceSignature: header(
    "X-Service-Signature",
    "`t=<seconds of Unix time>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>` with the signing secret exactly as shown. " +
      "For 24 hours after a rotation there are several `v1=`, and one match is enough. Refuse a `t` that is more " +
      "than 300 seconds from now, and compare in constant time.",
    `t=1795253472,v1=${hex}`
  ),
  XServiceEventId: header("X-Service-Event-Id", "The event's `id`; the same in every redelivery.", sampleIds.event),
  XServiceEventType: header("X-Service-Event-Type", "The event's `type`.", "payment.succeeded"),
  XServiceEndpointId: header(
    "X-Service-Endpoint-Id",
    "The webhook endpoint of this delivery. Absent for an order's `notify_url` and the account's default URL.",
    "we_01KAJ4S0Q8C3V7N2M5T9XEBR6H",
    false
  ),
  WebhookId: header("webhook-id", "The event's `id`, for Standard Webhooks 1.0.", sampleIds.event),
  WebhookTimestamp: header(
    "webhook-timestamp",
    "Unix time of this attempt in seconds, for Standard Webhooks 1.0.",
    "1795253472"
  ),
  WebhookSignature: header(
    "webhook-signature",
    "`v1,<base64>`, several of them separated by spaces after a rotation: HMAC-SHA256 of " +
      "`<webhook-id>.<webhook-timestamp>.<body>` with the bytes that the signing secret encodes, for Standard " +
      "Webhooks 1.0.",
    `v1,${btoa(String.fromCharCode(...Array.from(hex.matchAll(/../g), ([byte]) => Number.parseInt(byte, 16))))}`
  )
} as const
