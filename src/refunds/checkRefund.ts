/** What the channel says of a refund that it had accepted, by itself or because it was asked. */
import type { RefundNo } from "@coffer/model/Ids"
import { RefundCommand } from "@coffer/rules/refund/Refund"
import { Effect } from "effect"
import { span } from "../platform/runtime/span.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import type { RefundServices } from "./RefundServices.ts"

export interface RefundReport {
  readonly outcome: "succeeded" | "failed"
  readonly reason: string
}

export const reportRefund = span("Refunds.report")(function* (
  { commands }: RefundServices,
  refundNo: RefundNo,
  { outcome, reason }: RefundReport
) {
  const at = yield* currentTime
  return yield* commands.handleReport(
    refundNo,
    outcome === "succeeded" ? Confirm.make({ at }) : Reject.make({ at, reason })
  )
}, Effect.uninterruptible)

export const checkRefund = span("Refunds.check")(function* (services: RefundServices, refundNo: RefundNo) {
  // From here on it is pending. The request that reserved it is dead, or will find that it is not reserved any more.
  const refund = yield* services.commands.handleReport(refundNo, Await.make({ at: yield* currentTime }))
  if (refund.status !== "pending") return
  const answer = yield* services.askChannel(refund)
  if (answer._tag === "Succeeded") yield* reportRefund(services, refundNo, { outcome: "succeeded", reason: "" })
  if (answer._tag === "Refused") {
    yield* reportRefund(services, refundNo, { outcome: "failed", reason: answer.reason })
  }
})

const { Await, Confirm, Reject } = RefundCommand.cases
