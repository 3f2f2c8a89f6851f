/**
 * Front door to disputes: what the channel reports of them, and what merchants answer. It talks to the outside world
 * (the channel), so that the actors never have to.
 */
import type { SubmitEvidence } from "@coffer/contract/Disputes"
import type { DisputeNo } from "@coffer/model/Ids"
import type { Dispute } from "@coffer/rules/dispute/Dispute"
import type { Kept } from "@coffer/rules/dispute/evidence"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { RefundRefused } from "@coffer/rules/order/Order"
import { Context, Effect, FiberSet, Layer } from "effect"
import type { WriteFailure } from "../aggregate/WriteLoop.ts"
import type { DisputeReport } from "../channel/DisputeChannel.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import type { Account } from "@coffer/model/Account"
import { DisputeNotFound } from "./DisputeCommands.ts"
import { disputeServices } from "./DisputeServices.ts"
import { handleReport } from "./reportDispute.ts"
import { check, concede, respond, type StepFailure } from "./respond.ts"

export { DisputeNotFound }

export class Disputes extends Context.Service<
  Disputes,
  {
    readonly find: (account: Account, ref: string) => Effect.Effect<Dispute, DisputeNotFound>
    readonly evidence: (
      account: Account,
      ref: string
    ) => Effect.Effect<{ readonly dispute: Dispute; readonly kept: Kept }, DisputeNotFound>
    /** The whole of the evidence, as a draft or for good (spec: Disputes, POST evidence). */
    readonly respond: (
      account: Account,
      ref: string,
      body: SubmitEvidence
    ) => Effect.Effect<Dispute, InvalidField | StepFailure>
    /** The merchant gives in; the channel will confirm the loss (silences: D2). */
    readonly concede: (account: Account, ref: string) => Effect.Effect<Dispute, StepFailure>
    /** The channel's word about a dispute, new or known; it may come many times. */
    readonly handleReport: (
      report: DisputeReport
    ) => Effect.Effect<Dispute, RefundRefused | OrderNotFound | DisputeNotFound | WriteFailure>
    /** Nothing was heard of it for long enough: finish what was begun, or ask how it stands. */
    readonly check: (disputeNo: DisputeNo) => Effect.Effect<void, StepFailure>
  }
>()("@coffer/disputes/Disputes") {}

export const layer = Layer.effect(
  Disputes,
  Effect.gen(function* () {
    const services = yield* disputeServices
    const completing = yield* FiberSet.make<Dispute, StepFailure>()
    return Disputes.of({
      find: services.find,
      evidence: Effect.fnUntraced(function* (account, ref) {
        const dispute = yield* services.find(account, ref)
        return { dispute, kept: (yield* services.store.evidence(dispute.disputeNo)).kept }
      }),
      respond: respond(services, completing),
      concede: concede(services, completing),
      handleReport: handleReport(services),
      check: check(services)
    })
  })
)
