/** Handlers of the console's `notifications` group. All of it belongs to the person who asks. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import { CurrentPerson } from "@coffer/contract/Caller"
import type { NotificationResource, NotificationSettingsResource } from "@coffer/contract/Notifications"
import type { PersonRole } from "@coffer/model/PersonRole"
import { heardBy, isMailWanted } from "@coffer/rules/notifications/mayHear"
import { Effect } from "effect"
import { consoleGroup } from "../../shared/http/granting.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { span } from "../../platform/runtime/span.ts"
import { Notifications, type Settings, type Shown } from "./Notifications.ts"

const viewOf = ({ raised_at, ...row }: Shown): NotificationResource => ({
  object: "notification",
  notification_id: row.notification_id,
  merchant_id: row.merchant_id,
  mode: row.mode,
  occasion: row.occasion,
  object_id: row.object_id,
  about: row.about,
  amount: row.amount,
  currency: row.currency,
  deadline: isoTextOrNull(row.deadline),
  created_at: isoText(raised_at),
  is_read: row.is_read
})

const settingsView = (
  merchantId: string,
  { email, language, role, switches }: Settings
): NotificationSettingsResource => ({
  object: "notification_settings",
  merchant_id: merchantId,
  email,
  language: language ?? "en",
  occasions: heardBy(role, "live").map((occasion) => ({
    occasion,
    is_mailed: isMailWanted(role, "live", occasion, switches ?? {})
  }))
})

export const layer = consoleGroup(
  "notifications",
  Effect.fnUntraced(function* (handlers) {
    const notifications = yield* Notifications

    const readerAt = (belongsTo: string) =>
      Effect.map(CurrentPerson, ({ personId, shown }) => ({
        reader: { belongsTo, personId },
        email: shown.person.email,
        // The door has let in nobody without a role.
        role: shown.person.roles.find(({ merchant_id }) => merchant_id === belongsTo)?.role as PersonRole
      }))
    const answerSettings = Effect.fnUntraced(function* (merchantId: string) {
      const { email, reader, role } = yield* readerAt(merchantId)
      const before = { email, role, language: null, switches: null }
      return yield* reply(settingsView(merchantId, (yield* notifications.settings(reader)) ?? before))
    })

    return handlers.handleAll({
      list: span("notifications.list")(function* ({ params: { merchant_id }, query: { mode } }) {
        const { reader, role } = yield* readerAt(merchant_id)
        const page = yield* notifications.of(reader, role, mode)
        return yield* replyList("notification", `/console/api/merchants/${merchant_id}/notifications`, page, viewOf)
      }),
      markRead: span("notifications.markRead")(function* ({ params: { merchant_id }, payload }) {
        const { reader } = yield* readerAt(merchant_id)
        yield* notifications.markRead(reader, payload.notification_ids)
        return yield* reply({ object: "notifications_read" })
      }),
      getSettings: span("notifications.getSettings")(function* ({ params: { merchant_id } }) {
        return yield* answerSettings(merchant_id)
      }),
      updateSettings: span("notifications.updateSettings")(function* ({ params: { merchant_id }, payload }) {
        const { reader } = yield* readerAt(merchant_id)
        yield* notifications.update(reader, payload)
        return yield* answerSettings(merchant_id)
      })
    })
  })
)
