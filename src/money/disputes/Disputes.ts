/**
 * Front door to disputes: the channel's reports and the merchants' answers. It asks the outside world (the channel), so
 * that owners never have to. A merchant's answer has three steps: the owner records it, a fiber that outlives the
 * request sends it to the channel, and the owner records the result. A crash in between leaves a due row, and a worker
 * sends it again (docs/architecture.md, section 3).
 */
import type { DisputeQuery, SubmitEvidence } from "@coffer/contract/Disputes"
import type { Account } from "@coffer/model/Account"
import { type Evidence, EvidenceFile, EvidenceText } from "@coffer/model/Evidence"
import { disputeFeeOf } from "@coffer/model/Fees"
import { createdAtOf, DisputeNo, prefixes } from "@coffer/model/Ids"
import { type Dispute, DisputeCommand, DisputeConflict, isOpen, type Response } from "@coffer/rules/dispute/Dispute"
import { evidenceProblem, filesProblem, type Kept, testTextProblem } from "@coffer/rules/dispute/evidence"
import { canonical } from "../../shared/idempotency/judge.ts"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { readCreated } from "@coffer/rules/lists/created"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import type { RefundRefused } from "@coffer/rules/order/Order"
import { Context, DateTime, Effect, Equivalence, Fiber, FiberSet, Layer, Option } from "effect"
import type { WriteFailure } from "../aggregate/WriteLoop.ts"
import { Channel } from "../../shared/channel/Channel.ts"
import type { ChannelUnreachable } from "../../shared/channel/payments.ts"
import { makeAlarmOfContradiction } from "../../shared/channel/contradiction.ts"
import type { DisputeReport, DisputeWord, Standing, StepAnswer } from "../../shared/channel/disputes.ts"
import { Files } from "../files/Files.ts"
import { type Answering, withAnswer, currentRequest } from "../../shared/idempotency/Answering.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import { Orders } from "../orders/Orders.ts"
import { ask } from "../../platform/cluster/ask.ts"
import { retryOvertaken } from "../../platform/commit/Change.ts"
import type { Exported } from "../../platform/postgres/Pages.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import { millisForChannel } from "../../platform/runtime/Deadline.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { sha256 } from "../../platform/runtime/Secrets.ts"
import { span } from "../../platform/runtime/span.ts"
import { askDispute, DisputeCommands, DisputeNotFound } from "./DisputeCommands.ts"
import type { Stored } from "../aggregate/Aggregate.ts"
import { DisputeStore } from "./DisputeStore.ts"

export { DisputeNotFound }

type StepFailure = ChannelUnreachable | DisputeConflict | DisputeNotFound | WriteFailure

export class Disputes extends Context.Service<
  Disputes,
  {
    readonly find: (account: Account, ref: string) => Effect.Effect<Dispute, DisputeNotFound>
    readonly evidence: (
      account: Account,
      ref: string
    ) => Effect.Effect<{ readonly dispute: Dispute; readonly kept: Kept }, DisputeNotFound>
    /** Newest first. */
    readonly page: (account: Account, query: DisputeQuery) => Effect.Effect<Page<Dispute>, InvalidField>
    /** Ignores `limit` and cursors. */
    readonly exported: (account: Account, query: DisputeQuery) => Effect.Effect<Exported<Dispute>, InvalidField>
    /** The whole of the evidence, as a draft or for good (spec: Disputes, POST evidence). */
    readonly respond: (
      account: Account,
      ref: string,
      body: SubmitEvidence,
      /** The version that it replaces, if the caller has named one. */
      replaces: string | undefined
    ) => Effect.Effect<Dispute, InvalidField | StepFailure>
    /** The merchant accepts the dispute; the channel will confirm the loss (silences: D2). */
    readonly concede: (account: Account, ref: string) => Effect.Effect<Dispute, StepFailure>
    /** The channel's report about a dispute, new or known; the same report may come many times. */
    readonly handleReport: (
      report: DisputeReport
    ) => Effect.Effect<Dispute, RefundRefused | OrderNotFound | DisputeNotFound | WriteFailure>
    /** The same for a bank that is told what was processed. A later decision of it has the last word. */
    readonly handleReports: (
      report: DisputeReport,
      acknowledge: (report: DisputeReport) => Effect.Effect<Option.Option<DisputeReport>>
    ) => Effect.Effect<Dispute, RefundRefused | OrderNotFound | DisputeNotFound | WriteFailure>
    /**
     * The channel has been silent about the dispute for long enough: complete the step that was begun, or ask for its
     * status.
     */
    readonly check: (disputeNo: DisputeNo) => Effect.Effect<void, StepFailure>
  }
>()("@coffer/disputes/Disputes") {}

export const layer = Layer.effect(
  Disputes,
  Effect.gen(function* () {
    const services = yield* disputeServices
    const { find, store } = services
    return Disputes.of({
      find,
      evidence: Effect.fnUntraced(function* (account, ref) {
        const dispute = yield* find(account, ref)
        return { dispute, kept: (yield* store.evidence(dispute.disputeNo)).kept }
      }),
      page: span("Disputes.page")(function* (account, query) {
        const request = yield* Effect.fromResult(readPageRequest(query))
        return yield* store.page(account, request, query)
      }),
      exported: span("Disputes.exported")(function* (account, query) {
        const created = yield* Effect.fromResult(readCreated(query))
        return yield* store.exported(account, created, query)
      }),
      respond: respond(services),
      concede: concede(services),
      handleReport: handleReport(services),
      handleReports: handleReports(services),
      check: check(services)
    })
  })
)

const disputeServices = Effect.gen(function* () {
  const store = yield* DisputeStore
  const tell = yield* askDispute
  const alarmOfContradiction = yield* makeAlarmOfContradiction

  const found = (ref: string, stored: Option.Option<Stored<Dispute>>) =>
    Option.isSome(stored) ? Effect.succeed(stored.value.state) : Effect.fail(new DisputeNotFound({ ref }))
  const load = (disputeNo: DisputeNo) => Effect.flatMap(store.load(disputeNo), (stored) => found(disputeNo, stored))

  return {
    store,
    load,
    commands: yield* DisputeCommands,
    orders: yield* Orders,
    channel: (yield* Channel).disputes,
    merchants: yield* Merchants,
    files: yield* Files,
    ids: yield* NewIds,
    faults: yield* Faults,
    /** Steps that are being completed. */
    completing: yield* FiberSet.make<Dispute, StepFailure>(),
    find: (account: Account, ref: string) =>
      Effect.flatMap(store.resolve(account, ref), (stored) => found(ref, stored)),
    /** The owner records a contradiction; this raises the alarm (silences: D1). */
    perform: (disputeNo: DisputeNo, command: DisputeCommand, answer?: Answering) =>
      Effect.catchTags(ask(tell({ disputeNo, command, answer })), {
        DisputeContradicted: ({ processorStatus, status }) =>
          Effect.tap(load(disputeNo), ({ mode }) =>
            alarmOfContradiction(mode, { dispute_no: disputeNo, status, processor_status: processorStatus })
          )
      })
  }
})

type DisputeServices = Effect.Success<typeof disputeServices>

// The channel's reports ---------------------------------------------------------

/** The first report opens the dispute. From then on its status is applied. */
const handleReport = (services: DisputeServices) =>
  span("Disputes.handleReport")(function* (report: DisputeReport) {
    const stored = yield* services.store.byNumber(report, report.processorDisputeId)
    const dispute = Option.isSome(stored) ? stored.value.state : yield* open(services, report)
    return yield* applyStatus(services, dispute, report)
  }, Effect.uninterruptible)

const handleReports = (services: DisputeServices) => {
  const handle = handleReport(services)
  return Effect.fnUntraced(function* (
    first: DisputeReport,
    acknowledge: (report: DisputeReport) => Effect.Effect<Option.Option<DisputeReport>>
  ) {
    let dispute = yield* handle(first)
    for (let later = yield* acknowledge(first); Option.isSome(later); later = yield* acknowledge(later.value)) {
      dispute = yield* handle(later.value)
    }
    return dispute
  }, Effect.uninterruptible)
}

/** Sends the status at the bank to the owner. */
const applyStatus = Effect.fnUntraced(
  function* (services: DisputeServices, dispute: Dispute, word: DisputeWord) {
    if (isKnown(dispute, word)) return dispute
    const { outcome, standing, status: processorStatus } = word
    // The last report was of an inquiry: the loss has something to take once it is a chargeback.
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
  const disputeNo = DisputeNo.make(yield* ids.next(prefixes.dispute))
  const dispute: Dispute = {
    status: "needs_response",
    stage: report.standing?.stage === "inquiry" ? "inquiry" : "chargeback",
    disputeNo,
    tradeNo: order.tradeNo,
    outTradeNo: order.outTradeNo,
    merchantId: order.merchantId,
    mode: order.mode,
    channel: report.channel,
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
    updatedAt: createdAtOf(disputeNo)
  }
  return yield* Effect.catchTags(commands.open(dispute), { AlreadyExists: () => findKnown(services, report) })
}, retryOvertaken)

/** Another request has opened the same dispute at the same time. */
const findKnown = Effect.fnUntraced(function* ({ store }: DisputeServices, report: DisputeReport) {
  const stored = yield* store.byNumber(report, report.processorDisputeId)
  return Option.isSome(stored)
    ? stored.value.state
    : yield* Effect.die(`dispute ${report.processorDisputeId} is taken by no dispute`)
})

// The merchant's answer ---------------------------------------------------------

/** After this the outcome at the channel is unknown. Shorter than the time until the channel is asked again. */
const channelMillis = 15_000

const respond = (services: DisputeServices) => {
  const { channel, files, find, ids, perform } = services
  return span("Disputes.respond")(function* (
    account: Account,
    ref: string,
    body: SubmitEvidence,
    replaced: string | undefined
  ) {
    const replaces = replaced === undefined ? {} : { replaces: replaced }
    const evidence = evidenceOf(body)
    const problem =
      evidenceProblem(evidence, body.submit === true) ??
      filesProblem(yield* Effect.forEach(evidence.files, ({ url }) => files.owns(account, url)))
    if (problem !== undefined) return yield* problem
    const dispute = yield* find(account, ref)
    const { disputeNo } = dispute
    const misplaced = testTextProblem(evidence, channel.isTest(dispute))
    if (misplaced !== undefined) return yield* misplaced
    const at = yield* currentTime
    if (body.submit !== true) {
      return yield* withAnswer((answer) => perform(disputeNo, SaveDraft.make({ at, evidence, ...replaces }), answer))
    }
    const fingerprint = sha256(jsonText(canonical(evidence)))
    const request = yield* currentRequest
    const begun = BeginSubmit.make({ at, id: yield* ids.body, evidence, fingerprint, request, ...replaces })
    return yield* finishStep(services, yield* perform(disputeNo, begun))
  })
}

const concede = (services: DisputeServices) => {
  const { find, ids, perform } = services
  return span("Disputes.concede")(function* (account: Account, ref: string) {
    const { disputeNo } = yield* find(account, ref)
    const at = yield* currentTime
    const begun = BeginAccept.make({ at, id: yield* ids.body, request: yield* currentRequest })
    return yield* finishStep(services, yield* perform(disputeNo, begun))
  })
}

/** The request may end before the channel answers; the fiber does not end with it. */
const finishStep = Effect.fnUntraced(function* (services: DisputeServices, dispute: Dispute) {
  const { response } = dispute
  if (response === null || response.taken || !isOpen(dispute)) return dispute
  return yield* Fiber.join(yield* FiberSet.run(services.completing, completeStep(services, dispute, response)))
})

/** Sends the merchant's answer to the channel, and its outcome to the owner. */
const completeStep = span("Disputes.completeStep")(function* (
  services: DisputeServices,
  dispute: Dispute,
  response: Response
) {
  const { disputeNo } = dispute
  const { load, perform } = services
  const sent = yield* Effect.result(sendToChannel(services, dispute, response))
  const at = yield* currentTime
  if (sent._tag === "Failure") {
    const after = yield* perform(disputeNo, WithdrawStep.make({ at, id: response.id }))
    // Another caller is sending the same answer: it may still arrive.
    return after.response?.id === response.id ? after : yield* sent.failure
  }
  const answer = sent.success
  if (answer._tag === "Unknown") return yield* load(disputeNo)
  if (answer._tag === "Taken") {
    const { word } = answer
    const { id, step } = response
    const { stage } = dispute
    const taken = yield* perform(disputeNo, ConfirmStep.make({ at, id, stage, processorStatus: word.status }))
    // A loss follows once the channel reports it. After evidence the bank may have moved on already.
    return step === "accept" || !isOpen(taken) ? taken : yield* applyStatus(services, taken, word)
  }
  yield* perform(disputeNo, RejectStep.make({ at, id: response.id }))
  const after = yield* applyStatus(services, yield* load(disputeNo), answer.word)
  // An acceptance wants a lost dispute. It is lost, whatever the reason.
  if (response.step === "accept" && after.status === "lost") return after
  const { reason: words } = answer
  return yield* new DisputeConflict({ disputeNo, reason: "not_taken", ...(words === undefined ? {} : { said: words }) })
})

/** Unknown also when no answer comes in time. */
const sendToChannel = Effect.fnUntraced(function* (
  { channel, faults, store }: DisputeServices,
  dispute: Dispute,
  { id, step }: Response
) {
  const orElse = () => Effect.succeed<StepAnswer>({ _tag: "Unknown" })
  const submit = Effect.gen(function* () {
    const { submitting } = (yield* store.evidence(dispute.disputeNo)).kept
    // It was withdrawn since.
    if (submitting === null) return yield* orElse()
    return yield* faults.around("DisputeChannel.submit", channel.submit(dispute, submitting, id))
  })
  const call = step === "submit" ? submit : faults.around("DisputeChannel.accept", channel.accept(dispute))
  return yield* Effect.timeoutOrElse(call, { duration: yield* millisForChannel(channelMillis), orElse })
})

/** The evidence in a request, without unknown fields. */
const evidenceOf = ({ evidence = {}, files = [] }: SubmitEvidence): Evidence => ({
  text: EvidenceText.make(evidence),
  files: files.map(({ type, url }) => EvidenceFile.make({ type, url }))
})

// Due rows -----------------------------------------------------------------------

/** Completes a step that was begun, or asks the channel for the status. */
const check = (services: DisputeServices) => {
  const { channel, faults, perform } = services
  return span("Disputes.check")(function* (disputeNo: DisputeNo) {
    // Count this sender before it sends: an earlier sender must not withdraw an answer that this one delivers.
    const dispute = yield* perform(disputeNo, AskAgain.make({ at: yield* currentTime }))
    if (!isOpen(dispute)) return
    if (dispute.response !== null && !dispute.response.taken) {
      yield* completeStep(services, dispute, dispute.response)
      return
    }
    yield* applyStatus(services, dispute, yield* faults.around("DisputeChannel.status", channel.status(dispute)))
  })
}

const { AskAgain, BeginAccept, BeginSubmit, ConfirmStep, RejectStep, SaveDraft, WithdrawStep } = DisputeCommand.cases
const { ReportClosed, ReportLost, ReportOther, ReportStanding, ReportWon } = DisputeCommand.cases
