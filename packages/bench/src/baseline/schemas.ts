/**
 * The schemas by which Fastify validates and encodes: JSON schemas for Ajv and fast-json-stringify, with the limits of
 * the specification. The answer has all fields of an order, as the service answers them.
 */
import { OrderResource } from "@coffer/contract/Orders"

const text = { type: "string" }
const number = { type: "integer" }
const orNull = (schema: { readonly type: string }) => ({ ...schema, type: [schema.type, "null"] })

const order = {
  type: "object",
  properties: {
    // Texts or null by default.
    ...Object.fromEntries(Object.keys(OrderResource.fields).map((name) => [name, orNull(text)])),
    object: text,
    trade_no: text,
    out_trade_no: text,
    merchant_id: text,
    amount: number,
    fee: orNull(number),
    net_amount: orNull(number),
    refunded_amount: number,
    currency: text,
    status: text,
    mode: text,
    checkout_url: text,
    expires_at: text,
    metadata: { type: "object", additionalProperties: text },
    created_at: text,
    paid_card: { type: ["object", "null"], additionalProperties: text }
  }
}

const enveloped = (data: object) => ({
  type: "object",
  properties: { code: number, message: text, request_id: text, data }
})

const refused = {
  type: "object",
  properties: { code: number, error: text, param: text, message: text, request_id: text }
}

const createBody = {
  type: "object",
  required: ["amount"],
  properties: {
    amount: { type: "integer", minimum: 1, maximum: 100_000_000_000 },
    currency: { enum: ["USD", "HKD", "CNY"] },
    out_trade_no: { type: "string", minLength: 1, maxLength: 128, pattern: "^(?!plink_)[^\\u0000-\\u001f]*$" },
    subject: { type: ["string", "null"], maxLength: 255 },
    notify_url: { type: ["string", "null"], maxLength: 2048, pattern: "^https?://" },
    return_url: { type: ["string", "null"], maxLength: 2048, pattern: "^https?://" },
    metadata: {
      type: ["object", "null"],
      maxProperties: 50,
      propertyNames: { maxLength: 40, pattern: "^(?!svc_payment_link$)." },
      additionalProperties: { type: "string", maxLength: 500 }
    },
    receipt_email: { type: ["string", "null"], maxLength: 254 },
    locale: { enum: ["zh", "en", null] }
  }
}

const payBody = {
  type: "object",
  properties: { payment_method: { enum: ["card", "apple_pay", "google_pay"] } }
}

const listQuery = {
  type: "object",
  properties: { limit: { type: "string", pattern: "^([1-9][0-9]?|100)$" }, starting_after: text }
}

const balance = {
  type: "object",
  properties: {
    merchant_id: text,
    currency: text,
    mode: text,
    available_balance: number,
    frozen_balance: number,
    total_revenue: number,
    total_fee: number,
    total_payout: number,
    total_refund: number,
    updated_at: text
  }
}

const list = {
  type: "object",
  properties: {
    object: text,
    resource: text,
    has_more: { type: "boolean" },
    url: text,
    data: { type: "array", items: order }
  }
}

const refusals = { "4xx": refused, "5xx": refused }
export const schemas = {
  create: { body: createBody, response: { "2xx": enveloped(order), ...refusals } },
  pay: { body: payBody, response: { "2xx": enveloped(order), ...refusals } },
  retrieve: { response: { "2xx": enveloped(order), ...refusals } },
  list: { querystring: listQuery, response: { "2xx": enveloped(list), ...refusals } },
  balance: { response: { "2xx": enveloped(balance), ...refusals } }
}
