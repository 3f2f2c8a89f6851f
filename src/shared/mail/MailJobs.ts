/** Sends the mails about people that are due, and removes old counts and addresses. */
import { Effect, Layer } from "effect"
import { forEachLeased, leasedMax } from "../../platform/jobs/forEachLeased.ts"
import { hourly, Workers } from "../../platform/jobs/Workers.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { ConfirmedAddresses } from "./ConfirmedAddresses.ts"
import { MailBudget } from "./MailBudget.ts"
import { mailSettings } from "./mailSettings.ts"
import { Outbox, wakeup } from "./Outbox.ts"

/** Rows that one statement removes. */
const batchMax = 1_000

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const { backlog, deliver, leaseDue, nextDue } = yield* Outbox
    const budget = yield* MailBudget
    const addresses = yield* ConfirmedAddresses
    const { smtpUrl } = (yield* Settings).of(mailSettings)

    yield* supervise(() => ({
      name: "mails about people",
      // Without a mail server mails become files on this machine.
      callsOutside: smtpUrl !== undefined,
      wakeup,
      run: Effect.gen(function* () {
        const due = yield* leaseDue(yield* currentTime, leasedMax)
        return yield* forEachLeased("mail", due, ({ id }) => id, deliver)
      }),
      next: nextDue,
      backlog
    }))
    yield* supervise(() => hourly("counts of mails", () => budget.dropOld(batchMax)))
    yield* supervise(() => hourly("addresses that were typed", () => addresses.dropOld(batchMax)))
  })
)
