/** Raises the notifications that are due, sends their mails, and removes old ones. */
import { Duration, Effect, Layer } from "effect"
import { forEachLeased, leasedMax } from "../../platform/jobs/forEachLeased.ts"
import { dueWork, hourly, Workers } from "../../platform/jobs/Workers.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { mailSettings } from "../../shared/mail/mailSettings.ts"
import { NotificationMails } from "./NotificationMails.ts"
import { Notifications } from "./Notifications.ts"
import { NotificationStore } from "./NotificationStore.ts"

/** How long a notification is shown. */
const keptFor = Duration.days(90)
/** Rows that one statement removes, with their mails. */
const batchMax = 500
/** The name by which the mails are sent at once. */
const wakeup = "notification_mails"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const { due, mails, raise } = yield* NotificationStore
    const { deliver } = yield* NotificationMails
    const notifications = yield* Notifications
    const wakeups = yield* Wakeups
    const { smtpUrl } = (yield* Settings).of(mailSettings)

    const raiseAll = (rows: ReadonlyArray<{ readonly notification_id: string }>) =>
      Effect.tap(
        forEachLeased(
          "notification",
          rows,
          ({ notification_id }) => notification_id,
          // A sandbox whose clock was moved has a time of its own.
          ({ notification_id }) => Effect.flatMap(currentTime, (now) => raise(notification_id, now))
        ),
        (count) => Effect.sync(() => count > 0 && wakeups.raise(wakeup))
      )

    yield* supervise(() => ({ name: "notifications", ...dueWork(due, raiseAll) }))
    yield* supervise(() => ({
      name: "mails of notifications",
      // Without a mail server mails become files on this machine.
      callsOutside: smtpUrl !== undefined,
      wakeup,
      run: Effect.flatMap(currentTime, (now) =>
        Effect.flatMap(mails.leaseDue(now, leasedMax), (rows) =>
          forEachLeased("mail", rows, ({ mail_id }) => mail_id, deliver)
        )
      ),
      next: mails.nextDue,
      backlog: mails.backlog
    }))
    yield* supervise(() => hourly("old notifications", () => notifications.dropOld(keptFor, batchMax)))
  })
)
