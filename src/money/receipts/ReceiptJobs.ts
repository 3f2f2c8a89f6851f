/** Sends the receipts that are due. */
import { Effect, Layer } from "effect"
import { MailStore } from "../../shared/mail/MailStore.ts"
import { dueWork, Workers } from "../../platform/jobs/Workers.ts"
import { forEachLeased } from "../../platform/jobs/forEachLeased.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { Receipts } from "./Receipts.ts"
import { mailSettings } from "../../shared/mail/mailSettings.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* MailStore
    const receipts = yield* Receipts
    const { smtpUrl } = (yield* Settings).of(mailSettings)

    yield* workers.supervise(() => ({
      name: "mails",
      // Without a mail server mails become files on this machine.
      callsOutside: smtpUrl !== undefined,
      wakeup: "mails",
      ...dueWork(store, (due) => forEachLeased("mail", due, ({ id }) => id, receipts.deliver))
    }))
  })
)
