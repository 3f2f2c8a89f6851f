/**
 * Events in the published document: a schema for each type, whose `data.object` is the schema of the object's own
 * endpoint; their union, discriminated by `type`; and a webhook for each (spec: Event; Events). It is all derived from
 * the generated contract, so no field is described twice.
 */
import { EventType } from "@coffer/model/EventType"
import { signatureHeaders } from "./signatureHeaders.ts"

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
type Json = Record<string, any>

type EventTexts = {
  readonly summary: string
  /** Fields that differ from the object's own example for this event. */
  readonly then: Json
}

const unpaid = {
  fee: null,
  net_amount: null,
  payment_id: null,
  payment_method: null,
  paid_at: null,
  paid_card: null,
  dispute_status: null,
  receipt_url: null
}
const manual = {
  capture: "manual",
  capture_by: "2026-11-28T09:31:12.480Z",
  captured_amount: null,
  capturing_amount: null
}
const authorized = { ...unpaid, ...manual, status: "authorized" }
const answeredAt = "2026-12-02T10:40:05.614Z"
const closedAt = "2026-12-09T08:15:40.221Z"
const decidedAs = (status: string) => ({
  status,
  processor_status: status,
  closed_at: closedAt,
  updated_at: closedAt,
  funds_frozen: false
})

const eventTexts: { readonly [type in EventType]: EventTexts } = {
  "payment.succeeded": { summary: "A payment succeeded, and the money is in the wallet", then: { status: "paid" } },
  "payment.failed": {
    summary: "The channel reports that the payment has failed",
    then: { ...unpaid, status: "failed", payment_failure_reason: "processing_error" }
  },
  "payment.expired": {
    summary: "An order was not paid within 24 hours, or was closed",
    then: { ...unpaid, status: "expired" }
  },
  "payment.duplicate_refunded": {
    summary: "A payment that arrived after the order had ended was returned to the buyer in full",
    then: { ...unpaid, status: "expired" }
  },
  "payment.authorized": {
    summary: "The buyer's bank holds the amount of an order, which is not charged yet",
    then: authorized
  },
  "payment.captured": {
    summary: "A held amount was charged; the same moment as payment.succeeded",
    then: { ...manual, status: "paid", captured_amount: 1999 }
  },
  "payment.canceled": {
    summary: "You have given up the hold of an order, and nothing was charged",
    then: { ...authorized, status: "canceled" }
  },
  "payment.authorization_expired": {
    summary: "The hold of an order ran out, and nothing was charged",
    then: { ...authorized, status: "expired" }
  },
  "refund.succeeded": { summary: "A refund was paid out of the wallet", then: { status: "succeeded" } },
  "refund.failed": {
    summary: "The channel rejected a refund, and the money is available again",
    then: { status: "failed", settled_at: null, failure_reason: "expired_or_canceled_card" }
  },
  "dispute.created": { summary: "A chargeback was opened, and its amount is frozen", then: {} },
  "dispute.updated": {
    summary: "The evidence is under review, or the bank asks again",
    then: { status: "under_review", processor_status: "under_review", updated_at: answeredAt }
  },
  "dispute.won": {
    summary: "The appeal succeeded, and the money is available again",
    then: decidedAs("won")
  },
  "dispute.lost": {
    summary: "The dispute is lost, and its amount was debited",
    then: { ...decidedAs("lost"), fee: 1500 }
  },
  "dispute.closed": {
    summary: "The issuer withdrew, and the money is available again",
    then: decidedAs("closed")
  }
}

/** What an answer shows of an object whose own example would be impossible there, by operation and status. */
export const answersThen: Readonly<Record<string, Json>> = {
  "orders.create 201": { ...unpaid, status: "pending" },
  "orders.update 200": { metadata: { packed: "yes" } },
  "orders.expire 200": eventTexts["payment.expired"].then,
  "orders.capture 200": eventTexts["payment.captured"].then,
  "test_helpers.authorize 200": eventTexts["payment.authorized"].then,
  "test_helpers.capture 200": eventTexts["payment.captured"].then,
  "refunds.create 202": { status: "pending", funds_frozen: true, settled_at: null },
  "refunds.update 200": { metadata: {} },
  "payment_links.create 201": { used_count: 0, return_url: null, expires_at: null },
  "payment_links.update 200": { status: "inactive" },
  "webhook_endpoints.update 200": { status: "disabled" },
  "reports.create 202": { rows_done: 0, bytes: 0 },
  "disputes.submitEvidence 200": eventTexts["dispute.updated"].then,
  "test_helpers.resolveDispute 200": eventTexts["dispute.won"].then
}

/** The object of an event, by the first word of its type. */
const objects: Readonly<Record<string, string>> = { payment: "Order", refund: "Refund", dispute: "Dispute" }

export const eventSchemaOf = (type: EventType): string =>
  `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`

const objectSchemaOf = (type: EventType): string => objects[type.split(".")[0]!]!

const refTo = (name: string) => `#/components/schemas/${name}`

export const withTypedEvents = (document: Json): Json => {
  const { components } = document
  const { Event, ...others } = components["schemas"]
  const typed = EventType.literals.map((type) => [eventSchemaOf(type), typedEvent(type, Event, others)] as const)
  const union = {
    description: `${Event.description} \`type\` says what \`data.object\` is.`,
    oneOf: typed.map(([name]) => ({ $ref: refTo(name) })),
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(EventType.literals.map((type) => [type, refTo(eventSchemaOf(type))]))
    }
  }
  return {
    ...document,
    components: {
      ...components,
      schemas: { ...others, Event: union, ...Object.fromEntries(typed) },
      parameters: { ...components["parameters"], ...signatureHeaders }
    },
    webhooks: Object.fromEntries(EventType.literals.map((type) => [type, { post: webhook(type) }]))
  }
}

const typedEvent = (type: EventType, event: Json, schemas: Json): Json => {
  const object = schemas[objectSchemaOf(type)]
  const { object: described, ...flat } = event["properties"].data.properties
  const legacy = Object.entries<Json>(flat).filter(([name]) => name in object.properties)
  return {
    ...event,
    description: `${eventTexts[type].summary}. The event, byte for byte as it is delivered.`,
    properties: {
      ...event["properties"],
      type: only(type, event["properties"].type),
      data: {
        ...event["properties"].data,
        properties: {
          object: { $ref: refTo(objectSchemaOf(type)), description: described.description },
          ...Object.fromEntries(
            legacy.map(([name, { description }]) => [name, { ...object.properties[name], description }])
          )
        }
      },
      event_type: only(type, event["properties"].event_type)
    },
    examples: [exampleOf(type, event["examples"][0], { ...object.examples[0], ...eventTexts[type].then }, legacy)]
  }
}

const only = (type: EventType, { description }: Json): Json => ({ type: "string", enum: [type], description })

const exampleOf = (
  type: EventType,
  event: Json,
  object: Json,
  legacy: ReadonlyArray<readonly [string, Json]>
): Json => ({
  ...event,
  type,
  data: { object, ...Object.fromEntries(legacy.map(([name]) => [name, object[name]])) },
  event_type: type
})

const webhook = (type: EventType): Json => ({
  operationId: type,
  tags: ["webhooks"],
  summary: eventTexts[type].summary,
  description:
    "We post it to your endpoint. Verify a signature over the raw bytes of the body before you parse them, and " +
    "deduplicate by `id`: an event may be delivered more than once.",
  security: [],
  parameters: Object.keys(signatureHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  requestBody: {
    required: true,
    content: { "application/json": { schema: { $ref: refTo(eventSchemaOf(type)) } } }
  },
  responses: {
    "2XX": { description: "Received. Your answer's body is not read, and the answer has to begin within 10 seconds." },
    default: {
      description:
        "Anything else, including a redirect or no answer: we retry after 30 seconds, 2 minutes, 10 minutes, 30 " +
        "minutes, 2 hours and 6 hours."
    }
  }
})
