/**
 * Notifications for a person of a merchant, in the console and by mail. Each person switches mails for each occasion
 * and merchant; the list of occasions is `@coffer/model/Occasion`.
 */
import { Mode } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { notificationsShown, Occasion, occasionNames, occasionOf } from "@coffer/model/Occasion"
import { optional, withoutNulls } from "@coffer/model/optional"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, PersonSession } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { InvalidRequest } from "./Errors.ts"
import {
  anyMode,
  instant,
  kind,
  merchantId,
  minorOrNull,
  ofMerchant,
  orNull,
  printable,
  text,
  withExample
} from "./fields.ts"
import { sampleIds } from "./sampleIds.ts"

const ofConsole = "/console/api/merchants/:merchant_id"

export const notificationLanguages = ["en", "zh"] as const
const language = Schema.Literals(notificationLanguages).annotate({ description: "The language of the emails." })
const occasion = Occasion.annotate({ description: "What happened." })

export const NotificationResource = withExample(
  Schema.Struct({
    object: kind("notification"),
    notification_id: text("Number of the notification."),
    merchant_id: merchantId,
    mode: Mode.annotate({ description: "The environment." }),
    occasion,
    object_id: text("Number of the object: a dispute, a payout, an order, an endpoint, a key or a person."),
    about: orNull(Schema.String, "The address of a person who has joined; null for other occasions."),
    amount: minorOrNull("The object's amount", "if it has none"),
    currency: orNull(Currency, "The currency of the amount; null where that is."),
    deadline: orNull(Schema.String, "Until when to act; null without a deadline."),
    created_at: instant("When it happened, by the clock of the environment."),
    is_read: Schema.Boolean.annotate({ description: "Whether the person who asks has read it." })
  }).annotate({ identifier: "Notification", description: "Something that happened in an account." }),
  {
    object: "notification",
    notification_id: sampleIds.notification,
    merchant_id: sampleIds.merchant,
    mode: "live",
    occasion: "dispute_due_in_1_day",
    object_id: sampleIds.dispute,
    about: null,
    amount: 1999,
    currency: "USD",
    deadline: "2026-11-30T09:00:00.000Z",
    created_at: "2026-11-29T09:00:00.000Z",
    is_read: false
  }
)
export type NotificationResource = typeof NotificationResource.Encoded

export const NotificationSettingsResource = withExample(
  Schema.Struct({
    object: kind("notification_settings"),
    merchant_id: merchantId,
    email: text("The address that the emails go to."),
    language,
    occasions: Schema.Array(
      Schema.Struct({
        occasion,
        is_mailed: Schema.Boolean.annotate({ description: "Whether the person gets an email when it happens in live." })
      })
    ).annotate({ description: "What the person's role may be notified of." })
  }).annotate({
    identifier: "NotificationSettings",
    description: "What a person gets emails about, for one merchant."
  }),
  {
    object: "notification_settings",
    merchant_id: sampleIds.merchant,
    email: "ada@shop.example",
    language: "en",
    occasions: [{ occasion: "dispute_opened", is_mailed: true }]
  }
)
export type NotificationSettingsResource = typeof NotificationSettingsResource.Encoded

const MarkRead = Schema.Struct({
  notification_ids: Schema.Array(printable(40))
    .check(Schema.isMinLength(1), Schema.isMaxLength(notificationsShown))
    .annotate({ description: "The notifications that were read. Unknown ones are ignored." })
}).annotate({ examples: [{ notification_ids: [sampleIds.notification] }] })

const switchOf = (name: Occasion) => optional(Schema.Boolean, `Emails about: ${occasionOf(name).label.en}.`)
const switches = Object.fromEntries(occasionNames.map((name) => [name, switchOf(name)])) as {
  readonly [Name in Occasion]: ReturnType<typeof switchOf>
}

const UpdateNotificationSettings = withoutNulls(
  Schema.Struct({
    language: optional(language, "The language of the emails."),
    mails: optional(withoutNulls(Schema.Struct(switches)), "Which emails are on or off. Omitted ones are unchanged.")
  }).annotate({ examples: [{ mails: { payout_paid: false } }] })
)
export type UpdateNotificationSettings = typeof UpdateNotificationSettings.Type

export class NotificationsGroup extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.get("list", `${ofConsole}/notifications`, {
      params: ofMerchant,
      query: { mode: anyMode },
      success: listed(NotificationResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Notifications, newest first",
        description:
          `The newest ${notificationsShown} of one environment since the person joined, of what the person's role ` +
          "may read."
      })
    ),
    HttpApiEndpoint.post("markRead", `${ofConsole}/notifications/read`, {
      params: ofMerchant,
      payload: MarkRead,
      success: enveloped(
        withExample(
          Schema.Struct({ object: kind("notifications_read") }).annotate({
            identifier: "NotificationsRead",
            description: "The notifications count as read."
          }),
          { object: "notifications_read" }
        )
      ),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({ summary: "Mark notifications as read", description: "For the person who asks alone." })
    ),
    HttpApiEndpoint.get("getSettings", `${ofConsole}/notification_settings`, {
      params: ofMerchant,
      success: enveloped(NotificationSettingsResource)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "What I get emails about",
        description: "Until they are changed, the settings follow from the role."
      })
    ),
    HttpApiEndpoint.post("updateSettings", `${ofConsole}/notification_settings`, {
      params: ofMerchant,
      payload: UpdateNotificationSettings,
      success: enveloped(NotificationSettingsResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Change what I get emails about",
        description: "Omitted fields are unchanged. It takes effect with the next email."
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "What people are notified of, in the console and by email.") {}
