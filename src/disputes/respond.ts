/**
 * What merchants answer to a dispute, in three steps: the actor records it, it is sent to the channel in a fiber that
 * outlives the request, and the actor records the result. A crash in between leaves a due row, and a worker
 * sends it again (docs/architecture.md, section 3).
 */
import type { SubmitEvidence } from "@coffer/contract/Disputes"
import { type Evidence, EvidenceFile, EvidenceText } from "@coffer/model/Evidence"
import type { DisputeNo } from "@coffer/model/Ids"
import { type Dispute, DisputeCommand, DisputeConflict, isOpen, type Response } from "@coffer/rules/dispute/Dispute"
import { evidenceProblem, filesProblem, testTextProblem } from "@coffer/rules/dispute/evidence"
import { canonical } from "@coffer/rules/idempotency/claim"
import { Effect, Fiber, FiberSet } from "effect"
import type { WriteFailure } from "../aggregate/WriteLoop.ts"
import type { ChannelUnreachable } from "../channel/Channel.ts"
import type { StepAnswer } from "../channel/DisputeChannel.ts"
import { answering, currentRequest } from "../idempotency/Answering.ts"
import type { Account } from "@coffer/model/Account"
import { jsonText } from "../platform/runtime/codecs.ts"
import { sha256 } from "../platform/runtime/Secrets.ts"
import { span } from "../platform/runtime/span.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { millisForChannel } from "../platform/runtime/Deadline.ts"
import type { DisputeNotFound } from "./DisputeCommands.ts"
import type { DisputeServices } from "./DisputeServices.ts"
import { applyStatus } from "./reportDispute.ts"

export type StepFailure = ChannelUnreachable | DisputeConflict | DisputeNotFound | WriteFailure

/** Steps that are being completed. */
export type Completing = FiberSet.FiberSet<Dispute, StepFailure>

/** After this nobody knows what the channel did. Less than it takes until it is asked again. */
const channelMillis = 15_000

const { AskAgain, BeginAccept, BeginSubmit, ConfirmStep, RejectStep, SaveDraft, WithdrawStep } = DisputeCommand.cases

export const respond = (services: DisputeServices, completing: Completing) => {
  const { channel, files, find, ids, perform } = services
  return span("Disputes.respond")(function* (account: Account, ref: string, body: SubmitEvidence) {
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
      return yield* answering((answer) => perform(disputeNo, SaveDraft.make({ at, evidence }), answer))
    }
    const fingerprint = sha256(jsonText(canonical(evidence)))
    const begun = BeginSubmit.make({ at, id: yield* ids.body, evidence, fingerprint, request: yield* currentRequest })
    return yield* completed(services, completing, yield* perform(disputeNo, begun))
  })
}

export const concede = (services: DisputeServices, completing: Completing) => {
  const { find, ids, perform } = services
  return span("Disputes.concede")(function* (account: Account, ref: string) {
    const { disputeNo } = yield* find(account, ref)
    const at = yield* currentTime
    const begun = BeginAccept.make({ at, id: yield* ids.body, request: yield* currentRequest })
    return yield* completed(services, completing, yield* perform(disputeNo, begun))
  })
}

export const check = (services: DisputeServices) => {
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

/** The request may end before the channel answers; the fiber does not end with it. */
const completed = Effect.fnUntraced(function* (services: DisputeServices, completing: Completing, dispute: Dispute) {
  const { response } = dispute
  if (response === null || response.taken || !isOpen(dispute)) return dispute
  return yield* Fiber.join(yield* FiberSet.run(completing, completeStep(services, dispute, response)))
})

/** Sends the merchant's answer to the channel, and tells the actor how that went. */
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
    // Somebody else has set out with the same answer: it may still arrive.
    return after.response?.id === response.id ? after : yield* sent.failure
  }
  const answer = sent.success
  if (answer._tag === "Unknown") return yield* load(disputeNo)
  if (answer._tag === "Taken") {
    const { word } = answer
    const { id, step } = response
    const { stage } = dispute
    const taken = yield* perform(disputeNo, ConfirmStep.make({ at, id, stage, processorStatus: word.status }))
    // A loss follows when it is told. After evidence the bank may have gone further already.
    return step === "accept" || !isOpen(taken) ? taken : yield* applyStatus(services, taken, word)
  }
  yield* perform(disputeNo, RejectStep.make({ at, id: response.id }))
  const after = yield* applyStatus(services, yield* load(disputeNo), answer.word)
  // An acceptance asks for a lost dispute. It has one, whoever brought that about.
  if (response.step === "accept" && after.status === "lost") return after
  const said = answer.reason === undefined ? {} : { said: answer.reason }
  return yield* new DisputeConflict({ disputeNo, reason: "not_taken", ...said })
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

/** The evidence in a request, without fields that we do not know. */
const evidenceOf = ({ evidence = {}, files = [] }: SubmitEvidence): Evidence => ({
  text: EvidenceText.make(evidence),
  files: files.map(({ type, url }) => EvidenceFile.make({ type, url }))
})
