/** Sends the receipts that are due. */
import { Effect, Layer } from "effect"
import { MailStore } from "../mail/MailStore.ts"
import { claimedMax, forEachLeased } from "../platform/jobs/forEachLeased.ts"
import { Workers } from "../platform/jobs/Workers.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { Receipts } from "./Receipts.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* MailStore
    const receipts = yield* Receipts

    yield* workers.supervise(() => ({
      name: "mails",
      wakeup: "mails",
      run: Effect.gen(function* () {
        const due = yield* store.claimDue(yield* currentTime, claimedMax)
        return yield* forEachLeased("mail", due, ({ id }) => id, receipts.deliver)
      }),
      next: store.nextDue,
      backlog: store.backlog
    }))
  })
)
