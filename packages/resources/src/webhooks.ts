/** Events, their endpoints, and receivers' answers. */
import { EventType } from "@coffer/model/EventType"
import { MerchantId } from "@coffer/model/Ids"
import { Schema } from "effect"
import { code, field, listed, typed } from "./listed.ts"
import { mode } from "./shared.ts"
import { archived, each, forNobody, listWith, resource, shown } from "./Resource.ts"

/** What happened stands in its JSON: the wire has that beside these fields. */
export const events = listed(
  "events",
  {
    id: field(
      Schema.String,
      shown("none"),
      [
        "Event ID",
        "事件 ID",
        "Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."
      ],
      code
    ),
    type: field(EventType, shown("none"), ["Type", "类型", "The kind of event."]),
    mode,
    created_at: field(Schema.DateTimeUtc, shown("none"), ["Created", "发生时间", "When it happened."]),
    sequence: field(
      Schema.Int,
      shown("none"),
      ["Sequence", "序号", "Increases with each change of the object: of two events, the higher one is later."],
      { made: "unstored" }
    ),

    ...each(archived("none"), ["merchant_id", "object_id", "trade_no"]),
    /** The event as it is delivered. */
    body: archived("words", "objects"),
    /** The same, compressed. */
    packed: forNobody("words", "objects")
  },
  {
    object: "event",
    label: { en: "Events", zh: "事件" },
    list: { type: "shown", created_at: "shown", id: "hidden", sequence: "hidden" },
    brief: ["id", "type", "created_at"],
    facts: ["created_at", "sequence"],
    filters: {}
  }
)

const statusSays =
  "`pending`: another attempt follows. `failed`: all attempts failed. `skipped`: its endpoint was disabled or deleted."

/** On the wire it has its attempts, too, which are rows of their own. */
export const deliveries = listed(
  "deliveries",
  {
    id: field(
      Schema.String,
      shown("none"),
      ["Delivery ID", "投递编号", "Number of the delivery; begins with `dlv_`."],
      code
    ),
    mode,
    event_id: field(Schema.String, shown("none"), ["Event ID", "事件 ID", "The event that is delivered."], code),
    event_type: field(EventType, shown("none"), ["Event type", "事件类型", "Its type."], { made: "unstored" }),
    endpoint_id: field(
      Schema.NullOr(Schema.String),
      shown("none"),
      ["Endpoint ID", "端点 ID", "The endpoint; null for an order's `notify_url` and the account's default URL."],
      code
    ),
    url: field(Schema.String, shown("mentions"), ["URL", "URL", "The URL to which it is posted."]),
    status: field(
      Schema.Literals(["pending", "succeeded", "failed", "skipped"]),
      shown("none"),
      ["Status", "状态", statusSays],
      { look: "state" }
    ),
    next_attempt_at: field(Schema.NullOr(Schema.DateTimeUtc), shown("none"), [
      "Next attempt",
      "下次尝试",
      "When the next automatic attempt is due; null if there is none."
    ]),
    resend_of: field(
      Schema.NullOr(Schema.String),
      shown("none"),
      ["Resend of", "重发自", "The delivery that this one repeats on request; null for an original one."],
      code
    ),
    created_at: field(Schema.DateTimeUtc, shown("none"), [
      "Created",
      "创建时间",
      "When it was recorded: with the event, or when it was requested."
    ]),

    merchant_id: typed(MerchantId, forNobody("none")),
    /** Its host, by which one slow receiver delays no other. */
    destination: forNobody("mentions"),
    ...each(forNobody("none"), ["attempts", "leased_until"])
  },
  {
    object: "webhook_delivery",
    label: { en: "Deliveries", zh: "投递" },
    list: {
      event_type: "shown",
      status: "shown",
      url: "wide",
      next_attempt_at: "wide",
      created_at: "shown",
      id: "hidden"
    },
    brief: ["id", "status", "next_attempt_at", "event_type", "url"],
    facts: ["event_id", "endpoint_id", "url", "created_at", "next_attempt_at", "resend_of"],
    filters: {
      event_id: "Deliveries of this event.",
      endpoint_id: "Deliveries to this endpoint.",
      status: statusSays
    }
  }
)

export const deliveryAttempts = resource("delivery_attempts", {
  delivery_id: archived("none"),
  attempt: shown("none"),
  at: shown("none"),
  duration_ms: shown("none"),
  status_code: shown("none"),
  failure: shown("mentions"),
  /** How the receiver's answer begins. On the wire it is called `response_excerpt`. */
  snippet: shown("words")
})

export const endpointHealth = resource("endpoint_health", {
  ...each(forNobody("none"), ["endpoint_id", "merchant_id", "mode", "first_failures", "fifth_at", "last_failed_at"]),
  ...each(forNobody("none"), ["last_succeeded_at", "failing_since", "well_since", "disables", "is_told", "told_at"]),
  ...each(forNobody("none"), ["reason", "attempts", "due_at"]),
  /** Of the delivery that failed last; a mail to the merchant has it. */
  answer: shown("mentions")
})

export const webhookSettings = resource("webhook_settings", {
  ...each(forNobody("none"), ["id", "version", "merchant_id", "mode", "signing"]),
  endpoints: shown(
    "none",
    listWith({
      ...each(shown("none"), ["id", "url", "description", "types", "status", "isPaused", "disablesWhenFailing"]),
      ...each(shown("none"), ["createdAt", "updatedAt"]),
      isDisabledForFailing: forNobody("none"),
      secrets: forNobody("none")
    })
  )
})
