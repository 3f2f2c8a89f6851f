/**
 * A new refund on its way to its first answer. The amount is promised first (the order says whether it may be), then
 * the channel is asked, then its answer is settled: each in a transaction of its own, in a fiber that outlives the
 * request. A crash in between leaves a due row (silences: R7, R8).
 */
import { type Refund, RefundCommand } from "@coffer/rules/refund/Refund"
import { DateTime, Duration, Effect, Fiber, Option, Schedule } from "effect"
import { type Answering, answering, renewing } from "../idempotency/Answering.ts"
import { actorPatience } from "../platform/cluster/ask.ts"
import { NotCommitted } from "../platform/commit/Change.ts"
import { span } from "../platform/runtime/span.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { unmovedTime } from "../platform/runtime/MovedClock.ts"
import { withoutDeadline } from "../platform/runtime/Deadline.ts"
import { fresh } from "./refundAnswers.ts"
import { ChannelRefused } from "./refundErrors.ts"
import type { ReservedRefund } from "./RefundCommands.ts"
import type { RefundServices } from "./RefundServices.ts"

/** What the channel said is recorded at once or, when that fails, a little later. */
const settleRetriesMax = 3
const settleAgain = Schedule.exponential("200 millis")
/** A caller waits at least this long for the recording, however long the channel took. */
const settlePatienceMin = Duration.seconds(1)

const { Abandon, Await, Confirm } = RefundCommand.cases

export const driveRefund = span("Refunds.drive")(function* (services: RefundServices, refund: ReservedRefund) {
  yield* reserve(services, refund)
  const answer = yield* services
    .askChannel(refund)
    .pipe(Effect.catchTags({ ChannelUnreachable: (unreachable) => Effect.succeed(unreachable) }))
  const at = yield* currentTime
  switch (answer._tag) {
    case "Succeeded":
      return fresh(yield* answering((answer) => settle(services, refund, Confirm.make({ at }), answer)))
    case "Pending":
      return fresh(yield* answering((answer) => settle(services, refund, Await.make({ at }), answer)))
    case "Refused":
    case "ChannelUnreachable": {
      const after = yield* settle(services, refund, Abandon.make({ at }))
      // If a worker has taken the refund over, its result counts.
      if (after.status !== "void") return fresh(after)
      return yield* answer._tag === "Refused" ? new ChannelRefused({ reason: answer.reason }) : answer
    }
  }
})

/** The order's promise, the wallet's, and the refund's row: together, before anybody is asked. */
const reserve = ({ commands, runs, store }: RefundServices, refund: ReservedRefund) =>
  Effect.flatMap(unmovedTime, (now) =>
    renewing(now, runs.own, (renewal) =>
      commands.create(refund, renewal).pipe(
        Effect.catch((failure) =>
          // The message may arrive twice, and the second time is refused because of the first.
          Effect.flatMap(store.load(refund.refundNo), (own) =>
            Option.isSome(own) ? Effect.succeed(refund) : Effect.fail(failure)
          )
        )
      )
    )
  )

/** Records the channel's answer. Its retries go on when the caller has been told to come back. */
const settle = Effect.fnUntraced(function* (
  { commands, scope }: RefundServices,
  refund: Refund,
  command: RefundCommand,
  answer?: Answering
) {
  const waited = DateTime.distance(refund.createdAt, command.at)
  const left = Duration.max(settlePatienceMin, Duration.subtract(actorPatience, waited))
  const handled = commands.handleReport(refund.refundNo, command, answer)
  const settled = Effect.retry(handled, { times: settleRetriesMax, schedule: settleAgain })
  const fiber = yield* Effect.forkIn(withoutDeadline(settled), scope)
  return yield* Effect.timeoutOrElse(Fiber.join(fiber), {
    duration: left,
    orElse: () => Effect.fail(new NotCommitted({ reason: "unknown" }))
  })
})
