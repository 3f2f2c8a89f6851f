/** What the channel says of a dispute: the first time it is opened, and from then on its status is applied. */
import { disputeFeeOf } from "@coffer/model/Fees"
import { createdAtOf, DisputeNo, prefixes } from "@coffer/model/Ids"
import { type Dispute, DisputeCommand } from "@coffer/rules/dispute/Dispute"
import { DateTime, Effect, Equivalence, Option } from "effect"
import type { DisputeReport, DisputeWord, Standing } from "../channel/DisputeChannel.ts"
import { numbering } from "../platform/commit/Change.ts"
import { span } from "../platform/runtime/span.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import type { DisputeServices } from "./DisputeServices.ts"

export const handleReport = (services: DisputeServices) =>
  span("Disputes.handleReport")(function* (report: DisputeReport) {
    const stored = yield* services.store.byProcessorId(report, report.processorDisputeId)
    const dispute = Option.isSome(stored) ? stored.value.dispute : yield* open(services, report)
    return yield* applyStatus(services, dispute, report)
  }, Effect.uninterruptible)

/** How the dispute stands with the bank, told to the actor. */
export const applyStatus = Effect.fnUntraced(
  function* (services: DisputeServices, dispute: Dispute, word: DisputeWord) {
    if (isKnown(dispute, word)) return dispute
    const { outcome, standing, status: processorStatus } = word
    // What was heard of it last was the inquiry: the loss has something to take once it is a chargeback.
    if (outcome === "lost" && dispute.stage === "inquiry" && standing !== undefined) {
      const at = yield* currentTime
      yield* services.perform(dispute.disputeNo, standingOf(dispute, standing, { at, processorStatus }))
    }
    return yield* services.perform(dispute.disputeNo, yield* commandOf(services, dispute, word))
  },
  Effect.catchTags({ DisputeConflict: Effect.die })
)

const isKnown = (dispute: Dispute, { outcome, standing, status }: DisputeWord): boolean =>
  outcome === undefined &&
  status === dispute.processorStatus &&
  (standing === undefined ||
    (standing.stage === dispute.stage && isSame(standing.evidenceDueBy, dispute.evidenceDueBy)))

const standingOf = (
  { amount }: Dispute,
  standing: Standing,
  word: { readonly at: DateTime.Utc; readonly processorStatus: string }
) => ReportStanding.make({ ...word, ...standing, amount: standing.amount ?? amount })

const isSame = Equivalence.make<DateTime.Utc | null>((one, other) =>
  one === null || other === null ? one === other : DateTime.Equivalence(one, other)
)

const commandOf = Effect.fnUntraced(function* (
  { merchants }: DisputeServices,
  dispute: Dispute,
  { outcome, standing, status: processorStatus }: DisputeWord
) {
  const at = yield* currentTime
  switch (outcome) {
    case "won":
      return ReportWon.make({ at, processorStatus })
    case "lost": {
      const merchant = yield* Effect.catchTags(merchants.find(dispute.merchantId), { MerchantNotFound: Effect.die })
      return ReportLost.make({ at, processorStatus, fee: disputeFeeOf(merchant, dispute.currency) })
    }
    case "closed":
      return ReportClosed.make({ at, processorStatus })
    case undefined:
      return standing === undefined
        ? ReportOther.make({ at, processorStatus })
        : standingOf(dispute, standing, { at, processorStatus })
  }
})

const open = Effect.fnUntraced(function* (services: DisputeServices, report: DisputeReport) {
  const { commands, ids, orders } = services
  const order = yield* orders.byTradeNo(report.tradeNo)
  const now = yield* currentTime
  const disputeNo = DisputeNo.make(yield* ids.next(prefixes.dispute))
  const dispute: Dispute = {
    status: "needs_response",
    stage: report.standing?.stage === "inquiry" ? "inquiry" : "chargeback",
    disputeNo,
    tradeNo: order.tradeNo,
    merchantId: order.merchantId,
    mode: order.mode,
    processorDisputeId: report.processorDisputeId,
    amount: report.amount,
    currency: order.currency,
    processorStatus: report.status,
    reason: report.reason,
    evidenceDueBy: report.evidenceDueBy,
    notifyUrl: order.notifyUrl,
    response: null,
    openedAt: report.openedAt,
    createdAt: createdAtOf(disputeNo),
    updatedAt: now
  }
  return yield* Effect.catchTags(commands.open(dispute), { AlreadyExists: () => known(services, report) })
}, numbering)

/** Reported twice at once, and the other came first. */
const known = Effect.fnUntraced(function* ({ store }: DisputeServices, report: DisputeReport) {
  const stored = yield* store.byProcessorId(report, report.processorDisputeId)
  return Option.isSome(stored)
    ? stored.value.dispute
    : yield* Effect.die(`dispute ${report.processorDisputeId} is taken by no dispute`)
})

const { ReportClosed, ReportLost, ReportOther, ReportStanding, ReportWon } = DisputeCommand.cases
