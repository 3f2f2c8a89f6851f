/**
 * Front door to disputes: what the channel reports of them, and what merchants answer. An answer is three steps: the
 * actor records it, the channel is told in a fiber that outlives the request, and the actor hears how that went.
 * Whatever dies in between leaves a due row, and a worker tells the channel again (docs/architecture.md, section 3).
 */
import type { SubmitEvidence } from "@coffer/contract/Disputes"
import { type Evidence, EvidenceFile, EvidenceText } from "@coffer/model/Evidence"
import { disputeFeeOf } from "@coffer/model/Fees"
import { DisputeNo, prefixes } from "@coffer/model/Ids"
import { type Dispute, DisputeCommand, DisputeConflict, isOpen, type Response } from "@coffer/rules/dispute/Dispute"
import { opening } from "@coffer/rules/dispute/entryOf"
import { evidenceProblem, filesProblem, type Kept } from "@coffer/rules/dispute/evidence"
import { canonical } from "@coffer/rules/idempotency/claim"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { Context, DateTime, Effect, Fiber, FiberSet, Layer, Option } from "effect"
import { ChannelUnreachable } from "../channel/Channel.ts"
import { alarmOfContradiction } from "../channel/contradiction.ts"
import { DisputeChannel, type DisputeReport, type DisputeWord } from "../channel/DisputeChannel.ts"
import { Events } from "../events/Events.ts"
import { Files } from "../files/Files.ts"
import { ask } from "../platform/cluster/ask.ts"
import { NotCommitted } from "../platform/commit/Change.ts"
import { type Claim, currentRequest, takeClaim } from "../idempotency/IdempotencyClaim.ts"
import { jsonText } from "../platform/runtime/codecs.ts"
import { Faults } from "../platform/runtime/Faults.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import type { Owner } from "../platform/postgres/Pages.ts"
import { sha256 } from "../platform/runtime/Secrets.ts"
import { span } from "../platform/runtime/span.ts"
import { Merchants } from "../merchants/Merchants.ts"
import type { OrderNotFound } from "../orders/OrderEntity.ts"
import { Orders, type WriteFailure } from "../orders/Orders.ts"
import type { RefundRefused } from "@coffer/rules/order/Order"
import { DisputeEntity, DisputeNotFound } from "./DisputeEntity.ts"
import { DisputeStore, insertion } from "./DisputeStore.ts"
import { disputeView } from "./DisputeView.ts"

export { DisputeNotFound }

type StepFailure = ChannelUnreachable | DisputeConflict | DisputeNotFound | WriteFailure

export class Disputes extends Context.Service<
  Disputes,
  {
    readonly find: (owner: Owner, ref: string) => Effect.Effect<Dispute, DisputeNotFound>
    readonly evidence: (
      owner: Owner,
      ref: string
    ) => Effect.Effect<{ readonly dispute: Dispute; readonly kept: Kept }, DisputeNotFound>
    /** The whole of the evidence, as a draft or for good (spec: Disputes, POST evidence). */
    readonly respond: (
      owner: Owner,
      ref: string,
      body: SubmitEvidence
    ) => Effect.Effect<Dispute, InvalidField | StepFailure>
    /** The merchant gives in; the channel will confirm the loss (silences: D2). */
    readonly concede: (owner: Owner, ref: string) => Effect.Effect<Dispute, StepFailure>
    /** The channel's word about a dispute, new or known; it may come many times. */
    readonly hear: (
      report: DisputeReport
    ) => Effect.Effect<Dispute, RefundRefused | OrderNotFound | DisputeNotFound | WriteFailure>
    /** Nothing was heard of it for long enough: finish what was begun, or ask how it stands. */
    readonly check: (disputeNo: DisputeNo) => Effect.Effect<void, StepFailure>
  }
>()("@coffer/disputes/Disputes") {}

/** After this nobody knows what the channel did. Less than it takes until it is asked again. */
const channelPatience = "15 seconds"

const {
  AskAgain,
  BeginAccept,
  BeginSubmit,
  ConfirmStep,
  RejectStep,
  ReportClosed,
  ReportLost,
  ReportOther,
  ReportWon,
  SaveDraft,
  WithdrawStep
} = DisputeCommand.cases

export const layer = Layer.effect(
  Disputes,
  Effect.gen(function* () {
    const store = yield* DisputeStore
    const orders = yield* Orders
    const channel = yield* DisputeChannel
    const merchants = yield* Merchants
    const files = yield* Files
    const events = yield* Events
    const ids = yield* NewIds
    const faults = yield* Faults
    const client = yield* DisputeEntity.client
    const telling = yield* FiberSet.make<Dispute, StepFailure>()

    const find = Effect.fnUntraced(function* (owner: Owner, ref: string) {
      const stored = yield* store.resolve(owner, ref)
      return Option.isSome(stored) ? stored.value.dispute : yield* new DisputeNotFound({ ref })
    })

    const load = Effect.fnUntraced(function* (disputeNo: DisputeNo) {
      const stored = yield* store.load(disputeNo)
      return Option.isSome(stored) ? stored.value.dispute : yield* new DisputeNotFound({ ref: disputeNo })
    })

    /** What contradicts is written down by the actor; here it is told to whoever watches (silences: D1). */
    const perform = (disputeNo: DisputeNo, command: DisputeCommand, claim?: Claim) =>
      ask(client(disputeNo).Perform(claim === undefined ? { command } : { command, claim })).pipe(
        Effect.catchTags({
          DisputeContradicted: ({ processorStatus, status }) =>
            Effect.andThen(
              alarmOfContradiction({ dispute_no: disputeNo, status, processor_status: processorStatus }),
              load(disputeNo)
            )
        })
      )

    /** How the dispute stands with the bank, told to the actor. */
    const listen = Effect.fnUntraced(
      function* (dispute: Dispute, word: DisputeWord) {
        if (word.outcome === undefined && word.status === dispute.processorStatus) return dispute
        return yield* perform(dispute.disputeNo, yield* reportOf(dispute, word))
      },
      Effect.catchTags({ DisputeConflict: Effect.die })
    )

    const reportOf = Effect.fnUntraced(function* (dispute: Dispute, { outcome, status: processorStatus }: DisputeWord) {
      const at = yield* DateTime.now
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
          return ReportOther.make({ at, processorStatus })
      }
    })

    /** A dispute that does not exist has no state to guard: the unique index on the channel's number is the guard. */
    const open = Effect.fnUntraced(function* (report: DisputeReport) {
      const order = yield* orders.byTradeNo(report.tradeNo)
      const now = yield* DateTime.now
      const dispute: Dispute = {
        status: "needs_response",
        disputeNo: DisputeNo.make(yield* ids.next(prefixes.dispute)),
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
        createdAt: now,
        updatedAt: now
      }
      const { announced, movements, order: command } = opening(dispute)
      const recorded = yield* Effect.catchTags(
        events.record({
          type: announced,
          mode: dispute.mode,
          merchantId: dispute.merchantId,
          object: { ...disputeView(dispute) },
          objectId: dispute.disputeNo,
          tradeNo: dispute.tradeNo,
          notifyUrl: dispute.notifyUrl,
          sequence: 1
        }),
        { MerchantNotFound: Effect.die }
      )
      const changes = [insertion(dispute), ...recorded]
      return yield* orders.performWith(dispute.tradeNo, command, { movements, reserve: 0, changes }).pipe(
        Effect.as(dispute),
        Effect.catchTags({
          AlreadyExists: () => known(report),
          StaleVersion: () => new NotCommitted({ reason: "overloaded" }),
          OrderConflict: Effect.die,
          InsufficientBalance: Effect.die
        })
      )
    })

    /** Reported twice at once, and the other came first. */
    const known = Effect.fnUntraced(function* (report: DisputeReport) {
      const stored = yield* store.byProcessorId(report, report.processorDisputeId)
      return Option.isSome(stored)
        ? stored.value.dispute
        : yield* Effect.die(`dispute ${report.processorDisputeId} is taken by no dispute`)
    })

    const hear = span("Disputes.hear")(function* (report: DisputeReport) {
      const stored = yield* store.byProcessorId(report, report.processorDisputeId)
      return yield* listen(Option.isSome(stored) ? stored.value.dispute : yield* open(report), report)
    }, Effect.uninterruptible)

    /** Undefined: no answer came, and nobody knows. */
    const tell = Effect.fnUntraced(function* (dispute: Dispute, { step }: Response) {
      const { submitting } = step === "submit" ? (yield* store.evidence(dispute.disputeNo)).kept : { submitting: null }
      const call =
        submitting === null
          ? faults.around("DisputeChannel.accept", channel.accept(dispute))
          : faults.around("DisputeChannel.submit", channel.submit(dispute, submitting))
      return Option.getOrUndefined(yield* Effect.timeoutOption(call, channelPatience))
    })

    /** Tells the channel what the merchant answers, and the actor how that went. */
    const follow = span("Disputes.follow")(function* (dispute: Dispute, response: Response) {
      const { disputeNo } = dispute
      const told = yield* Effect.result(tell(dispute, response))
      const at = yield* DateTime.now
      if (told._tag === "Failure") {
        const after = yield* perform(disputeNo, WithdrawStep.make({ at, id: response.id }))
        // Somebody else has set out with the same answer: it may still arrive.
        return isAnswering(after.response, response) ? after : yield* told.failure
      }
      const answer = told.success
      if (answer === undefined) return yield* load(disputeNo)
      if (answer._tag === "Taken") {
        return yield* perform(disputeNo, ConfirmStep.make({ at, processorStatus: answer.status }))
      }
      yield* perform(disputeNo, RejectStep.make({ at, id: response.id }))
      const heard = yield* listen(yield* load(disputeNo), answer.word)
      // Lost is what acceptance asks for, whoever was first.
      if (response.step === "accept" && heard.status === "lost") return heard
      return yield* new DisputeConflict({ disputeNo, reason: "not_taken" })
    })

    /** The request may end before the channel answers; the fiber does not end with it. */
    const followed = Effect.fnUntraced(function* (dispute: Dispute) {
      const { response } = dispute
      if (response === null || response.taken || !isOpen(dispute)) return dispute
      return yield* Fiber.join(yield* FiberSet.run(telling, follow(dispute, response)))
    })

    const respond = span("Disputes.respond")(function* (owner: Owner, ref: string, body: SubmitEvidence) {
      const evidence = evidenceOf(body)
      const problem =
        evidenceProblem(evidence, body.submit === true) ??
        filesProblem(yield* Effect.forEach(evidence.files, ({ url }) => files.owns(owner, url)))
      if (problem !== undefined) return yield* problem
      const { disputeNo } = yield* find(owner, ref)
      const at = yield* DateTime.now
      if (body.submit !== true) {
        return yield* perform(disputeNo, SaveDraft.make({ at, evidence }), yield* takeClaim)
      }
      const fingerprint = sha256(jsonText(canonical(evidence)))
      const begun = BeginSubmit.make({ at, id: yield* ids.body, evidence, fingerprint, request: yield* currentRequest })
      return yield* followed(yield* perform(disputeNo, begun))
    })

    const concede = span("Disputes.concede")(function* (owner: Owner, ref: string) {
      const { disputeNo } = yield* find(owner, ref)
      const at = yield* DateTime.now
      const begun = BeginAccept.make({ at, id: yield* ids.body, request: yield* currentRequest })
      return yield* followed(yield* perform(disputeNo, begun))
    })

    const check = span("Disputes.check")(function* (disputeNo: DisputeNo) {
      // Counted first: who asked before us must not take back what we may bring about.
      const dispute = yield* perform(disputeNo, AskAgain.make({ at: yield* DateTime.now }))
      if (!isOpen(dispute)) return
      if (dispute.response !== null && !dispute.response.taken) yield* follow(dispute, dispute.response)
      else yield* listen(dispute, yield* faults.around("DisputeChannel.status", channel.status(dispute)))
    })

    const evidence = Effect.fnUntraced(function* (owner: Owner, ref: string) {
      const dispute = yield* find(owner, ref)
      return { dispute, kept: (yield* store.evidence(dispute.disputeNo)).kept }
    })

    return Disputes.of({ find, evidence, respond, concede, hear, check })
  })
)

const isAnswering = (after: Response | null, { id }: Response) => after?.id === id

/** What it has beside the names we know stays outside. */
const evidenceOf = ({ evidence = {}, files = [] }: SubmitEvidence): Evidence => ({
  text: EvidenceText.make(evidence),
  files: files.map(({ type, url }) => EvidenceFile.make({ type, url }))
})
